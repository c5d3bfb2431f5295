import type { GpuPartitionPolicy, PolicyDemand, PolicySpec } from '../../api/types.ts';
import { isPlanned } from '../explain/cluster-facts.ts';
import type { EvictionRule } from '../demand/pool.ts';
import { asWritten } from '../policy/as-written.ts';
import type { AdvicePool } from './pools.ts';

const highestPriority = 1_000_000_000;

/**
 * A policy with a demand for a pool. It only plans until somebody sets mode Enforce, and it has a name of its own beside the policy
 * that decides now: it takes that one's nodes over by a higher priority, and gives them back when it is deleted.
 */
export function advisePolicy(
  { advisedName, policy, selector }: AdvicePool,
  slices: PolicyDemand['slices'],
  evict: EvictionRule,
): GpuPartitionPolicy {
  const { layouts: _layouts, sharing: _sharing, demand, drain, ...kept } = policy?.spec ?? usualSpec;
  const { scope, ...otherDrain } = drain ?? {};
  const keepsScope = scope !== undefined && (scope !== 'Node' || evict === 'IfNeeded');
  const keptDrain = { ...otherDrain, ...(keepsScope && { scope }) };
  const fixed = slices.every(({ count }) => count !== undefined);
  const { stabilization, from: _from, slices: _slices, evict: _evict, ...keptDemand } = demand ?? {};
  const spec: PolicySpec = {
    ...kept,
    nodeSelector: selector ?? kept.nodeSelector,
    mode: 'Plan',
    strategy: 'mixed',
    ...(policy && !isPlanned(policy) && { priority: Math.min(highestPriority, (policy.spec.priority ?? 0) + 1) }),
    ...(Object.keys(keptDrain).length > 0 && { drain: keptDrain }),
    demand: {
      ...keptDemand,
      ...(!fixed && { from: 'Pods', ...(stabilization !== undefined && { stabilization }) }),
      slices,
      evict,
    },
  };
  const written: GpuPartitionPolicy = policy ?? {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: advisedName },
    spec,
  };
  return asWritten({ ...written, metadata: { name: advisedName } }, spec);
}

const usualSpec: PolicySpec = { nodeSelector: {}, strategy: 'mixed' };
