import { contradict, explainFailure, isCompleted, refuseOutput, saysOnly, type Execution } from './output.ts';
import { findImpossible, findImpossibleParts } from './instance-check.ts';
import { isComputeProfile, isInstanceProfile, readCount } from './spelling.ts';
import { findColumns, readTable } from './table.ts';

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

/** Only these words mean that there is nothing: after any other failure the state is unknown. */
export function saysNone(execution: Execution): boolean {
  return saysMigOff(execution) || saysOnly(execution, /^No (?:GPU|compute) instances found: Not Found$/);
}

interface Row {
  readonly profile: string;
  readonly start: number;
  readonly size: number;
  /** Decimal cells from left to right, at least three. */
  readonly numbers: readonly [number, number, number, ...number[]];
}

/** Both tables differ only in how many ids precede the name; columns that later drivers add are skipped by name. */
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
