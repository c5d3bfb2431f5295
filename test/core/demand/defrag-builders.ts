import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { DemandPlanner } from '../../../src/core/demand/solver/choose.ts';
import { PoolClasses } from '../../../src/core/demand/solver/problem.ts';
import type { DemandAsked } from '../../../src/core/demand/plan-pool.ts';
import { listMembers, type DemandGpu } from '../../../src/core/demand/members.ts';
import { aPolicy } from '../../support/builders.ts';
import { aFleetNode } from '../plan/cluster-builder.ts';

/** A policy with a demand for nothing, which evicts. */
export function aDemandPolicy(demand: Partial<NonNullable<PolicySpec['demand']>> = {}): GpuPartitionPolicy {
  const { spec, ...policy } = aPolicy();
  const { layouts: _none, ...rest } = spec;
  const slices = [{ profiles: ['1g.5gb'], count: 0 }];
  return {
    ...policy,
    spec: { ...rest, demand: { slices, evict: 'IfNeeded', ...demand } },
    status: { acceptedGeneration: 1 },
  };
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

/** What the planner makes of each member. */
export function planSmall(members: readonly DemandGpu[], asked: DemandAsked) {
  const pool = new PoolClasses();
  for (const { gpu } of members) pool.add(gpu);
  const classes = pool.list();
  const found = new DemandPlanner({ classes, slices: asked.slices, evict: asked.evict }).planSmall(true);
  if (!found) throw new Error('the pool is too large for a test');
  // Equal GPUs are one class, and need not become the same.
  const byId = new Map(
    [...pool.handOut(classes, found.layouts)].flatMap(([ids, layout]) => ids.map((id) => [id, layout] as const)),
  );
  return {
    ...found,
    layouts: members.map(({ gpu }) => byId.get(gpu.id) ?? { keep: gpu.instances, destroy: [], create: [] }),
  };
}
