import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
// As a whole: a name that an outdated Node lacks would stop it before it can print which version it needs.
import util from 'node:util';

import { escapeInvisible } from '../core/text/visible-text.ts';

/** The process's own streams, or a test's. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Folder that relative paths start from. */
  readonly cwd: string;
}

/** A command's input and output. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
}

export type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'bold' | 'dim';

/** For a terminal that does not report its width, and for other outputs. */
const usualColumns = 80;

/**
 * The only output path. Names, keys and texts from files and tools are printed in many places; here, after all of them, control
 * characters that a terminal would obey are made visible.
 */
export class Output {
  readonly #stream: Writable;
  /** Placeholder for a colour's escape until then: a word that no file can contain, since nobody knew it before. */
  readonly #escape = `<${randomUUID()}>`;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(text: string): void {
    this.#stream.write(escapeInvisible(text).replaceAll(this.#escape, '\u001B'));
  }

  /** Columns to draw and wrap in; `COLUMNS` counts where the stream is not a terminal. */
  get columns(): number {
    return sizeOf(this.#stream, 'columns') ?? givenColumns() ?? usualColumns;
  }

  /** Columns that a line may take: as many as it has where it goes to a file or another program. */
  get room(): number {
    return sizeOf(this.#stream, 'columns') ?? Infinity;
  }

  /** Rows of the terminal; undefined if it is not one. */
  get rows(): number | undefined {
    return sizeOf(this.#stream, 'rows');
  }

  /** Calls back when the terminal is resized. @returns a function that stops it */
  onResize(action: () => void): () => void {
    this.#stream.on('resize', action);
    return () => void this.#stream.off('resize', action);
  }

  /** Calls back when a write fails: the reader has gone, or the disk full. @returns a function that stops it */
  onLoss(action: () => void): () => void {
    this.#stream.on('error', action);
    return () => void this.#stream.off('error', action);
  }

  /** Moves to the first row, and clears the screen if asked to. */
  home(clears: boolean): void {
    this.#stream.write(clears ? '\u001B[2J\u001B[H' : '\u001B[H');
  }

  /** Overwrites a row. */
  writeRow(text: string): void {
    this.write(text);
    this.#stream.write('\u001B[K\n');
  }

  clearBelow(): void {
    this.#stream.write('\u001B[J');
  }

  /** Colours a text if the stream is a terminal that shows colours; `NO_COLOR` and `FORCE_COLOR` take precedence. */
  paint(style: Style, text: string): string {
    if (!showsColors(this.#stream)) return text;
    return util.styleText(style, escapeInvisible(text), { validateStream: false }).replaceAll('\u001B', this.#escape);
  }
}

export function openTerminal({ stdin, stdout, stderr, cwd }: Streams): Terminal {
  return { stdin, stdout: new Output(stdout), stderr: new Output(stderr), cwd };
}

export function paint(output: Output, style: Style, text: string): string {
  return output.paint(style, text);
}

function givenColumns(): number | undefined {
  const columns = Number(process.env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}

function sizeOf(stream: Writable, side: 'columns' | 'rows'): number | undefined {
  const size: unknown = Reflect.get(stream, side);
  return typeof size === 'number' && size > 0 ? size : undefined;
}

function showsColors(stream: Writable): boolean {
  return 'hasColors' in stream && typeof stream.hasColors === 'function' && stream.hasColors() === true;
}

/** Writes one line of JSON, indented: for programs, and still readable. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** One line, even if a name in it has several. */
export function printLine(output: Output, line: string): void {
  output.write(`${line.replaceAll('\n', String.raw`\n`)}\n`);
}
