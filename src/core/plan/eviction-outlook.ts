import { presumeAffected } from '../node/rules/plan-holders.ts';
import type { BudgetView } from '../pods/disruption-budget.ts';
import { judgeFate, type PodFate } from '../pods/pod-fate.ts';
import { compareText } from '../text/fingerprint.ts';
import type { GpuReport } from '../../api/types.ts';
import type { NodeOutlook } from './node-outlook.ts';
import { podName, type PodView } from '../pods/pod-view.ts';

/** `Gone`: it has ended since the agent saw it. */
export type PodOutlook = PodFate | 'Gone';

export interface EvictionOutlook {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  readonly fate: PodOutlook;
  /** `GPU 0: 3g.20gb at 4 by claim team/train-gpu`, `GPU 1`; empty if unknown. */
  readonly holds: readonly string[];
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** The pods that have to go for a node's plan, by name. */
export function describeEvictions(
  { snapshot, plan }: NodeOutlook,
  pods: readonly PodView[],
  budgets: readonly BudgetView[],
): readonly EvictionOutlook[] {
  const { node, partition, claim, fresh } = snapshot;
  if (partition === undefined || plan === undefined || plan.work.length === 0) return [];
  const affected = presumeAffected({ node, partition, claim, fresh }, pods);
  const gpus = partition.status?.device?.gpus ?? [];
  const drain = claim.winner?.spec.drain;
  const found = affected.map((pod): EvictionOutlook => {
    const name = podName(pod);
    return { pod: name, holds: listHoldings(gpus, name), ...judgeFate(pod, drain, { budgets }) };
  });
  const known = new Set(found.map(({ pod }) => pod));
  const gone = (plan.report.affectedPods ?? [])
    .filter((pod) => !known.has(pod))
    .map((pod): EvictionOutlook => {
      const message = 'it is not listed: it has ended since the agent saw it';
      return { pod, fate: 'Gone', holds: listHoldings(gpus, pod), message };
    });
  return [...found, ...gone].toSorted((a, b) => compareText(a.pod, b.pod));
}

/** Whether a pod goes because of the plan, now or as soon as its budget allows. */
export function isMoving(fate: PodOutlook): boolean {
  return fate === 'Evicted' || fate === 'Deleted' || fate === 'Blocked';
}

/** What a pod holds of a node's GPUs. */
function listHoldings(gpus: readonly GpuReport[], pod: string): readonly string[] {
  const by = (claims: readonly string[] = []): string => (claims.length === 0 ? '' : ` by claim ${claims.join(', ')}`);
  return gpus.flatMap(({ index, pods = [], claims, instances }) => [
    ...(pods.includes(pod) ? [`GPU ${index}${by(claims)}`] : []),
    ...instances.flatMap((one) =>
      one.pods?.includes(pod) === true ? [`GPU ${index}: ${one.profile} at ${one.start}${by(one.claims)}`] : [],
    ),
  ]);
}
