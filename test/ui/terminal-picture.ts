import type { Line, Tone } from '../../src/core/view/lines.ts';

/** As a dark terminal shows the colours of src/cli/terminal.ts. */
const colours: Readonly<Record<Tone, string>> = {
  plain: '#d4d4d4',
  title: '#ffffff',
  good: '#63c779',
  warn: '#e2b53e',
  bad: '#ff7a6e',
  dim: '#8b949e',
  used: '#e2b53e',
  free: '#63c779',
  going: '#ff7a6e',
  coming: '#56c8d8',
};
const [charWidth, lineHeight, edge] = [8.4, 19, 14];

/** Lines on a terminal as an SVG, for pages where there is no terminal. */
export function drawTerminal(command: string, lines: readonly Line[], columns: number): string {
  const all: readonly Line[] = [[{ text: `$ ${command}`, tone: 'plain' }], ...lines];
  const width = Math.ceil(columns * charWidth + 2 * edge);
  const height = Math.ceil(all.length * lineHeight + 2 * edge);
  const rows = all.map((line, at) => drawRow(line, edge + (at + 0.75) * lineHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(command)} in a terminal">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#15181c"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...rows.flat(),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Each word in its columns, whatever the font. */
function drawRow(line: Line, y: number): readonly string[] {
  let column = 0;
  return line.flatMap(({ text, tone }) => {
    const start = column;
    column += text.length;
    const bold = tone === 'title' ? ' font-weight="700"' : '';
    return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => {
      const x = edge + (start + index) * charWidth;
      const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(word.length * charWidth).toFixed(1)}"`;
      return `<text ${place} fill="${colours[tone]}"${bold}>${escape(word)}</text>`;
    });
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
