import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import util from 'node:util';
import { escapeInvisible } from '../core/text/words.ts';
import { type Line, plainText } from '../core/view/lines.ts';

// As a whole: a name that an outdated Node lacks would stop it before it can print which version it needs.
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

/** The columns of a terminal that does not report its width, and of other outputs. */
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

/** Prints one line, even if a name in it has several. */
export function printLine(output: Output, line: string): void {
  output.write(`${line.replaceAll('\n', String.raw`\n`)}\n`);
}

const styles: Readonly<Record<Line[number]['tone'], Style | undefined>> = {
  plain: undefined,
  title: 'bold',
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  dim: 'dim',
  used: 'yellow',
  free: 'green',
  going: 'red',
  coming: 'cyan',
};

/** Prints lines, coloured if the output shows colours. */
export function printLines(output: Output, lines: readonly Line[]): void {
  for (const line of lines) output.write(`${paintLine(output, line)}\n`);
}

function paintLine(output: Output, line: Line): string {
  const fitted = fitLine(line, output.room);
  return fitted
    .map(({ text, tone }) => (styles[tone] === undefined ? text : output.paint(styles[tone], text)))
    .join('');
}

/** The line as a terminal of so many columns shows it: cut off with `…` if it is too long. What draws lines leaves them whole. */
export function fitLine(line: Line, columns: number): Line {
  let left = columns;
  const fitted: Line[number][] = [];
  const total = widthOf(plainText(line));
  for (const { text, tone } of line) {
    const width = widthOf(text);
    const isLast = total <= columns;
    if (isLast || width < left) {
      fitted.push({ text, tone });
      left -= width;
      continue;
    }
    if (left > 0)
      fitted.push({
        text: `${Array.from(text)
          .slice(0, left - 1)
          .join('')}…`,
        tone,
      });
    break;
  }
  return trimEnd(fitted);
}

function trimEnd(line: Line): Line {
  const last = line.at(-1);
  if (!last) return line;
  const text = last.text.trimEnd();
  if (text === last.text) return line;
  const rest = line.slice(0, -1);
  return text === '' ? trimEnd(rest) : [...rest, { ...last, text }];
}

/** Width of a text in columns; names and messages here have no double-width characters. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

/** A live picture: redrawn in place on a terminal, printed again below elsewhere. */
export class LiveScreen {
  readonly #output: Output;
  #shown: string | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  show(lines: readonly Line[]): void {
    const text = lines.map(plainText).join('\n');
    if (text === this.#shown) return;
    const isFirst = this.#shown === undefined;
    this.#shown = text;
    const { rows } = this.#output;
    if (rows === undefined) {
      if (!isFirst) this.#output.write('\n');
      printLines(this.#output, lines);
    } else {
      // A picture taller than the screen would scroll it, and the next one would start in the middle.
      this.#output.home(isFirst);
      const shown = lines.slice(0, rows - 1);
      for (const line of shown) this.#output.writeRow(paintLine(this.#output, line));
      this.#output.clearBelow();
    }
  }

  /** Redraws although nothing has changed: the terminal has. */
  forget(): void {
    if (this.#shown !== undefined) this.#shown = '';
  }
}

/** 0 good; 1 a finding (does not fit, invalid); 2 usage error or unreadable input; 3 the state could not be determined. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An error that the user can fix: shown as one sentence, without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];

  /** @param message one sentence, or several on one line each */
  constructor(message: string | readonly string[], exitCode: ExitCode = 2, options?: ErrorOptions) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'), options);
    this.lines = lines;
    this.exitCode = exitCode;
  }
}

/** Carries a command's exit code out of commander, which discards an action's result. */
export class CommandOutcome {
  code: ExitCode = 0;
}
