// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for the rows of the tables of `nvidia-smi mig`.
import {
  contradict,
  explainFailure,
  isCompleted,
  refuseOutput,
  type Execution,
  classifyOutput,
  dropNotices,
} from './command.ts';
import { readCount, isBusId, normalizeBusId, isProduct } from './command.ts';
import { type Engines, type Geometry, type Profile, findModel } from '../gpu/geometry.ts';
import { DeviceError, type GpuState, type GpuFault } from '../gpu/device-state.ts';
import { isProfileNameError, parseProfile, computeInstanceSlices } from '../gpu/profiles.ts';

/** A row of `nvidia-smi mig -lgi`. */
export interface InstanceRow {
  readonly gpuIndex: number;
  readonly profile: string;
  readonly profileId: number;
  readonly id: number;
  readonly start: number;
  readonly size: number;
}

/** A row of `nvidia-smi mig -lci`; start and size in the driver's own units, 0:0 with drivers before 470, which do not list them. */
export interface ComputeInstanceRow extends InstanceRow {
  readonly instance: number;
}

/**
 * Reads `-lgi`.
 * @throws DeviceError unless the output is a whole table or states in the exact words that there is none; Unstable if its rows
 * cannot all be true
 */
export function parseInstances(tried: string, execution: Execution): readonly InstanceRow[] {
  if (saysNone(execution)) return [];
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  const rows = readRows(tried, execution.stdout, isInstanceProfile);
  const instances = rows.map(({ numbers: [gpuIndex, profileId, id], ...row }) => ({ ...row, gpuIndex, profileId, id }));
  const impossible = findImpossible(instances);
  if (impossible !== undefined) throw contradict(tried, impossible);
  return instances;
}

/** Reads `-lci`; like {@link parseInstances}. */
export function parseComputeInstances(tried: string, execution: Execution): readonly ComputeInstanceRow[] {
  if (saysNone(execution)) return [];
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  const rows = readRows(tried, execution.stdout, isComputeProfile, 'optional');
  const parts = rows.map(({ numbers: [gpuIndex, instance, profileId, id], ...row }) => {
    if (id === undefined) throw refuseOutput(tried, 'a row with too few numbers', execution.stdout);
    return { ...row, gpuIndex, instance, profileId, id };
  });
  const impossible = findImpossibleParts(parts);
  if (impossible !== undefined) throw contradict(tried, impossible);
  return parts;
}

/** True if a command for GPU instances or their profiles found no GPU with MIG mode on. */
export function saysMigOff(execution: Execution): boolean {
  return saysOnly(execution, /^No MIG-enabled devices found\.$/);
}

/** Whether an answer means that there is nothing. Only these words do: after any other failure the state is unknown. */
function saysNone(execution: Execution): boolean {
  return saysMigOff(execution) || saysOnly(execution, /^No (?:GPU|compute) instances found: Not Found$/);
}

interface Row {
  readonly profile: string;
  readonly start: number;
  readonly size: number;
  /** Decimal cells from left to right, at least three. */
  readonly numbers: readonly [number, number, number, ...number[]];
}

/** Reads the rows of either table: both differ only in how many ids precede the name; columns that later drivers add are skipped by name. */
function readRows(
  tried: string,
  output: string,
  isProfile: (name: string) => boolean,
  placement?: 'optional',
): readonly Row[] {
  const table = readTable(tried, output, 1);
  const columns = findColumns(tried, table, output);
  const name = columns.indexOf('Name');
  const place = columns.indexOf('Placement');
  const ids = columns.flatMap((column, at) => (['GPU', 'Profile', 'Instance'].includes(column) ? [at] : []));
  return table.rows.map((cells) => {
    if (cells.length !== columns.length) throw refuseOutput(tried, 'a row with other cells than the header', output);
    const profile = cells[name];
    const text = place === -1 && placement === 'optional' ? '0:0' : (cells[place] ?? '');
    const [, start, size] = /^(\d{1,2}):(\d{1,2})$/.exec(text) ?? [];
    const [first, second, third, ...rest] = ids.flatMap((at) => readCount(cells[at], 4) ?? []);
    const isNamed = profile !== undefined && isProfile(profile) && start !== undefined;
    if (
      !isNamed ||
      first === undefined ||
      second === undefined ||
      third === undefined ||
      rest.length !== ids.length - 3
    )
      throw refuseOutput(tried, 'a row without its profile, ids or placement', output);
    return { profile, start: Number(start), size: Number(size), numbers: [first, second, third, ...rest] };
  });
}

/** A profile of `nvidia-smi mig -lgip`. Free counts are not read: with MIG off they are meaningless. */
export interface ListedProfile {
  readonly gpuIndex: number;
  readonly name: string;
  readonly id: number;
  readonly maxInstances: number;
  /** Memory as printed, in GiB with two decimals: `9.62` means 9856 MiB. */
  readonly memoryGib: string;
  readonly multiprocessors: number;
  readonly engines: Engines;
}

/** A line of `nvidia-smi mig -lgipp`. */
export interface PlacementRow {
  readonly gpuIndex: number;
  readonly profileId: number;
  readonly starts: readonly number[];
  readonly size: number;
}

/**
 * True for the two ways in which a driver shows no profile of a GPU whose MIG mode is off: `No MIG-enabled devices found.` (recorded of
 * 470, 525 and 535), and a refusal (`Not Supported`).
 */
export function hidesProfiles(execution: Execution): boolean {
  return saysMigOff(execution) || (execution.rc !== 0 && classifyOutput(execution) === 'NotSupported');
}

/** Reads `-lgip`: two rows per profile, columns by name. @throws DeviceError; Unstable if MIG mode is off, which hides them */
export function parseProfiles(tried: string, execution: Execution): readonly ListedProfile[] {
  demandMigOn(tried, execution);
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  const { stdout } = execution;
  const table = readTable(tried, stdout, 2);
  const columns = findColumns(tried, table, stdout);
  const below = findColumnsBelow(table);
  const rows: ListedProfile[] = [];
  for (let at = 0; at < table.rows.length; at += 2) {
    const [upper = [], lower = []] = table.rows.slice(at, at + 2);
    if (upper.length !== columns.length || lower.length !== below.length)
      throw refuseOutput(tried, 'a profile with other cells than the header', stdout);
    const names = [...columns, ...below];
    const cells = new Map([...upper, ...lower].map((value, index) => [names[index], value]));
    const cell = (name: string): string => cells.get(name) ?? refuse(tried, `no column ${name}`, stdout);
    const count = (name: string): number => readCount(cell(name), 5) ?? refuse(tried, `no number in ${name}`, stdout);
    const total = /^\d+\/(\d+)$/.exec(cell('Instances'))?.[1];
    if (!isInstanceProfile(cell('Name'))) refuse(tried, 'a profile without its name', stdout);
    if (!/^\d{1,4}\.\d\d$/.test(cell('Memory'))) refuse(tried, 'a profile without its memory', stdout);
    rows.push({
      gpuIndex: count('GPU'),
      name: cell('Name'),
      id: count('ID'),
      maxInstances: readCount(total, 5) ?? refuse(tried, 'no total of instances', stdout),
      memoryGib: cell('Memory'),
      multiprocessors: count('SM'),
      engines: {
        copy: count('CE'),
        decoder: count('DEC'),
        encoder: count('ENC'),
        jpeg: count('JPEG'),
        ofa: count('OFA'),
      },
    });
  }
  return rows;
}

/** Reads `-lgipp`: `GPU  0 Profile ID 19 Placements: {0,1,2}:1`, singular `Placement : {0}:8`. @throws DeviceError; Unstable as above */
export function parsePlacements(tried: string, execution: Execution): readonly PlacementRow[] {
  demandMigOn(tried, execution);
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  return dropNotices(execution.stdout)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const match =
        /^\s*GPU\s+(\d+)\s+Profile ID\s+(\d+)\s+Placements?\s*:\s*\{((?:\d{1,2}(?:,\d{1,2})*)?)\}:(\d{1,2})\s*$/.exec(
          line,
        );
      if (match === null) return refuse(tried, 'a line that is not a placement', execution.stdout);
      const [, gpuIndex, profileId, starts = '', size] = match;
      return {
        gpuIndex: Number(gpuIndex),
        profileId: Number(profileId),
        starts: starts === '' ? [] : starts.split(',').map(Number),
        size: Number(size),
      };
    });
}

/** Demands that MIG mode is on. Whoever did not expect it to be off has an older reading: the device is read once more. @throws DeviceError Unstable */
function demandMigOn(tried: string, execution: Execution): void {
  if (saysMigOff(execution)) throw contradict(tried, 'no GPU with MIG mode on');
}

/** A compute instance profile of one GPU instance (`-lcip`). */
export interface ComputeProfileRow {
  readonly name: string;
  readonly id: number;
  readonly multiprocessors: number;
}

/**
 * Reads `-lcip` of one GPU instance.
 * @throws DeviceError; Unstable if the instance, or MIG mode with it, has gone since the GPU was read: the others can proceed
 */
export function parseComputeProfiles(tried: string, execution: Execution): readonly ComputeProfileRow[] {
  if (saysNone(execution))
    throw new DeviceError('Unstable', { tried, found: `the GPU instance is gone: ${execution.stdout.trim()}` });
  if (!isCompleted(execution)) throw explainFailure(tried, execution);
  const { rows } = readTable(tried, execution.stdout, 2);
  // The header spans several lines and columns (`Exclusive SM`); the upper row of a profile has its id.
  return rows
    .filter((_, at) => at % 2 === 0)
    .map((cells) => {
      const [, , name, id = '', total = '', multiprocessors] = cells;
      const numbers = [readCount(id.replace(/\*$/, ''), 5), readCount(multiprocessors, 5)] as const;
      if (name === undefined || !isComputeProfile(name) || !/^\d+\/\d+$/.test(total))
        return refuse(tried, 'a profile without its name or total', execution.stdout);
      if (numbers[0] === undefined || numbers[1] === undefined)
        return refuse(tried, 'a profile without its id', execution.stdout);
      return { name, id: numbers[0], multiprocessors: numbers[1] };
    });
}

/** `Free/Total` and `GiB` are units of the columns above, not columns of the second row. */
function findColumnsBelow(table: SmiTable): readonly string[] {
  const line = table.headers.find((cells) => cells.includes('CE')) ?? [];
  return line.filter((cell) => cell !== 'Free/Total' && cell !== 'GiB');
}

function refuse(tried: string, why: string, output: string): never {
  throw refuseOutput(tried, why, output);
}

/** The geometry of one GPU from the driver's tables. What nvidia-smi never prints comes from the built-in table, if it has the product. */
export function buildGeometry(
  product: string,
  profiles: readonly ListedProfile[],
  placements: readonly PlacementRow[],
): Geometry {
  const builtIn = findModel(product);
  const known = profiles.flatMap((row): readonly Profile[] => {
    const parsed = parseProfile(row.name);
    // A name outside the grammar cannot be requested; an instance of it counts as foreign.
    if (isProfileNameError(parsed)) return [];
    const place = placements.find(({ profileId }) => profileId === row.id);
    const { gpuIndex: _index, memoryGib, ...facts } = row;
    const exact = builtIn?.profiles.find(({ name }) => name === row.name)?.memoryMiB;
    return [
      {
        ...facts,
        computeSlices: parsed.gpuSlices,
        memorySlices: place?.size ?? 0,
        starts: place?.starts.toSorted((a, b) => a - b) ?? [],
        ...readMemory(memoryGib, exact),
      },
    ];
  });
  return {
    computeSlices: Math.max(0, ...known.map(({ computeSlices }) => computeSlices)),
    memorySlices: Math.max(0, ...known.map(({ starts, memorySlices }) => Math.max(-1, ...starts) + memorySlices)),
    ...(builtIn?.engines === undefined ? {} : { engines: builtIn.engines }),
    ...(builtIn?.exclusive === undefined ? {} : { exclusive: builtIn.exclusive }),
    profiles: known,
  };
}

/** The driver prints GiB with two decimals; built-in MiB that round to the same value are exact. */
function readMemory(gib: string, exact: number | undefined): Pick<Profile, 'memoryMiB'> {
  if (exact !== undefined && Math.abs(exact / 1024 - Number(gib)) < 0.01) return { memoryMiB: exact };
  const memoryMiB = Math.round(Number(gib) * 1024);
  return Number.isFinite(memoryMiB) ? { memoryMiB } : {};
}

/** Tells whether a table was cut off: both must name the same profiles. Only Thor has profiles without placements. */
export function findTorn(
  gpu: Pick<GpuState, 'product' | 'pciBusId'>,
  profiles: readonly ListedProfile[],
  placements: readonly PlacementRow[],
): DeviceError | undefined {
  if (placements.length === 0 && findModel(gpu.product)?.memorySlices === 0) return undefined;
  const named = profiles.map(({ id }) => id).toSorted((a, b) => a - b);
  const placed = placements.map(({ profileId }) => profileId).toSorted((a, b) => a - b);
  if (named.length > 0 && named.join() === placed.join()) return undefined;
  return new DeviceError('ParseError', {
    tried: 'nvidia-smi mig -lgip and -lgipp',
    found: `profiles ${named.join()} and placements of ${placed.join()}`,
    gpu: gpu.pciBusId,
  });
}

/** Compute capabilities by GPU, undefined for a GPU without one; undefined as a whole if there is no answer. */
export function readCapabilities(
  execution: Execution,
):
  | readonly { readonly pciBusId: string; readonly uuid: string; readonly capability: string | undefined }[]
  | undefined {
  if (!isCompleted(execution)) return undefined;
  return execution.stdout.split('\n').flatMap((line) => {
    const [busId = '', uuid = '', capability = ''] = line.split(',').map((cell) => cell.trim());
    if (!isBusId(busId)) return [];
    return [
      {
        pciBusId: normalizeBusId(busId),
        uuid,
        capability: /^\d+\.\d+$/.test(capability) ? capability : undefined,
      },
    ];
  });
}

/** Whether the driver does not know a field that was asked for: it never will. */
export function rejectsField({ end, stdout }: Execution): boolean {
  return end === 'Exited' && /^Field "\w+" is not a valid field to query/m.test(stdout);
}

export interface ListedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** MIG devices by the index that `-q -x` gives to the same device. */
  readonly migDevices: ReadonlyMap<number, ListedMigDevice>;
}

/** A compute instance; only `-L` has its UUID. */
export interface ListedMigDevice {
  readonly uuid: string;
  /** `3g.20gb`, or `1c.3g.20gb` if it is a part of its GPU instance. */
  readonly profile: string;
}

export interface GpuList {
  readonly gpus: readonly ListedGpu[];
  /** GPUs that the driver cannot open; -L is the only command that still lists the others. */
  readonly lost: readonly { readonly pciBusId: string; readonly fault: GpuFault }[];
}

/** Reads `nvidia-smi -L`. @throws DeviceError */
export function parseGpuList(tried: string, execution: Execution): GpuList {
  const lost = findLostGpus(execution);
  if (saysOnly(execution, /^No devices found\.$/)) return { gpus: [], lost };
  if (!isCompleted(execution) && (execution.end !== 'Exited' || lost.length === 0))
    throw explainFailure(tried, execution);
  const answer = dropNotices(execution.stdout);
  const gpus: (ListedGpu & { readonly migDevices: Map<number, ListedMigDevice> })[] = [];
  for (const line of answer.split('\n')) {
    if (line.trim() === '') continue;
    const gpu = readGpuLine(line);
    const last = gpus.at(-1);
    if (gpu !== undefined) {
      gpus.push(gpu);
      continue;
    }
    const [index, device] = (last && readDeviceLine(line, last.uuid)) ?? [];
    if (last === undefined || index === undefined || device === undefined)
      throw refuseOutput(tried, 'a line that is neither a GPU nor a MIG device', execution.stdout);
    if (last.migDevices.has(index)) throw refuseOutput(tried, `MIG device ${index} twice`, execution.stdout);
    last.migDevices.set(index, device);
  }
  const uuids = gpus.flatMap(({ uuid, migDevices }) => [
    uuid,
    ...[...migDevices.values()].map((device) => device.uuid),
  ]);
  if (new Set([...uuids, ...gpus.map(({ index }) => index)]).size !== uuids.length + gpus.length)
    throw refuseOutput(tried, 'an index or a UUID twice', execution.stdout);
  if (gpus.length === 0 && lost.length === 0) throw refuseOutput(tried, 'no GPU and no word of it', execution.stdout);
  return { gpus, lost };
}

function readGpuLine(line: string): (ListedGpu & { readonly migDevices: Map<number, ListedMigDevice> }) | undefined {
  const [, index, product = '', uuid = ''] = /^GPU (\d{1,3}): (.+) \(UUID: (\S+)\)\s*$/.exec(line) ?? [];
  if (index === undefined || !isProduct(product) || !isGpuUuid(uuid)) return undefined;
  return { index: Number(index), product, uuid, migDevices: new Map() };
}

function readDeviceLine(line: string, gpu: string): readonly [number, ListedMigDevice] | undefined {
  const match = /^\s+MIG (\S+)\s+Device\s+(\d{1,3}): \(UUID: (\S+)\)\s*$/.exec(line);
  const [, profile = '', index, uuid = ''] = match ?? [];
  return match === null || !isComputeProfile(profile) || !isMigUuid(uuid, gpu)
    ? undefined
    : [Number(index), { uuid, profile }];
}

/** `gpu 0000:0F:00.0: GPU is lost.`, `GPU0000:0F:00.0: ...`, and from 610 on `GPU1: 0000:34:00.0: Unknown Error`. */
const handlePattern =
  /^Unable to determine the device handle for gpu\s*(?:\d+: )?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (.*)/i;

/**
 * GPUs that a command could not open, according to its output. Only lines above a report count: below them any program may have
 * such a name.
 */
export function findLostGpus({ stdout, rc, end }: Execution): GpuList['lost'] {
  const [head = ''] = stdout.split('<?xml', 1);
  return head.split('\n').flatMap((line) => {
    const [, busId, message] = handlePattern.exec(line) ?? [];
    if (busId === undefined || message === undefined) return [];
    const code = classifyOutput({ rc, end, stdout: line });
    return [{ pciBusId: normalizeBusId(busId), fault: { code, message: message.trim() } }];
  });
}

/**
 * True if a run said this and nothing else, whatever its exit code: `No MIG-enabled devices found.` ends with 6 on drivers up to 535, and
 * with 0 from 550 on. One that was killed may have had more to say.
 */
function saysOnly({ end, signal, stdout }: Execution, words: RegExp): boolean {
  return end === 'Exited' && signal === undefined && words.test(dropNotices(stdout).trim());
}

/** A table of `nvidia-smi mig`: header cells by line, then rows of cells. `MIG 1g.5gb` is one cell, `1g.5gb`. */
interface SmiTable {
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
function readTable(tried: string, output: string, height: 1 | 2): SmiTable {
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
function findColumns(tried: string, table: SmiTable, output: string): readonly string[] {
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

/** Why rows of `-lgi` cannot all be true; undefined if they can. */
function findImpossible(rows: readonly InstanceRow[]): string | undefined {
  for (const [at, row] of rows.entries()) {
    for (const other of rows.slice(0, at)) {
      if (other.gpuIndex !== row.gpuIndex) continue;
      if (other.id === row.id) return `GPU instance ${row.id} twice`;
      if (other.start < row.start + row.size && row.start < other.start + other.size)
        return `GPU instances ${other.id} and ${row.id} at the same place`;
      if ((other.profileId === row.profileId) !== (other.profile === row.profile))
        return `profile ${row.profileId} is called ${other.profile} and ${row.profile}`;
    }
  }
  return undefined;
}

/** Finds rows of `-lci` that cannot all be true, like {@link findImpossible}. */
function findImpossibleParts(rows: readonly ComputeInstanceRow[]): string | undefined {
  for (const [at, row] of rows.entries()) {
    const others = rows.filter(({ gpuIndex, instance }) => gpuIndex === row.gpuIndex && instance === row.instance);
    if (others.some((other) => other.id === row.id && rows.indexOf(other) < at))
      return `compute instance ${row.id} of GPU instance ${row.instance} twice`;
    const parsed = parseProfile(row.profile);
    if (isProfileNameError(parsed)) continue;
    const slices = others.reduce((sum, { profile }) => sum + computeInstanceSlices(profile, parsed.gpuSlices), 0);
    if (slices > parsed.gpuSlices) return `${slices} slices on GPU instance ${row.instance} (${row.profile})`;
  }
  return undefined;
}

const hex = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const gpuUuid = new RegExp(`^GPU-${hex}$`);

/** Drivers before 470 name a MIG device by its GPU and its ids: `MIG-GPU-…/7/0`. */
const migUuid = new RegExp(`^MIG-(?:${hex}|(GPU-${hex})/\\d{1,3}/\\d{1,3})$`);

/** The list of attributes is open, since drivers add some; what precedes them is not. */
const profileName = /^(?:([1-9])c\.)?([1-9]\d?)g\.\d{1,4}gb(?:[+-][\w.,+-]{1,32})?$/;

/** True for the UUID of a GPU as nvidia-smi spells it. */
export function isGpuUuid(text: string): boolean {
  return gpuUuid.test(text);
}

/** True for the UUID of a MIG device of this GPU. */
export function isMigUuid(text: string, gpu: string): boolean {
  const [match, owner = gpu] = migUuid.exec(text) ?? [];
  return match !== undefined && owner === gpu;
}

/** True for the name of a GPU instance profile: `1g.5gb`, `1g.24gb+me.all`. */
export function isInstanceProfile(text: string): boolean {
  const [match, part] = profileName.exec(text) ?? [];
  return match !== undefined && part === undefined;
}

/** True for the name of a compute instance profile: as above, or a part of it, `1c.3g.20gb`. The whole is never spelled `3c.3g.20gb`. */
export function isComputeProfile(text: string): boolean {
  const [match, part = '0', whole] = profileName.exec(text) ?? [];
  return match !== undefined && Number(part) < Number(whole);
}
