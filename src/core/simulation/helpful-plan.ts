import { coverDemand, readDemand } from '../demand/coverage.ts';
import { type DemandSlice, type EvictionRule, type PoolGpu } from '../demand/pool.ts';
import { gridOf, unitMask } from '../gpu/search/grid.ts';
import { countPresent } from '../supply/count.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

type Held = PoolGpu['instances'][number];

/**
 * Whether each slice of a demand is of one profile and not whole GPUs, no two of the same, and weighs what it takes of a GPU. Then much is known at a
 * glance, which a long time of shortage needs: most minutes of it can serve no more than the minute before.
 */
export function isPlain(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): boolean {
  const sizes = sizesOf(gpus);
  const profiles = new Set(slices.flatMap((slice) => slice.profiles));
  return (
    profiles.size === slices.length &&
    !profiles.has(WHOLE) &&
    slices.every(
      (slice) => slice.profiles.length === 1 && (sizes.get(slice.profiles[0] ?? '') ?? slice.weight) === slice.weight,
    )
  );
}

/**
 * Whether a plan might serve more of a plain demand than the slices that exist do: false only where none can. More is served only if
 * more units are of use, so that something wanted must take a unit that nothing of use has; and something lacking needs a place.
 */
export function mayHelp(slices: readonly DemandSlice[], gpus: readonly PoolGpu[], evict: EvictionRule): boolean {
  const { lacking, needed } = judge(slices, gpus);
  const wanted = new Set([...lacking, ...needed]);
  const isFixed = evict === 'Never' ? isBusy : isNothing;
  const isOfUse = ({ profile }: Held): boolean => needed.has(profile);
  return gpus.some((gpu) => fits(gpu, lacking, isFixed)) && gpus.some((gpu) => fits(gpu, wanted, isFixed, isOfUse));
}

/**
 * A plain demand on the GPUs that can change without evictions alone: what the others serve is taken off it. The best plan is the
 * same, and is found in a fraction of the time.
 */
export function reduceQuestion(
  slices: readonly DemandSlice[],
  gpus: readonly PoolGpu[],
): { readonly slices: readonly DemandSlice[]; readonly gpus: readonly PoolGpu[] } {
  const profiles = new Set(slices.flatMap((slice) => slice.profiles));
  const free = gpus.filter((gpu) => fits(gpu, profiles, isBusy));
  const fixed = countPresent(gpus.filter((gpu) => !free.includes(gpu)).flatMap(({ instances }) => instances));
  const left = slices.map((slice) => ({ ...slice, count: slice.count - (fixed.get(slice.profiles[0] ?? '') ?? 0) }));
  return { slices: left.filter(({ count }) => count > 0), gpus: free };
}

/** Profiles of which there are too few, and those of which none is in excess. */
function judge(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]) {
  const table = readDemand(slices, () => true);
  const offered = countPresent(gpus.flatMap(({ instances }) => instances));
  const amounts = table.profiles.map((profile) => offered.get(profile) ?? 0);
  const { unserved, used } = coverDemand(table, amounts);
  return {
    lacking: new Set(table.slices.flatMap(({ profiles }, index) => ((unserved[index] ?? 0) > 0 ? profiles : []))),
    needed: new Set(table.profiles.filter((_, index) => (used[index] ?? 0) >= (amounts[index] ?? 0))),
  };
}

function isBusy({ busy }: Held): boolean {
  return busy;
}

function isNothing(): boolean {
  return false;
}

/**
 * Whether a GPU has a place for one of the profiles.
 *
 * @param isFixed instances that stay
 * @param isOfUse the place must have a unit that none of these has
 */
function fits(
  gpu: PoolGpu,
  profiles: ReadonlySet<string>,
  isFixed: (instance: Held) => boolean,
  isOfUse: (instance: Held) => boolean = isNothing,
): boolean {
  if (gpu.isResting === true) return false;
  const grid = gridOf(gpu.geometry);
  const fixed = occupy(gpu, isFixed);
  const used = occupy(gpu, isOfUse);
  for (const profile of profiles) {
    const index = grid.indexOf.get(profile);
    const slots = index === undefined ? [] : (grid.slots[index] ?? []);
    if (slots.some(({ mask }) => (mask & fixed) === 0 && (mask & ~used) !== 0)) return true;
  }
  return false;
}

function occupy({ geometry, instances }: PoolGpu, counts: (instance: Held) => boolean): number {
  const grid = gridOf(geometry);
  let occupied = 0;
  for (const one of instances)
    if (counts(one))
      occupied |= unitMask(one.start, grid.profiles[grid.indexOf.get(one.profile) ?? -1]?.memorySlices ?? 0);
  return occupied;
}

function sizesOf(gpus: readonly PoolGpu[]): ReadonlyMap<string, number> {
  const geometries = new Set(gpus.map(({ geometry }) => geometry));
  return new Map(
    [...geometries].flatMap(({ profiles }) => profiles.map(({ name, memorySlices }) => [name, memorySlices] as const)),
  );
}
