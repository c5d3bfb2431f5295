import { ciProfilesOf, nameCi, findGiProfile, listGiProfiles } from './board.ts';
import { exitWith } from './options.ts';
import { type SimulatedGpu, countFreeGpuInstances, freeStarts } from './device.ts';
import { attempt, NVML, NvmlFailure } from './nvml-code.ts';
import type { Nvml } from './nvml.ts';
import type { World } from './world.ts';

/** Ids in sentences are printed `%2u`. */
export function pad(id: number): string {
  return String(id).padStart(2);
}

/** Frames of the `nvidia-smi mig` tables: 550 drivers print them with these exact widths. */
interface MigTable {
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
function fitTable(table: MigTable, rows: readonly { readonly name: string }[]): MigTable {
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

const GI_PROFILE_TABLE: MigTable = {
  nameColumn: 10,
  nameWidth: 13,
  width: 77,
  head: [
    ' GPU instance profiles:',
    ' GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC',
    '                              Free/Total   GiB              CE    JPEG  OFA',
  ],
};

const GI_TABLE: MigTable = {
  nameColumn: 10,
  nameWidth: 14,
  width: 55,
  head: [
    ' GPU instances:',
    ' GPU   Name             Profile  Instance   Placement',
    '                          ID       ID       Start:Size',
  ],
};

const CI_PROFILE_TABLE: MigTable = {
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

const CI_TABLE: MigTable = {
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
function tableHead(table: MigTable): string {
  const rows = table.head.map((line) => `|${line.padEnd(table.width)}|\n`).join('');
  return `${rule(table)}${rows}|${'='.repeat(table.width)}|\n`;
}

/** Draws an entry: its lines, and the rule below them. */
function tableEntry(table: MigTable, lines: readonly string[]): string {
  return lines.map((line) => `|${line.padEnd(table.width)}|\n`).join('') + rule(table);
}

function rule(table: MigTable): string {
  return `+${'-'.repeat(table.width)}+\n`;
}

/** What an action is restricted to: MIG-enabled GPUs, GPU instance ids, compute instance ids. */
export interface InstanceScope {
  readonly gpus: readonly SimulatedGpu[];
  readonly gi: (id: number) => boolean;
  readonly ci: (id: number) => boolean;
}

/** GPU instances in scope, GPU by GPU. Ends the command if there are none or they cannot be listed. */
export function findGpuInstances(nvml: Nvml, scope: InstanceScope) {
  const found = scope.gpus.flatMap((gpu) =>
    tryList(() => nvml.getGpuInstances(gpu), 'No GPU instances found')
      .filter((gi) => scope.gi(gi.id))
      .map((gi) => ({ gpu, gi })),
  );
  return found.length > 0 ? found : exitWith(NVML.notFound, 'No GPU instances found: Not Found\n');
}

/** Compute instances in scope, in the order of -lcip within a GPU instance. Ends the command if there are none. */
export function findComputeInstances(nvml: Nvml, scope: InstanceScope) {
  const found = findGpuInstances(nvml, scope).flatMap(({ gpu, gi }) =>
    ciProfilesOf(gpu, gi)
      .flatMap(({ id }) => gi.computeInstances.filter(({ profileId }) => profileId === id))
      .filter((ci) => scope.ci(ci.id))
      .map((ci) => ({ gpu, gi, ci })),
  );
  return found.length > 0 ? found : exitWith(NVML.notFound, 'No compute instances found: Not Found\n');
}

/** Runs a call; if it fails, prints `what: reason` and ends the command. */
export function tryList<T>(call: () => T, what: string): T {
  const result = attempt(call);
  return result instanceof NvmlFailure ? exitWith(result.exitCode, `${what}: ${result.message}\n`) : result;
}

/**
 * Reads `-gi` or `-ci` as nvidia-smi does: leading digits of each member count (`11-13`, `11abc` and `+11` all mean 11, `0xB` means 0),
 * members without digits are ignored. Undefined (option not given) matches every id; an empty list matches none.
 */
export function parseIdFilter(text: string | undefined): (id: number) => boolean {
  if (text === undefined) return () => true;
  const ids = text.split(',').flatMap((member) => {
    const digits = /^\s*\+?(\d+)/.exec(member)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return (id) => ids.includes(id);
}

/** A member of `-cgi` or `-cci`: a profile by id or name, and a start if one could be read. */
export interface ProfileTuple {
  /** The member as typed, for messages. */
  readonly text: string;
  readonly profile: string;
  readonly start?: number;
}

/** Splits `19:2,MIG 1g.5gb, 14`. An unreadable start (`19:x`, `19:`, `19:-1`) is silently dropped. */
export function parseProfileTuples(text: string): readonly ProfileTuple[] {
  return text.split(',').flatMap((member) => {
    const trimmed = member.trimStart();
    if (trimmed === '') return [];
    const colon = trimmed.indexOf(':');
    const profile = colon < 0 ? trimmed : trimmed.slice(0, colon);
    const start = colon < 0 ? undefined : /^\d+/.exec(trimmed.slice(colon + 1))?.[0];
    return [{ text: trimmed, profile, ...(start === undefined ? {} : { start: Number(start) }) }];
  });
}

/** Finds a profile by id (`19`, `019`) or name (`1g.5gb`, `MIG 1g.5gb`); names are case-sensitive. */
export function findByIdOrName<T extends { readonly id: number; readonly name: string }>(
  profiles: readonly T[],
  wanted: string,
): T | undefined {
  const id = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const name = wanted.startsWith('MIG ') ? wanted.slice('MIG '.length) : wanted;
  return profiles.find((profile) => profile.id === id || profile.name === name);
}

/** `-lgip`. The header comes before the first call, so that it is printed even if that fails. */
export function listProfiles(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  const named = gpus.flatMap((gpu) => listGiProfiles(gpu.board));
  const table = fitTable(GI_PROFILE_TABLE, named);
  world.print(tableHead(table));
  for (const gpu of gpus) {
    for (const profile of tryList(() => nvml.getGiProfiles(gpu), 'Failed to display GPU instance profiles')) {
      const { engines } = profile;
      const name = profile.name.padEnd(table.nameWidth) + String(profile.id).padStart(3);
      const free = countFreeGpuInstances(gpu, world.readState(), profile);
      const counts = `${free}/${profile.maxInstances}`.padEnd(11);
      // Two decimals of half-even rounding, as printf does: 9856 MiB are 9.62 GiB.
      const gib = roundHalfEven(profile.memoryMiB / 1024).padEnd(11);
      const rows = [
        `${index(gpu)}  MIG ${name}     ${counts}${gib}No     ${cell(profile.multiprocessors, 7)}${cell(engines.decoder, 6)}${engines.encoder}`,
        `${' '.repeat(table.width - 16)}${cell(engines.copy, 6)}${cell(engines.jpeg, 6)}${engines.ofa}`,
      ];
      world.print(tableEntry(table, rows));
    }
  }
}

/** `-lgipp`: occupied placements stay in the list. */
export function listPlacements(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  for (const gpu of gpus) {
    const profiles = tryList(() => nvml.getGiProfiles(gpu), 'Failed to display GPU instance placements');
    for (const profile of profiles) world.print(placementLine(`GPU ${pad(gpu.index)}`, profile));
  }
}

/** `-lgi`. It ignores `-gi`. */
export function listGpuInstances(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  const found = gpus.flatMap((gpu) => {
    const instances = tryList(() => nvml.getGpuInstances(gpu), 'Failed to display GPU instances');
    return instances.map((gi) => ({ gpu, gi, name: findGiProfile(gpu.board, gi.profileId)?.name ?? 'unknown' }));
  });
  if (found.length === 0) exitWith(NVML.notFound, 'No GPU instances found: Not Found\n');
  printTable(world, GI_TABLE, found, ({ nameWidth }, { gpu, gi, name }) => {
    const ids = `${String(gi.profileId).padStart(4)}${String(gi.id).padStart(9)}`;
    return [`${index(gpu)}  MIG ${name.padEnd(nameWidth)}${ids}          ${gi.start}:${gi.size}`];
  });
}

/** `-lcip`. */
export function listComputeProfiles(world: World, nvml: Nvml, scope: InstanceScope): void {
  const found = findGpuInstances(nvml, scope).flatMap(({ gpu, gi }) => {
    const owner = findGiProfile(gpu.board, gi.profileId);
    return owner === undefined
      ? []
      : ciProfilesOf(gpu, gi).map((profile) => {
          return { gpu, gi, engines: owner.engines, profile, name: nameCi(profile, nvml.driver) };
        });
  });
  printTable(world, CI_PROFILE_TABLE, found, ({ nameWidth, width }, { gpu, gi, engines, profile }) => {
    const counts = `${freeStarts(profile, gi.computeInstances).length}/${profile.starts.length}`;
    const mark = profile.isDefault ? '*' : ' ';
    const name = `${nameCi(profile, nvml.driver).padEnd(nameWidth)}${String(profile.id).padStart(3)}${mark}`;
    return [
      `${index(gpu, gi)}       MIG ${name}     ${counts}           ${cell(profile.multiprocessors, 10)}${cell(engines.decoder, 6)}${cell(engines.encoder, 6)}${engines.ofa}`,
      `${' '.repeat(width - 16)}${cell(engines.copy, 6)}${engines.jpeg}`,
    ];
  });
}

/** `-lcipp`, by profile id. */
export function listComputePlacements(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi } of findGpuInstances(nvml, scope)) {
    const head = `GPU ${pad(gpu.index)} GI ${pad(gi.id)}`;
    const profiles = ciProfilesOf(gpu, gi).toSorted((a, b) => a.id - b.id);
    for (const profile of profiles) world.print(placementLine(head, profile));
  }
}

/** `-lci`. */
export function listComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  const found = findComputeInstances(nvml, scope).map(({ gpu, gi, ci }) => {
    const profile = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId);
    return { gpu, gi, ci, name: profile === undefined ? 'unknown' : nameCi(profile, nvml.driver) };
  });
  printTable(world, CI_TABLE, found, ({ nameWidth }, { gpu, gi, ci, name }) => {
    const ids = `${String(ci.profileId).padStart(3)}${String(ci.id).padStart(10)}`;
    return [`${index(gpu, gi)}       MIG ${name.padEnd(nameWidth)}${ids}          ${ci.start}:${ci.size}`];
  });
}

function printTable<T extends { readonly name: string }>(
  world: World,
  template: MigTable,
  items: readonly T[],
  rowsOf: (table: MigTable, item: T) => readonly string[],
): void {
  const table = fitTable(template, items);
  world.print(tableHead(table) + items.map((item) => tableEntry(table, rowsOf(table, item))).join(''));
}

/** `GPU  0 Profile ID 19 Placements: {0,1,2}:1`, in the singular `Placement : {0}:8`. */
function placementLine(
  head: string,
  { id, starts, size }: { readonly id: number; readonly starts: readonly number[]; readonly size: number },
): string {
  const word = starts.length === 1 ? 'Placement ' : 'Placements';
  return `${head} Profile ID ${pad(id)} ${word}: {${starts.join(',')}}:${size}\n`;
}

/** The first columns of a row: the GPU, and its GPU instance if the row is about what is in it. */
function index(gpu: { readonly index: number }, gi?: { readonly id: number }): string {
  return String(gpu.index).padStart(4) + (gi === undefined ? '' : String(gi.id).padStart(7));
}

function cell(value: number, width: number): string {
  return String(value).padEnd(width);
}

function roundHalfEven(value: number): string {
  const hundredths = value * 100;
  const below = Math.floor(hundredths);
  const rest = hundredths - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
  return (rounded / 100).toFixed(2);
}
