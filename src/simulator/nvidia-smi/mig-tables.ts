/** Frames of the `nvidia-smi mig` tables: drivers 550 print them with these exact widths. */
export interface MigTable {
  readonly width: number;
  /** Lines between the upper frame and the double line, without the bars. */
  readonly head: readonly string[];
}

export const GI_PROFILE_TABLE: MigTable = {
  width: 77,
  head: [
    ' GPU instance profiles:',
    ' GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC',
    '                              Free/Total   GiB              CE    JPEG  OFA',
  ],
};

export const GI_TABLE: MigTable = {
  width: 55,
  head: [
    ' GPU instances:',
    ' GPU   Name             Profile  Instance   Placement',
    '                          ID       ID       Start:Size',
  ],
};

export const CI_PROFILE_TABLE: MigTable = {
  width: 86,
  head: [
    ' Compute instance profiles:',
    ' GPU     GPU       Name             Profile  Instances   Exclusive       Shared',
    '       Instance                       ID     Free/Total     SM       DEC   ENC   OFA',
    '         ID                                                          CE    JPEG',
  ],
};

export const CI_TABLE: MigTable = {
  width: 68,
  head: [
    ' Compute instances:',
    ' GPU     GPU       Name             Profile   Instance   Placement',
    '       Instance                       ID        ID       Start:Size',
    '         ID',
  ],
};

/** Upper frame, head and double line. */
export function tableHead(table: MigTable): string {
  const rows = table.head.map((line) => `|${line.padEnd(table.width)}|\n`).join('');
  return `${rule(table)}${rows}|${'='.repeat(table.width)}|\n`;
}

/** One entry: its lines, and the rule below. */
export function tableEntry(table: MigTable, lines: readonly string[]): string {
  return lines.map((line) => `|${line.padEnd(table.width)}|\n`).join('') + rule(table);
}

function rule(table: MigTable): string {
  return `+${'-'.repeat(table.width)}+\n`;
}
