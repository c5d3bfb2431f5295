import { type PoolInstance } from '../demand/pool.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import type { FleetGpu } from './fleet.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** The layout of a GPU with MIG mode off. */
export const wholeLayout: Layout = { [WHOLE]: 1 };

/** What goes, stays and comes on a GPU that gets a layout. */
export interface SimulatedChange {
  readonly keep: readonly PoolInstance[];
  readonly destroy: readonly PoolInstance[];
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** As the agent plans it; undefined if it takes an eviction that is not allowed, does not fit, or MIG mode cannot change. */
export function planChange(
  { geometry, slices, keepsMode }: Pick<FleetGpu, 'geometry' | 'slices' | 'keepsMode'>,
  layout: Layout,
  isSpared: boolean,
): SimulatedChange | undefined {
  const have = slices.map(({ profile, start, task }): PoolInstance => ({ profile, start, busy: task !== undefined }));
  const isWhole = have.some(({ profile }) => profile === WHOLE);
  const becomesWhole = layout[WHOLE] !== undefined;
  if (isWhole && becomesWhole) return { keep: have, destroy: [], create: [] };
  if (isWhole !== becomesWhole && (keepsMode || (isSpared && have.some(({ busy }) => busy)))) return undefined;
  if (becomesWhole) return { keep: [], destroy: have, create: [{ profile: WHOLE, start: 0 }] };
  const plan = planGpu(geometry, isWhole ? [] : have, layout, { mayDisturb: ({ busy }) => !isSpared || !busy });
  if (!plan.fits) return undefined;
  const { keep, destroy, create } = plan;
  return { keep, destroy: isWhole ? have : destroy, create };
}
