import type { ClusterFacts } from '../explain/cluster-facts.ts';
import { countDemand, type ResourceDemand } from './demand.ts';
import { countUse, type GpuUse } from './idle-slices.ts';
import { type BetterLayout, findBetterLayouts } from './other-layout.ts';

/** GPU resources of a fleet that are paid for and not used. */
export interface WasteReport {
  /** How often the fleet was sampled. */
  readonly samples: number;
  readonly gpus: readonly GpuUse[];
  readonly resources: readonly ResourceDemand[];
  readonly layouts: readonly BetterLayout[];
}

/** @param samples in chronological order: what exists comes from the last, what was never used and what was requested from all */
export function reportWaste(samples: readonly ClusterFacts[]): WasteReport {
  return {
    samples: samples.length,
    gpus: countUse(samples.map(({ partitions }) => partitions)),
    resources: countDemand(samples),
    layouts: findBetterLayouts(samples),
  };
}
