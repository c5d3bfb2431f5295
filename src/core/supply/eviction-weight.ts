import type { GpuNodePartition } from '../../api/types.ts';
import type { PoolGpu, PoolInstance } from '../demand/pool.ts';
import type { BudgetView } from '../pods/disruption-budget.ts';
import { type DrainSpec, type FateFacts, judgeFate, type PodFate } from '../pods/pod-fate.ts';
import { holdersOf, type HolderSource } from './defrag-moves.ts';
import type { Member } from './member.ts';
import { podName, type PodView } from '../pods/pod-view.ts';

/** What a pod's eviction costs beside another's. */
const usual = 10;
const forBudget = 1000;

/** Who holds the slices of a pool. */
export interface PoolHolders extends FateFacts, HolderSource {
  /** By `NAMESPACE/NAME`; undefined: it is gone, or was not read. */
  readonly podOf: (name: string) => PodView | undefined;
}

/** Those of a cluster as it was read. */
export function indexHolders({
  partitions,
  pods,
  budgets,
}: {
  readonly partitions: readonly GpuNodePartition[];
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
}): PoolHolders {
  const byNode = new Map(partitions.map((one) => [one.metadata.name, one]));
  const byName = new Map(pods.map((pod) => [podName(pod), pod]));
  return { budgets, partitionOf: (node) => byNode.get(node), podOf: (name) => byName.get(name) };
}

/**
 * The GPUs of a pool with what it costs to free each slice in use. One stays that no eviction frees: its pod is not evicted, or no pod is
 * known to use it.
 */
export function weighGpus(members: readonly Member[], holders: PoolHolders, drain: DrainSpec): readonly PoolGpu[] {
  return members.map((member) => ({
    ...member.gpu,
    instances: member.gpu.instances.map((one) => (one.busy ? weigh(one, member, holders, drain) : one)),
  }));
}

function weigh(one: PoolInstance, member: Member, holders: PoolHolders, drain: DrainSpec): PoolInstance {
  const weights = holdersOf(member, one, holders).map((name) => {
    const pod = holders.podOf(name);
    return pod ? weighEviction(judgeFate(pod, drain, holders).fate, pod.spec?.priority) : usual;
  });
  const known = weights.filter((weight) => weight !== undefined);
  if (known.length === 0 || known.length < weights.length) return { ...one, stays: true };
  return { ...one, evictionWeight: known.reduce((sum, weight) => sum + weight, 0) };
}

/**
 * A pod of higher priority is dearer, by its order of magnitude: priorities have no unit.
 *
 * @returns undefined if no eviction moves it
 */
export function weighEviction(fate: PodFate, priority = 0): number | undefined {
  if (fate === 'Stays' || fate === 'Awaited') return undefined;
  if (fate === 'Blocked') return forBudget;
  return usual + 10 * Math.ceil(Math.log10(1 + Math.max(0, priority)));
}
