import { dropNotices, refuseOutput } from '../command/output.ts';

/** A table of `nvidia-smi mig`: header cells by line, then rows of cells. `MIG 1g.5gb` is one cell, `1g.5gb`. */
export interface SmiTable {
  readonly headers: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a table by its words, never by positions: widths differ between drivers (79 and 81 columns were seen).
 *
 * @throws DeviceError ParseError if it is no table or is cut off
 */
export function readTable(tried: string, output: string): SmiTable {
  const lines = dropNotices(output)
    .split('\n')
    .map((line) => line.trim());
  const text = lines.filter((line) => line !== '');
  const ruler = text.findIndex((line) => /^\|=+\|$/.test(line));
  if (ruler === -1) throw refuseOutput(tried, 'no table', output);
  if (!isBorder(text[0]) || !isBorder(text.at(-1))) throw refuseOutput(tried, 'a table without its end', output);
  const cells = (from: readonly string[]): readonly (readonly string[])[] =>
    from.filter((line) => !isBorder(line)).map((line) => readCells(tried, line, output));
  return { headers: cells(text.slice(0, ruler)), rows: cells(text.slice(ruler + 1)) };
}

/** The header line that names the columns: the one with `GPU` and `Name`. */
export function findColumns(tried: string, table: SmiTable, output: string): readonly string[] {
  const columns = table.headers.find((line) => line.includes('GPU') && line.includes('Name'));
  if (columns === undefined) throw refuseOutput(tried, 'a table without the columns GPU and Name', output);
  return columns;
}

function isBorder(line: string | undefined): boolean {
  return line !== undefined && /^\+[-+=]+\+$/.test(line);
}

function readCells(tried: string, line: string, output: string): readonly string[] {
  if (!/^\|.*\|$/.test(line)) throw refuseOutput(tried, 'a line that is no row of a table', output);
  const cells = line.split(/[\s|]+/).filter((cell) => cell !== '');
  return cells.filter((cell) => cell !== 'MIG');
}
