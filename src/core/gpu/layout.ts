import { type SearchBudget, type Grid, refuse, type Refusal, MOST_UNITS, unitMask, type Instance } from './grid.ts';
import type { Layout, GpuModel } from './geometry.ts';
import { resolveProfile, computeInstanceSlices, isProfileNameError, parseProfile } from './profiles.ts';

/** The fewest GPU instances for some compute instances, and every way to fill them. */
interface Packings {
  /** GPU instances needed; if that is more than the limit, a lower bound. */
  readonly bins: number;
  /** The ways, each with the slices of its compute instances per GPU instance, largest first, fullest instance first. */
  readonly ways: readonly (readonly (readonly number[])[])[];
}

/**
 * Distributes compute instances over the fewest GPU instances of one profile, exactly: a GPU instance of `capacity` slices holds any
 * compute instances whose slices add up to no more.
 *
 * @param sizes slices of each compute instance, none above `capacity`
 * @param limit most GPU instances of the profile; beyond it only the bound is computed, since the layout cannot fit anyway
 * @throws BudgetExceeded
 */
export function packComputeInstances(
  sizes: readonly number[],
  capacity: number,
  limit: number,
  budget: SearchBudget,
): Packings {
  const sorted = sizes.toSorted((a, b) => b - a);
  const least = Math.ceil(sorted.reduce((sum, size) => sum + size, 0) / capacity);
  for (let bins = least; bins <= limit; bins += 1) {
    const ways = fill(sorted, bins, capacity, budget);
    if (ways.length > 0) return { bins, ways };
  }
  return { bins: Math.max(least, limit + 1), ways: [] };
}

function fill(
  sizes: readonly number[],
  bins: number,
  capacity: number,
  budget: SearchBudget,
): readonly (readonly (readonly number[])[])[] {
  const found = new Map<string, readonly (readonly number[])[]>();
  const open: number[][] = Array.from({ length: bins }, () => []);
  const room = Array.from({ length: bins }, () => capacity);

  function put(index: number): void {
    const size = sizes[index];
    if (size === undefined) {
      const way = open.map((bin) => [...bin]).toSorted(compareBins);
      found.set(way.join('|'), way);
      return;
    }
    const tried = new Set<string>();
    open.forEach((bin, position) => {
      budget.spend();
      // Two bins with the same content are the same choice.
      if ((room[position] ?? 0) < size || tried.has(bin.join())) return;
      tried.add(bin.join());
      bin.push(size);
      room[position] = (room[position] ?? 0) - size;
      put(index + 1);
      bin.pop();
      room[position] = (room[position] ?? 0) + size;
    });
  }

  put(0);
  return [...found.values()].toSorted((a, b) => compareBins(a.flat(), b.flat()));
}

/** Larger content first, so that of several ways the one with the fullest instances comes first. */
function compareBins(left: readonly number[], right: readonly number[]): number {
  const fullness = right.reduce((sum, size) => sum + size, 0) - left.reduce((sum, size) => sum + size, 0);
  if (fullness !== 0) return fullness;
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** GPU instances of one profile with the same compute instances. */
export interface InstanceGroup {
  readonly profile: number;
  readonly count: number;
  /** Slices of each compute instance, largest first; `[all slices]` for one over the whole. */
  readonly computeSlices: readonly number[];
}

/** A layout in the terms of a grid. */
export interface GridLayout {
  /** GPU instances per profile index. */
  readonly totals: readonly number[];
  /** Ways to distribute the wanted compute instances over the fewest GPU instances; one way if none is split. */
  readonly ways: readonly (readonly InstanceGroup[])[];
}

/** Sizes of compute instances that a GPU instance of so many slices can have (NVIDIA MIG User Guide, `nvidia-smi mig -lcip`). */
const COMPUTE_SIZES: Readonly<Record<number, readonly number[]>> = {
  1: [1],
  2: [1, 2],
  3: [1, 2, 3],
  4: [1, 2, 4],
  7: [1, 2, 3, 4, 7],
};

/** The count of a profile beyond which a layout is refused before anything is computed; no GPU holds as many. */
const MOST_INSTANCES = 1000;

/**
 * Reads a layout: names to profiles, compute instances to the fewest GPU instances that hold them. Whether it fits is not checked.
 *
 * @returns a refusal for a name that is malformed or not in the geometry, or a count that is not a positive integer
 * @throws BudgetExceeded
 */
export function readLayout(
  grid: Grid,
  layout: Layout,
  model: GpuModel | undefined,
  budget: SearchBudget,
): GridLayout | Refusal {
  const whole = grid.profiles.map(() => 0);
  const split = new Map<number, number[]>();
  for (const [name, count] of Object.entries(layout)) {
    if (!Number.isInteger(count) || count < 1 || count > MOST_INSTANCES)
      return refuse(
        'InvalidCount',
        `${name}: ${String(count)} is not a number of instances; use a whole number from 1`,
      );
    const direct = grid.indexOf.get(name);
    if (direct !== undefined) {
      whole[direct] = (whole[direct] ?? 0) + count;
      continue;
    }
    const found = readName(grid, name, model);
    if ('code' in found) return found;
    if (found.slices === undefined) whole[found.profile] = (whole[found.profile] ?? 0) + count;
    else split.set(found.profile, [...(split.get(found.profile) ?? []), ...Array<number>(count).fill(found.slices)]);
  }
  return spread(grid, whole, split, budget);
}

function readName(grid: Grid, name: string, model?: GpuModel): { profile: number; slices?: number } | Refusal {
  const parsed = parseProfile(name);
  if (isProfileNameError(parsed)) return refuse('InvalidProfileName', parsed.message);
  const resolved = resolveProfile(grid.geometry, parsed.instanceProfile, model);
  const profile = resolved === undefined ? undefined : grid.indexOf.get(resolved.name);
  if (resolved === undefined || profile === undefined)
    return refuse('UnknownProfile', `this GPU has no profile ${parsed.instanceProfile}`);
  const slices = parsed.computeInstanceSlices;
  if (slices === undefined) return { profile };
  const sizes = COMPUTE_SIZES[resolved.computeSlices];
  if (sizes !== undefined && !sizes.includes(slices))
    return refuse(
      'InvalidComputeInstance',
      `${name}: a ${resolved.name} holds compute instances of ${sizes.join(', ')} slices, not of ${slices}`,
    );
  return { profile, slices };
}

function spread(
  grid: Grid,
  whole: readonly number[],
  split: ReadonlyMap<number, readonly number[]>,
  budget: SearchBudget,
): GridLayout {
  const totals = [...whole];
  const plain = whole.flatMap((count, profile) =>
    count === 0 ? [] : [{ profile, count, computeSlices: [computeSlicesOf(grid, profile)] }],
  );
  let ways: readonly (readonly InstanceGroup[])[] = [plain];
  for (const [profile, sizes] of [...split].toSorted(([a], [b]) => a - b)) {
    const packings = packComputeInstances(
      sizes,
      computeSlicesOf(grid, profile),
      grid.profiles[profile]?.maxInstances ?? 0,
      budget,
    );
    totals[profile] = (totals[profile] ?? 0) + packings.bins;
    ways = ways.flatMap((way) =>
      packings.ways.map((bins) => {
        budget.spend();
        return [...way, ...countEqual(profile, bins)];
      }),
    );
  }
  return { totals, ways };
}

function countEqual(profile: number, bins: readonly (readonly number[])[]): readonly InstanceGroup[] {
  const kinds = new Map<string, InstanceGroup>();
  for (const bin of bins) {
    const known = kinds.get(bin.join());
    kinds.set(bin.join(), { profile, count: (known?.count ?? 0) + 1, computeSlices: bin });
  }
  return [...kinds.values()];
}

function computeSlicesOf(grid: Grid, profile: number): number {
  return grid.profiles[profile]?.computeSlices ?? 0;
}

/** Slices of the compute instances on an instance, largest first; see Instance.computeInstances for what absence means. */
function readComputeInstances(names: readonly string[] | undefined, gpuSlices: number): readonly number[] {
  if (names === undefined) return [gpuSlices];
  return names.map((name) => computeInstanceSlices(name, gpuSlices)).toSorted((a, b) => b - a);
}

/** An instance on the GPU, in the terms of a grid. */
export interface OccupyingInstance {
  readonly instance: Instance;
  readonly profile: number;
  readonly mask: number;
  readonly computeSlices: readonly number[];
  /** True if the instance may neither be destroyed nor lose a compute instance. */
  readonly isFixed: boolean;
}

/** The instances on a GPU now. */
export interface Occupancy {
  /** Instances of known profiles, by ascending start. */
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
