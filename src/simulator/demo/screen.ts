import { styleText } from 'node:util';

/** Prints steps and a live part: redrawn in place on a terminal, printed only on change elsewhere. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  #live: readonly string[] = [];

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out;
  }

  title(text: string): void {
    this.#live = [];
    this.#out.write(`\n${styleText('bold', text)}\n`);
  }

  line(text = ''): void {
    this.#live = [];
    this.#out.write(`${text}\n`);
  }

  /** Replaces what the last call of `live` drew. */
  live(lines: readonly string[]): void {
    if (lines.join('\n') === this.#live.join('\n')) return;
    if (this.#out.isTTY && this.#live.length > 0) this.#out.write(`\x1b[${this.#live.length}A\x1b[J`);
    // In a log, pictures are set apart, progress lines are not.
    else if (this.#live.length > 0 && lines.length > 1) this.#out.write('\n');
    this.#out.write(`${lines.join('\n')}\n`);
    this.#live = lines;
  }
}
