import { withDemand } from '../../support/demand-builders.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { type DemandAsked, planClasses, type PlannedPool } from '../../../src/core/demand/plan-pool.ts';
import { listMembers, type DemandGpu } from '../../../src/core/demand/members.ts';
import { aPolicy } from '../../support/builders.ts';
import { aFleetNode } from '../plan/cluster-builder.ts';

/** A policy with a demand for nothing, which evicts. */
export function aDemandPolicy(demand: Partial<NonNullable<PolicySpec['demand']>> = {}): GpuPartitionPolicy {
  const slices = [{ profiles: ['1g.5gb'], count: 0 }];
  const policy = withDemand(aPolicy(), { slices, evict: 'IfNeeded', ...demand });
  return { ...policy, status: { acceptedGeneration: 1 } };
}

export const evictingPolicy = aDemandPolicy();

/** Nodes of one A100 each. Three of the seven small slices of `n1` and of `n2` are in use. */
export const scattered = [
  aFleetNode(
    {
      name: 'n1',
      slices: ['1g.5gb@0', '1g.5gb@2', '1g.5gb@4'],
      pods: { '1g.5gb@0': ['a'], '1g.5gb@2': ['b'], '1g.5gb@4': ['c'] },
    },
    evictingPolicy,
  ),
  aFleetNode({ name: 'n2', slices: ['1g.5gb@0'], pods: { '1g.5gb@0': ['d'] } }, evictingPolicy),
];
export const membersOf = (fleet: readonly ReturnType<typeof aFleetNode>[]): readonly DemandGpu[] =>
  fleet.flatMap(({ partition }) => listMembers(evictingPolicy, partition, { isResting: () => false }));

/** What the planner makes of each member, without a solver. */
export function planSmall(members: readonly DemandGpu[], asked: DemandAsked): PlannedPool {
  const planning = planClasses({ gpus: members.map(({ gpu }) => gpu), asked }, 0);
  let step = planning.next();
  while (step.done !== true) step = step.value ? planning.throw(new Error('no solver')) : planning.next();
  return step.value;
}
