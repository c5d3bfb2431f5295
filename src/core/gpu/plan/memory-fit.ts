import type { Geometry } from '../geometry/geometry.ts';

/** A profile by the memory that a program can use in it. */
export interface MemoryFit {
  readonly profile: string;
  /** Usable, not nominal: a 1g.5gb of an A100-40GB has 4,864 MiB. */
  readonly memoryMiB: number;
  /** Most instances of the profile on one GPU. */
  readonly perGpu: number;
}

/** Profiles by memory, the smallest first, and of equal ones those of which a GPU holds most. Left out is what NVIDIA has not published. */
export function listByMemory({ profiles }: Geometry): readonly MemoryFit[] {
  return profiles
    .flatMap(({ name, memoryMiB, maxInstances }) =>
      memoryMiB === undefined ? [] : [{ profile: name, memoryMiB, perGpu: maxInstances }],
    )
    .toSorted((a, b) => a.memoryMiB - b.memoryMiB || b.perGpu - a.perGpu);
}
