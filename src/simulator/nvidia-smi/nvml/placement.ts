import type { Geometry } from '../../../core/gpu/geometry/geometry.ts';
import { type GiProfile, listGiProfiles } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import { type GpuInstance, gpuStateOf, type NodeState } from '../state/node-state.ts';

interface Interval {
  readonly start: number;
  readonly size: number;
}

export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

/** Starts of `profile` that no instance occupies. */
export function freeStarts(
  { starts, size }: { readonly starts: readonly number[]; readonly size: number },
  taken: readonly Interval[],
): readonly number[] {
  return starts.filter((start) => !taken.some((other) => overlaps({ start, size }, other)));
}

/** How many more instances of `profile` fit; 0 while MIG is off (our choice: NVML must return some number). */
export function countFreeGpuInstances({ index, board }: SimulatedGpu, state: NodeState, profile: GiProfile): number {
  const { migCurrent, gpuInstances } = gpuStateOf(state, index);
  if (!migCurrent || board.model === undefined) return 0;
  const profiles = listGiProfiles(board);
  const taken = [...gpuInstances];
  for (const start of profile.starts) {
    const place = { start, size: profile.size };
    if (!taken.some((other) => overlaps(place, other)) && allowsOneMore(board.model, profiles, taken, profile)) {
      taken.push({ id: -1, profileId: profile.id, ...place, computeInstances: [] });
    }
  }
  return taken.length - gpuInstances.length;
}

/** True if neither the number of instances of `profile` nor an engine of the GPU rules out one more. */
export function allowsOneMore(
  geometry: Geometry,
  profiles: readonly GiProfile[],
  taken: readonly GpuInstance[],
  profile: GiProfile,
): boolean {
  const held = taken.flatMap((gi) => profiles.find(({ id }) => id === gi.profileId) ?? []);
  const sameProfile = held.filter(({ id }) => id === profile.id).length;
  const slices = held.reduce((sum, { computeSlices }) => sum + computeSlices, profile.computeSlices);
  const total = geometry.engines;
  const enginesSuffice =
    total === undefined ||
    (['copy', 'decoder', 'encoder', 'jpeg', 'ofa'] as const).every(
      (engine) =>
        profile.engines[engine] === 0 ||
        held.reduce((sum, { engines }) => sum + engines[engine], profile.engines[engine]) <= total[engine],
    );
  return sameProfile < profile.maxInstances && slices <= geometry.computeSlices && enginesSuffice;
}

/**
 * The start that the driver picks if none is given. The real rule is closed firmware; picking the start that blocks the
 * fewest placements of the other profiles, the lowest on a tie, reproduces what was seen on real A100s:
 * seven 1g in the order 6,4,5,0,1,2,3, and `19,14,5` at 6, 4, 0.
 */
export function chooseStart(
  profiles: readonly GiProfile[],
  taken: readonly Interval[],
  profile: GiProfile,
): number | undefined {
  let best: { readonly start: number; readonly spoilt: number } | undefined;
  for (const start of freeStarts(profile, taken)) {
    const spoilt = countSpoilt(profiles, taken, { start, size: profile.size });
    if (best === undefined || spoilt < best.spoilt) {
      best = { start, spoilt };
    }
  }
  return best?.start;
}

function countSpoilt(profiles: readonly GiProfile[], taken: readonly Interval[], candidate: Interval): number {
  return profiles
    .map((other) => freeStarts(other, taken).filter((start) => overlaps({ start, size: other.size }, candidate)).length)
    .reduce((sum, count) => sum + count, 0);
}

/**
 * GI id of a placement: a node of a binary tree over the GPU, 0 the whole, 1-2 the halves, 3-6 the quarters, 7-14 the eighths
 * (driver source, kmigmgr_ga100.c). Which half comes first differs between chips of one node (DCGM #138): here, GPUs with an
 * odd index have the halves swapped. Users must read the id, never compute it.
 */
export function giIdOf(gridSize: number, gpuIndex: number, place: Interval): number {
  const parts = Math.max(1, Math.round(gridSize / Math.max(1, place.size)));
  const swapped = gpuIndex % 2 === 1 && parts > 1;
  const start = swapped ? (place.start + gridSize / 2) % gridSize : place.start;
  return parts - 1 + Math.floor(start / Math.max(1, place.size));
}
