import { styleText } from 'node:util';

/** In a log, pictures of what changes all the time are at least this far apart, in ms. */
const logMs = 10_000;

/** Prints steps and a live part: redrawn in place on a terminal; elsewhere its first and its last picture, and a few between. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #now: () => number;
  #live: readonly string[] = [];
  #isPrinted = true;
  #printedAt = -Infinity;

  constructor(out: NodeJS.WriteStream = process.stdout, now: () => number = Date.now) {
    this.#out = out;
    this.#now = now;
  }

  title(text: string): void {
    this.#endLive();
    this.#out.write(`\n${styleText('bold', text)}\n`);
  }

  line(text = ''): void {
    this.#endLive();
    this.#out.write(`${text}\n`);
  }

  /** Replaces what the last call of `live` drew. */
  live(lines: readonly string[]): void {
    if (lines.join('\n') === this.#live.join('\n')) return;
    const before = this.#live;
    this.#live = lines;
    this.#isPrinted = false;
    if (this.#out.isTTY && before.length > 0) this.#out.write(`\x1b[${before.length}A\x1b[J`);
    // Lines of progress are few.
    const isDue = before.length === 0 || lines.length === 1 || this.#now() - this.#printedAt >= logMs;
    if (!this.#out.isTTY && !isDue) return;
    // In a log, pictures are set apart, progress lines are not.
    this.#printLive(!this.#out.isTTY && before.length > 0 && lines.length > 1);
  }

  #printLive(isApart: boolean): void {
    this.#out.write(`${isApart ? '\n' : ''}${this.#live.join('\n')}\n`);
    this.#isPrinted = true;
    this.#printedAt = this.#now();
  }

  #endLive(): void {
    if (!this.#isPrinted) this.#printLive(true);
    this.#live = [];
  }
}
