import { findHolders } from '../node/rules/plan-holders.ts';
import { type BudgetView, judgeBudgets } from '../pods/disruption-budget.ts';
import { explainStaying, judgeEviction } from '../pods/eviction.ts';
import { podName } from '../pods/pod-name.ts';
import { compareText } from '../text/compare.ts';
import type { GpuReport } from '../../api/types.ts';
import type { ClusterPod } from './cluster-state.ts';
import type { NodeOutlook } from './node-outlook.ts';

/**
 * What becomes of a pod that holds what a plan destroys. `Evicted`: it goes by the Eviction API. `Deleted`: when spec.drain.timeout
 * is over, as the policy says. `Blocked`: its PodDisruptionBudget refuses now. `Stays`: no eviction moves it. `Awaited`: the policy
 * evicts nobody. `Gone`: it has ended since the agent saw it.
 */
export type PodFate = 'Evicted' | 'Deleted' | 'Blocked' | 'Stays' | 'Awaited' | 'Gone';

export interface EvictionOutlook {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  readonly fate: PodFate;
  /** `GPU 0: 3g.20gb at 4`, `GPU 1`; empty if unknown. */
  readonly holds: readonly string[];
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** The pods that have to go for a node's plan, by name. */
export function describeEvictions(
  { snapshot, plan }: NodeOutlook,
  pods: readonly ClusterPod[],
  budgets: readonly BudgetView[],
): readonly EvictionOutlook[] {
  const { node, partition, claim, fresh } = snapshot;
  if (partition === undefined || plan === undefined || plan.work.length === 0) return [];
  const { affected } = findHolders({ node, partition, claim, fresh }, pods);
  const gpus = partition.status?.device?.gpus ?? [];
  const drain = claim.winner?.spec.drain;
  const found = affected.map((pod): EvictionOutlook => {
    const name = podName(pod);
    return { pod: name, holds: listHoldings(gpus, name), ...judgePod(pod, budgets, drain) };
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

type DrainSpec = NonNullable<NodeOutlook['snapshot']['claim']['winner']>['spec']['drain'];

function judgePod(
  pod: Parameters<typeof judgeEviction>[0] & Parameters<typeof judgeBudgets>[0],
  budgets: readonly BudgetView[],
  drain: DrainSpec,
): Pick<EvictionOutlook, 'fate' | 'message'> {
  const { scope = 'Affected', onTimeout = 'Skip', timeout = '10m' } = drain ?? {};
  if (scope === 'None') return { fate: 'Awaited' };
  const forced = onTimeout === 'Force' ? `it is deleted after ${timeout} (spec.drain.onTimeout: Force)` : undefined;
  const staying = explainStaying(pod);
  if (staying !== undefined) {
    const isForced = forced !== undefined && judgeEviction(pod) === 'ByForce';
    return isForced
      ? { fate: 'Deleted', message: `${staying}; ${forced}` }
      : { fate: 'Stays', message: `${staying}: no eviction moves it` };
  }
  const refusal = judgeBudgets(pod, budgets);
  if (refusal === undefined) return { fate: 'Evicted' };
  return { fate: 'Blocked', message: forced === undefined ? refusal.message : `${refusal.message}; ${forced}` };
}

/** Whether a pod goes because of the plan, now or as soon as its budget allows. */
export function isMoving(fate: PodFate): boolean {
  return fate === 'Evicted' || fate === 'Deleted' || fate === 'Blocked';
}

/** What a pod holds of a node's GPUs. */
function listHoldings(gpus: readonly GpuReport[], pod: string): readonly string[] {
  return gpus.flatMap(({ index, pods = [], instances }) => [
    ...(pods.includes(pod) ? [`GPU ${index}`] : []),
    ...instances.flatMap((one) =>
      one.pods?.includes(pod) === true ? [`GPU ${index}: ${one.profile} at ${one.start}`] : [],
    ),
  ]);
}
