import type { DriverVersions } from './driver-version.ts';
import { findGiProfile, type GiProfile, listGiProfiles } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import type { GpuInstance } from '../state/node-state.ts';

/** A compute instance profile within one GPU instance profile. */
export interface CiProfile {
  /** 0 = 1c, 1 = 2c, 2 = 3c, 3 = 4c, 4 = 7c, 7 = 1c with more multiprocessors. */
  readonly id: number;
  /** `1c.3g.20gb`, or the GPU instance's own name when it takes all of it. */
  readonly name: string;
  readonly size: number;
  readonly starts: readonly number[];
  readonly multiprocessors: number;
  /** Takes the whole GPU instance: the profile that `-C` and a bare `-cci` create. */
  readonly isDefault: boolean;
}

/** Compute slices of the profiles, by id. */
const SLICES = [1, 2, 3, 4, 7] as const;

/** NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE_REV1 (go-nvml #146): one slice with the multiprocessors of a double-memory 1g. */
const REVISED_ONE_SLICE = 7;

/**
 * Compute instance profiles of an existing GPU instance in the order of `nvidia-smi mig -lcip`; none if the board does not have its
 * profile id.
 */
export function ciProfilesOf({ board }: SimulatedGpu, { profileId }: GpuInstance): readonly CiProfile[] {
  const gi = findGiProfile(board, profileId);
  if (gi === undefined) return [];
  const ofOneSlice = listGiProfiles(board).flatMap(({ computeSlices, multiprocessors }) =>
    computeSlices === 1 ? [multiprocessors] : [],
  );
  const perSlice = Math.min(...ofOneSlice);
  // Hopper SXM and Blackwell give a 1g with double memory more multiprocessors than a plain 1g: 26 instead of 16.
  const revised = ofOneSlice.find((multiprocessors) => multiprocessors > perSlice);
  if (gi.computeSlices === 1 && gi.multiprocessors === revised) {
    return [{ id: REVISED_ONE_SLICE, name: gi.name, size: 1, starts: [0], multiprocessors: revised, isDefault: true }];
  }
  return SLICES.flatMap((slices, id): readonly CiProfile[] => {
    // Of 3 slices, only a 3g or a 7g has room for a compute instance that is not half of a 4g.
    if (slices > gi.computeSlices || (slices === 3 && gi.computeSlices === 4)) return [];
    const plain = describe(id, slices, gi, perSlice);
    if (slices > 1 || gi.computeSlices === 1 || revised === undefined) return [plain];
    return [plain, { ...plain, id: REVISED_ONE_SLICE, starts: startsOf(2, gi), multiprocessors: revised }];
  });
}

/** Its name as `mig` prints it: 470 leaves out the attributes of the GPU instance. */
export function nameCi({ name }: CiProfile, { isAfter470 }: DriverVersions): string {
  return isAfter470 ? name : name.replace(/\+.*$/, '');
}

function describe(id: number, slices: number, gi: GiProfile, perSlice: number): CiProfile {
  const isDefault = slices === gi.computeSlices;
  return {
    id,
    name: isDefault ? gi.name : `${slices}c.${gi.name}`,
    size: slices,
    starts: startsOf(slices, gi),
    multiprocessors: isDefault ? gi.multiprocessors : perSlice * slices,
    isDefault,
  };
}

/** Recorded for 1c and 2c, and as counts for the rest: 2c three times, 3c twice, 4c once in a 7g. */
function startsOf(slices: number, gi: GiProfile): readonly number[] {
  const step = slices === 3 ? 4 : slices;
  const starts: number[] = [];
  for (let start = 0; start + slices <= gi.computeSlices; start += step) starts.push(start);
  return starts;
}
