import type { Geometry, Layout } from '../geometry/geometry.ts';
import { findModel } from '../geometry/model-lookup.ts';
import { planGpu } from './gpu-plan.ts';
import { gridOf } from '../search/grid.ts';
import type { PlannedInstance } from '../search/instance.ts';
import { judgeLayout } from '../search/judgement.ts';
import type { Refusal } from '../search/refusal.ts';
import { completeSubject } from '../search/subject.ts';

export type FitResult =
  | {
      readonly fits: true;
      /** Where the instances would sit on an empty GPU; undefined if placements are unpublished (Thor). */
      readonly placements: readonly PlannedInstance[] | undefined;
    }
  | { readonly fits: false; readonly refusal: Refusal };

/**
 * Whether an empty GPU can hold a layout, and if not, why and what would fit. Models with unpublished placements are judged by their
 * counters.
 *
 * @param gpuName what a refusal calls the GPU; if it names a known model, names of other driver branches are understood
 */
export function fitLayout(geometry: Geometry, layout: Layout, gpuName?: string): FitResult {
  const subject = completeSubject(geometry, { gpuName, model: findModel(gpuName ?? '') });
  const grid = gridOf(geometry);
  if (grid.placeable) {
    const plan = planGpu(geometry, [], layout, subject);
    return plan.fits ? { fits: true, placements: plan.placements } : plan;
  }
  const judged = judgeLayout(grid, layout, subject);
  return 'code' in judged ? { fits: false, refusal: judged } : { fits: true, placements: undefined };
}
