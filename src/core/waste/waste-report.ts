import type { ClusterFacts } from '../explain/cluster-facts.ts';
import { countDemand, type ResourceDemand } from './demand.ts';
import { countUse, type GpuUse } from './idle-slices.ts';
import { type BetterLayout, findBetterLayouts } from './other-layout.ts';

/** What of the GPUs of a fleet is paid for and serves nobody. */
export interface WasteReport {
  /** Moments at which the fleet was looked at. */
  readonly samples: number;
  readonly gpus: readonly GpuUse[];
  readonly resources: readonly ResourceDemand[];
  readonly layouts: readonly BetterLayout[];
}

/** @param samples in the order of time: what there is comes from the last, what was never used and what was asked for from all */
export function reportWaste(samples: readonly ClusterFacts[]): WasteReport {
  return {
    samples: samples.length,
    gpus: countUse(samples.map(({ partitions }) => partitions)),
    resources: countDemand(samples),
    layouts: findBetterLayouts(samples),
  };
}
