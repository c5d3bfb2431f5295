import type { Layout } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';
import { resolveProfile } from '../geometry/profile-lookup.ts';
import { computeInstanceSlices, isProfileNameError, parseProfile } from '../geometry/profile-name.ts';
import type { Grid } from './grid.ts';
import { packComputeInstances } from './packing.ts';
import { refuse, type Refusal } from './refusal.ts';
import type { SearchBudget } from './search-budget.ts';

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

/** More of a profile than this is refused before anything is computed; no GPU holds as many. */
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
export function readComputeInstances(names: readonly string[] | undefined, gpuSlices: number): readonly number[] {
  if (names === undefined) return [gpuSlices];
  return names.map((name) => computeInstanceSlices(name, gpuSlices)).toSorted((a, b) => b - a);
}
