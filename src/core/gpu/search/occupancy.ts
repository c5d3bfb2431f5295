import type { GpuModel } from '../geometry/model.ts';
import { resolveProfile } from '../geometry/profile-lookup.ts';
import { MOST_UNITS, unitMask, type Grid } from './grid.ts';
import type { Instance } from './instance.ts';
import { refuse, type Refusal } from './refusal.ts';
import { readComputeInstances } from './grid-layout.ts';

/** An instance on the GPU, in the terms of a grid. */
export interface OccupyingInstance {
  readonly instance: Instance;
  readonly profile: number;
  readonly mask: number;
  readonly computeSlices: readonly number[];
  /** It may neither be destroyed nor lose a compute instance. */
  readonly isFixed: boolean;
}

/** What is on a GPU now. */
export interface Occupancy {
  /** By ascending start. */
  readonly known: readonly OccupyingInstance[];
  /** Instances of known size whose profiles the geometry does not have: planned around, never touched. */
  readonly foreign: readonly Instance[];
  readonly foreignMask: number;
}

/**
 * Reads what is on a GPU. A known profile at a start that the table does not list is accepted, since the device shows it.
 *
 * @param mayDisturb whether an instance may be destroyed or lose a compute instance
 * @returns a refusal if two instances overlap, or one has a profile that the geometry does not know and no size
 */
export function readInstances(
  grid: Grid,
  have: readonly Instance[],
  model?: GpuModel,
  mayDisturb: (instance: Instance) => boolean = () => true,
): Occupancy | Refusal {
  const known: OccupyingInstance[] = [];
  const foreign: Instance[] = [];
  let foreignMask = 0;
  let taken = 0;
  for (const instance of have.toSorted(comparePlaces)) {
    const profile = findProfile(grid, instance.profile, model);
    const size = profile === undefined ? instance.size : grid.profiles[profile]?.memorySlices;
    if (size === undefined || !isPlace(instance.start, size)) return refuseUnknown(instance);
    const mask = unitMask(instance.start, size);
    if ((taken & mask) !== 0) return refuseOverlap(have, instance);
    taken |= mask;
    if (profile === undefined) {
      foreign.push(instance);
      foreignMask |= mask;
    } else {
      const slices = grid.profiles[profile]?.computeSlices ?? 0;
      const computeSlices = readComputeInstances(instance.computeInstances, slices);
      known.push({ instance, profile, mask, computeSlices, isFixed: !mayDisturb(instance) });
    }
  }
  return { known, foreign, foreignMask };
}

function comparePlaces(left: Instance, right: Instance): number {
  return left.start - right.start || (left.profile < right.profile ? -1 : 1);
}

function findProfile(grid: Grid, name: string, model?: GpuModel): number | undefined {
  const direct = grid.indexOf.get(name);
  if (direct !== undefined || model === undefined) return direct;
  const resolved = resolveProfile(grid.geometry, name, model);
  return resolved && grid.indexOf.get(resolved.name);
}

function isPlace(start: number, size: number): boolean {
  return Number.isInteger(start) && Number.isInteger(size) && start >= 0 && size >= 0 && start + size <= MOST_UNITS;
}

function refuseUnknown({ profile, start }: Instance): Refusal {
  return refuse(
    'UnknownInstance',
    `the GPU holds an instance of profile ${profile} at ${start}, which its profile table does not know and whose size is unknown; ` +
      'read the profile table from the driver again, or destroy the instance manually',
  );
}

function refuseOverlap(have: readonly Instance[], instance: Instance): Refusal {
  const all = have.map(({ profile, start }) => `${profile} at ${start}`).toSorted();
  return refuse(
    'OverlappingInstances',
    `the instances reported on the GPU overlap at ${instance.profile}, start ${instance.start} (${all.join(', ')}); read the GPU again`,
  );
}
