import type { Engines } from '../gpu/geometry/geometry.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import { saysMigOff, saysNone } from './instance-table.ts';
import {
  classifyOutput,
  contradict,
  dropNotices,
  explainFailure,
  isCompleted,
  refuseOutput,
  type Execution,
} from './output.ts';
import { isComputeProfile, isInstanceProfile, readCount } from './spelling.ts';
import { findColumns, readTable, type SmiTable } from './table.ts';

/** A profile of `nvidia-smi mig -lgip`. Free counts are not read: with MIG off they are meaningless. */
export interface ListedProfile {
  readonly gpuIndex: number;
  readonly name: string;
  readonly id: number;
  readonly maxInstances: number;
  /** As printed, in GiB with two decimals: `9.62` means 9856 MiB. */
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

/** Whoever did not expect MIG mode to be off has an older reading: the device is read once more. */
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
