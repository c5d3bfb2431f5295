import { dropNotices, refuseOutput } from './output.ts';

/** A table of `nvidia-smi mig`: header cells by line, then rows of cells. `MIG 1g.5gb` is one cell, `1g.5gb`. */
export interface SmiTable {
  readonly headers: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a table by its words, never by positions: widths differ between drivers (79 and 81 columns were seen). Every driver draws
 * the same line above the table and below each entry, and never an empty table: a sentence then states that there are no entries.
 *
 * @param height number of lines per entry
 * @throws DeviceError ParseError if it is not a table, or not a whole one
 */
export function readTable(tried: string, output: string, height: 1 | 2): SmiTable {
  const text = dropNotices(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ruler = text.findIndex((line) => /^\|=+\|$/.test(line));
  if (ruler === -1) throw refuseOutput(tried, 'no table', output);
  const [border = ''] = text;
  const headers = text.slice(1, ruler);
  const entries = text.slice(ruler + 1);
  if (!isBorder(border) || border.length !== text[ruler]?.length || headers.some(isBorder))
    throw refuseOutput(tried, 'a table without its head', output);
  const isDrawn = entries.every((line, at) => ((at + 1) % (height + 1) === 0 ? line === border : !isBorder(line)));
  if (!isDrawn || entries.length === 0 || entries.length % (height + 1) !== 0)
    throw refuseOutput(tried, 'a table without its end, or with a line too many or too few', output);
  const cells = (lines: readonly string[]): readonly (readonly string[])[] =>
    lines.filter((line) => line !== border).map((line) => readCells(tried, line, output));
  return { headers: cells(headers), rows: cells(entries) };
}

/** The header line with the column names: the one with `GPU` and `Name`. */
export function findColumns(tried: string, table: SmiTable, output: string): readonly string[] {
  const columns = table.headers.find((line) => line.includes('GPU') && line.includes('Name'));
  if (columns === undefined) throw refuseOutput(tried, 'a table without the columns GPU and Name', output);
  return columns;
}

function isBorder(line: string): boolean {
  return /^\+[-+=]+\+$/.test(line);
}

function readCells(tried: string, line: string, output: string): readonly string[] {
  if (!/^\|.*\|$/.test(line)) throw refuseOutput(tried, 'a line that is not a row of a table', output);
  const cells = line.split(/[\s|]+/).filter((cell) => cell !== '');
  return cells.filter((cell) => cell !== 'MIG');
}
