import type { Engines } from '../../../core/gpu/geometry/geometry.ts';
import type { GpuModel } from '../../../core/gpu/geometry/model.ts';
import type { Board } from './board.ts';

/** A GPU instance profile with every number that the driver prints; nothing is optional. */
export interface GiProfile {
  readonly name: string;
  readonly id: number;
  readonly computeSlices: number;
  readonly size: number;
  readonly starts: readonly number[];
  readonly maxInstances: number;
  readonly engines: Engines;
  readonly memoryMiB: number;
  readonly multiprocessors: number;
}

/** Ids for profiles whose real id is unpublished (RTX PRO 5000, RTX PRO 4500, Thor). */
const FIRST_INVENTED_ID = 100;

/** The profiles of a board in the order of `nvidia-smi mig -lgip`; none without MIG. */
export function listGiProfiles(board: Board): readonly GiProfile[] {
  const model = board.model;
  if (model === undefined) return [];
  return model.profiles.map((profile, row) => ({
    name: profile.name,
    id: profile.id ?? FIRST_INVENTED_ID + row,
    computeSlices: profile.computeSlices,
    size: profile.memorySlices,
    starts: profile.starts,
    maxInstances: profile.maxInstances,
    engines: profile.engines,
    memoryMiB: profile.memoryMiB ?? shareOfMemory(board, model, profile.memorySlices),
    multiprocessors: profile.multiprocessors ?? shareOfMultiprocessors(model, profile.computeSlices),
  }));
}

export function findGiProfile(board: Board, wanted: number): GiProfile | undefined {
  return listGiProfiles(board).find(({ id }) => id === wanted);
}

function shareOfMemory(board: Board, model: GpuModel, size: number): number {
  return Math.floor((board.memoryMiB * size) / Math.max(1, model.memorySlices));
}

/** The values of the plain 1g, times the slices; all of them for the whole GPU. Always even: texture clusters hold two. */
function shareOfMultiprocessors(model: GpuModel, computeSlices: number): number {
  const total = model.multiprocessors ?? 0;
  const ofOneSlice = model.profiles.find((profile) => profile.computeSlices === 1)?.multiprocessors;
  const ofWhole = computeSlices === model.computeSlices && total > 0 ? total : undefined;
  return ofWhole ?? (ofOneSlice ?? Math.floor(total / model.computeSlices / 2) * 2) * computeSlices;
}
