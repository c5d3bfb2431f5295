/** Ids in sentences are printed `%2u`. */
export function pad(id: number): string {
  return String(id).padStart(2);
}

/** Frames of the `nvidia-smi mig` tables: 550 drivers print them with these exact widths. */
export interface MigTable {
  readonly width: number;
  /** Lines between the top frame and the double line, without the bars. */
  readonly head: readonly string[];
  /** Column where the names start, and their maximum width. */
  readonly nameColumn: number;
  readonly nameWidth: number;
}

/**
 * The table with room for the longest name of the rows. Drivers that know names as long as `1g.24gb+me.all` print wider tables
 * (81 columns instead of 79 were seen); the position of the blanks is our choice.
 */
export function fitTable(table: MigTable, rows: readonly { readonly name: string }[]): MigTable {
  const extra = Math.max(0, ...rows.map(({ name }) => name.length + 1 - table.nameWidth));
  const end = table.nameColumn + table.nameWidth;
  const widen = (line: string): string =>
    line.length <= end ? line : line.slice(0, end) + ' '.repeat(extra) + line.slice(end);
  return {
    ...table,
    width: table.width + extra,
    head: table.head.map(widen),
    nameWidth: table.nameWidth + extra,
  };
}

export const GI_PROFILE_TABLE: MigTable = {
  nameColumn: 10,
  nameWidth: 13,
  width: 77,
  head: [
    ' GPU instance profiles:',
    ' GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC',
    '                              Free/Total   GiB              CE    JPEG  OFA',
  ],
};

export const GI_TABLE: MigTable = {
  nameColumn: 10,
  nameWidth: 14,
  width: 55,
  head: [
    ' GPU instances:',
    ' GPU   Name             Profile  Instance   Placement',
    '                          ID       ID       Start:Size',
  ],
};

export const CI_PROFILE_TABLE: MigTable = {
  nameColumn: 22,
  nameWidth: 15,
  width: 86,
  head: [
    ' Compute instance profiles:',
    ' GPU     GPU       Name             Profile  Instances   Exclusive       Shared',
    '       Instance                       ID     Free/Total     SM       DEC   ENC   OFA',
    '         ID                                                          CE    JPEG',
  ],
};

export const CI_TABLE: MigTable = {
  nameColumn: 22,
  nameWidth: 15,
  width: 68,
  head: [
    ' Compute instances:',
    ' GPU     GPU       Name             Profile   Instance   Placement',
    '       Instance                       ID        ID       Start:Size',
    '         ID',
  ],
};

/** Top frame, header and double line. */
export function tableHead(table: MigTable): string {
  const rows = table.head.map((line) => `|${line.padEnd(table.width)}|\n`).join('');
  return `${rule(table)}${rows}|${'='.repeat(table.width)}|\n`;
}

/** One entry: its lines, and the rule below them. */
export function tableEntry(table: MigTable, lines: readonly string[]): string {
  return lines.map((line) => `|${line.padEnd(table.width)}|\n`).join('') + rule(table);
}

function rule(table: MigTable): string {
  return `+${'-'.repeat(table.width)}+\n`;
}
