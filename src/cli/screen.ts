import { fitLine, type Line, plainText, type Tone } from '../core/view/line.ts';
import type { Output, Style } from './terminal.ts';

const styles: Readonly<Record<Tone, Style | undefined>> = {
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
