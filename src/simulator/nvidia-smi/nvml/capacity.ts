import type { CiProfile } from './ci-profile.ts';
import type { GiProfile } from './gi-profile.ts';
import { listGiProfiles } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import type { GpuInstance, NodeState } from '../state/node-state.ts';
import { gpuStateOf } from '../state/node-state.ts';
import { allowsOneMore, overlaps } from './placement.ts';

/** How many more instances of `profile` fit; 0 while MIG is off (our choice: NVML must return some number). */
export function countFreeGpuInstances(gpu: SimulatedGpu, state: NodeState, profile: GiProfile): number {
  const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
  const model = gpu.board.model;
  if (!migCurrent || model === undefined) {
    return 0;
  }
  const profiles = listGiProfiles(gpu.board);
  const taken = [...gpuInstances];
  for (const start of profile.starts) {
    const place = { start, size: profile.size };
    if (!taken.some((other) => overlaps(place, other)) && allowsOneMore(model, profiles, taken, profile)) {
      taken.push({ id: -1, profileId: profile.id, ...place, computeInstances: [] });
    }
  }
  return taken.length - gpuInstances.length;
}

/** Free starts of a compute instance profile in `gi`. */
export function freeCiStarts(profile: CiProfile, gi: GpuInstance): readonly number[] {
  return profile.starts.filter(
    (start) => !gi.computeInstances.some((other) => overlaps({ start, size: profile.size }, other)),
  );
}
