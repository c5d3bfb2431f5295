import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/** What a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Folder that relative paths start from. */
  readonly cwd: string;
}

export type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim';

/** Colours a text where the stream is a terminal that shows colours; `NO_COLOR` and `FORCE_COLOR` decide before that. */
export function paint(stream: Writable, style: Style, text: string): string {
  return showsColors(stream) ? styleText(style, text, { validateStream: false }) : text;
}

function showsColors(stream: Writable): boolean {
  return 'hasColors' in stream && typeof stream.hasColors === 'function' && stream.hasColors() === true;
}

/** Writes one line of JSON, indented: for programs, and still readable. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function printLine(stream: Writable, line: string): void {
  stream.write(`${line}\n`);
}
