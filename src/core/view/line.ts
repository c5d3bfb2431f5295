/** What a piece of text means; a terminal gives each its colour. */
export type Tone = 'plain' | 'title' | 'good' | 'warn' | 'bad' | 'dim' | 'used' | 'free' | 'going' | 'coming';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One line on a screen. */
export type Line = readonly Span[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Width of a text in columns; names and messages here have no double-width characters. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

/** The line as a terminal of so many columns shows it: cut off with `…` if it is too long. What draws lines leaves them whole. */
export function fitLine(line: Line, columns: number): Line {
  let left = columns;
  const fitted: Span[] = [];
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

function trimEnd(line: readonly Span[]): Line {
  const last = line.at(-1);
  if (!last) return line;
  const text = last.text.trimEnd();
  if (text === last.text) return line;
  const rest = line.slice(0, -1);
  return text === '' ? trimEnd(rest) : [...rest, { ...last, text }];
}

/** Rows under a header, each column as wide as its widest cell. */
export function drawTable(header: readonly string[], rows: readonly (readonly Span[])[]): readonly Line[] {
  const all = [header.map((text) => span(text, 'dim')), ...rows];
  const widths = header.map((_, at) => Math.max(...all.map((row) => widthOf(row[at]?.text ?? ''))));
  return all.map((row) =>
    row.flatMap(({ text, tone }, at) => {
      const gap = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - widthOf(text) + 2);
      return [{ text, tone }, span(gap)];
    }),
  );
}
