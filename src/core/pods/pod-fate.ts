import type { PolicySpec } from '../../api/types.ts';
import { type BudgetView, judgeBudgets } from './disruption-budget.ts';
import { explainStaying, judgeEviction } from './eviction.ts';
import type { PodView } from './pod-view.ts';

/**
 * What becomes of a pod that holds what a plan destroys. `Evicted`: it goes by the Eviction API. `Deleted`: when spec.drain.timeout
 * is over, as the policy says. `Blocked`: its PodDisruptionBudget refuses now. `Stays`: no eviction moves it. `Awaited`: the policy
 * evicts nobody.
 */
export type PodFate = 'Evicted' | 'Deleted' | 'Blocked' | 'Stays' | 'Awaited';

export interface FateOfPod {
  readonly fate: PodFate;
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** What the fate of pods depends on beside themselves. */
export interface FateFacts {
  /** Of the pods' namespaces. */
  readonly budgets: readonly BudgetView[];
  /** UIDs of DaemonSets that pods name as their owners and that do not exist; undefined: not looked up. */
  readonly missingOwners?: ReadonlySet<string> | undefined;
}

export type DrainSpec = PolicySpec['drain'];

/** Judges by what is known now: a pod's annotations, its owner and its budgets may change. */
export function judgeFate(pod: PodView, drain: DrainSpec, { budgets, missingOwners }: FateFacts): FateOfPod {
  const { scope = 'Affected', onTimeout = 'Skip', timeout = '10m' } = drain ?? {};
  if (scope === 'None') return { fate: 'Awaited' };
  const forced = onTimeout === 'Force' ? `it is deleted after ${timeout} (spec.drain.onTimeout: Force)` : undefined;
  const staying = explainStaying(pod, missingOwners);
  if (staying !== undefined) {
    return forced !== undefined && judgeEviction(pod, missingOwners) === 'ByForce'
      ? { fate: 'Deleted', message: `it ${staying}; ${forced}` }
      : { fate: 'Stays', message: `it ${staying}` };
  }
  const refusal = judgeBudgets(pod, budgets);
  if (refusal === undefined) return { fate: 'Evicted' };
  if (forced !== undefined) return { fate: 'Blocked', message: `${refusal.message}; ${forced}` };
  return { fate: refusal.isLasting ? 'Stays' : 'Blocked', message: refusal.message };
}
