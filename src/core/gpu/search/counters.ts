import { ENGINE_KINDS, type Grid } from './grid.ts';
import type { RefusalCode, ScarceResource } from './refusal.ts';

/** A counter that a layout exceeds. */
export interface Shortage {
  readonly code: RefusalCode;
  readonly resource: ScarceResource;
  readonly needed: number;
  readonly available: number;
  /** Profile with too many instances, for the resource `Instances`. */
  readonly profile?: number;
}

const ENGINE_RESOURCES = {
  copy: 'CopyEngines',
  decoder: 'Decoders',
  encoder: 'Encoders',
  jpeg: 'JpegEngines',
  ofa: 'OpticalFlowEngines',
} as const satisfies Record<(typeof ENGINE_KINDS)[number], ScarceResource>;

/**
 * The first counter that the instances exceed, wherever they are placed: memory slices, compute slices, instances of a profile,
 * engines, mutually exclusive profiles. For every model of the built-in table an empty GPU holds exactly what the counters allow.
 */
export function findShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  return (
    findSliceShortage(grid, totals) ??
    findInstanceShortage(grid, totals) ??
    findEngineShortage(grid, totals) ??
    findExclusion(grid, totals)
  );
}

function findSliceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  const memory = sum(totals, (index) => grid.profiles[index]?.memorySlices ?? 0);
  if (memory > grid.geometry.memorySlices)
    return {
      code: 'NotEnoughMemorySlices',
      resource: 'MemorySlices',
      needed: memory,
      available: grid.geometry.memorySlices,
    };
  const compute = sum(totals, (index) => grid.profiles[index]?.computeSlices ?? 0);
  if (compute > grid.geometry.computeSlices)
    return {
      code: 'NotEnoughComputeSlices',
      resource: 'ComputeSlices',
      needed: compute,
      available: grid.geometry.computeSlices,
    };
  return undefined;
}

function findInstanceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  const profile = totals.findIndex((count, index) => count > (grid.profiles[index]?.maxInstances ?? 0));
  if (profile === -1) return undefined;
  const available = grid.profiles[profile]?.maxInstances ?? 0;
  return { code: 'TooManyInstances', resource: 'Instances', needed: totals[profile] ?? 0, available, profile };
}

function findEngineShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const [kind, name] of ENGINE_KINDS.entries()) {
    const available = grid.engineTotals?.[kind];
    const needed = sum(totals, (index) => grid.engines[index]?.[kind] ?? 0);
    if (available !== undefined && needed > available)
      return { code: 'NotEnoughEngines', resource: ENGINE_RESOURCES[name], needed, available };
  }
  return undefined;
}

function findExclusion(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const group of grid.exclusive) {
    const needed = group.reduce((total, index) => total + (totals[index] ?? 0), 0);
    if (needed > 1) return { code: 'ExclusiveProfiles', resource: 'Instances', needed, available: 1 };
  }
  return undefined;
}

function sum(totals: readonly number[], weigh: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < totals.length; index += 1) total += (totals[index] ?? 0) * weigh(index);
  return total;
}
