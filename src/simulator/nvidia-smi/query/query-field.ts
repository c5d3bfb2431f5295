/** A column of a `--query-…` command. */
export interface QueryField<Row> {
  /** Its name in the header. */
  readonly name: string;
  /** All names that select it. */
  readonly names: readonly string[];
  readonly unit?: string;
  /** The value without its unit; {@link NOT_AVAILABLE} and other texts in brackets or names are printed unchanged. */
  readonly read: (row: Row) => string;
}

export const NOT_AVAILABLE = '[N/A]';

export function field<Row>(
  names: readonly [string, ...string[]],
  unit: string | undefined,
  read: (row: Row) => string,
): QueryField<Row> {
  return { name: names[0], names, read, ...(unit === undefined ? {} : { unit }) };
}

/** Output format requested by `--format`. */
export interface CsvFormat {
  readonly header: boolean;
  readonly units: boolean;
}

/** The lines of a query: an optional header, then one line per row. */
export function renderCsv<Row>(fields: readonly QueryField<Row>[], rows: readonly Row[], format: CsvFormat): string {
  const header = fields.map(({ name, unit }) => (unit === undefined || !format.units ? name : `${name} [${unit}]`));
  const body = rows.map((row) => fields.map((column) => cell(column, row, format)).join(', '));
  return [...(format.header ? [header.join(', ')] : []), ...body].map((line) => `${line}\n`).join('');
}

function cell<Row>(column: QueryField<Row>, row: Row, format: CsvFormat): string {
  const value = column.read(row);
  const hasUnit = column.unit !== undefined && format.units && !value.startsWith('[');
  return hasUnit ? `${value} ${column.unit}` : value;
}
