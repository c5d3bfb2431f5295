import type { ObjectMeta } from '../metadata/object-meta.ts';
import { type LabelSelection, meetsSelection } from '../metadata/label-selector.ts';
import { countWords } from '../text/cut-text.ts';
import { isReady, type PodView } from './pod-view.ts';

/** The parts of a PodDisruptionBudget that decide whether an eviction goes through. */
export interface BudgetView {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'generation'>;
  readonly spec?: {
    readonly selector?: LabelSelection;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
  };
}

/** Why the Eviction API refuses a pod now. */
export interface BudgetRefusal {
  /** `NAMESPACE/NAME` */
  readonly budgets: readonly string[];
  /** Follows the pod's name and `is not evicted: `. */
  readonly message: string;
  /** Nothing but an edit of the budgets, or of the workload, makes them allow it. */
  readonly isLasting: boolean;
}

/**
 * How PodDisruptionBudgets respond to the eviction of a pod, as the API server decides it
 * (pkg/registry/core/pod/storage/eviction.go).
 *
 * @returns undefined if they allow it
 */
export function judgeBudgets(pod: PodView, budgets: readonly BudgetView[]): BudgetRefusal | undefined {
  const own = listBudgets(pod, budgets);
  const names = own.map(nameBudget).sort();
  const [budget, ...others] = own;
  if (budget === undefined) return undefined;
  if (others.length > 0) {
    const message = `it has ${own.length} PodDisruptionBudgets (${names.join(', ')}), and the Eviction API supports at most one: remove one`;
    return { budgets: names, message, isLasting: true };
  }
  if (allows(pod, budget)) return undefined;
  const isLasting = isReady(pod) && neverAllows(budget);
  return { budgets: names, message: `PodDisruptionBudget ${names[0]} ${explainRefusal(budget)}`, isLasting };
}

/**
 * The first budget that does not allow all of these pods to be evicted at once: some of them go only when others have been replaced
 * and are Ready, which cannot be promised. @returns why, in words; undefined if they may all go
 */
export function findTightBudget(pods: readonly PodView[], budgets: readonly BudgetView[]): string | undefined {
  const counted = pods.filter(isReady).flatMap((pod) => listBudgets(pod, budgets));
  for (const [budget, { length }] of Map.groupBy(counted, (one) => one)) {
    const { disruptionsAllowed = 0 } = budget.status ?? {};
    if (length > disruptionsAllowed)
      return `PodDisruptionBudget ${nameBudget(budget)} allows ${disruptionsAllowed} of the ${length} evictions`;
  }
  return undefined;
}

/** Those that the eviction of a pod is up to. */
function listBudgets(pod: PodView, budgets: readonly BudgetView[]): readonly BudgetView[] {
  const { namespace = 'default', labels = {}, deletionTimestamp } = pod.metadata;
  // Evicting a pod that does not run disrupts nobody.
  const isGoing =
    deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (isGoing) return [];
  return budgets.filter(
    ({ metadata, spec }) =>
      // Without a selector it applies to no pod; with an empty one to all.
      (metadata.namespace ?? 'default') === namespace && spec?.selector && meetsSelection(spec.selector, labels),
  );
}

function nameBudget({ metadata }: BudgetView): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

/** With all of its pods healthy it would not allow one to go either: `maxUnavailable: 0`, or as many needed as there are. */
function neverAllows({ metadata, status = {} }: BudgetView): boolean {
  const { expectedPods = 0, desiredHealthy = 0 } = status;
  return !isOutdated({ metadata, status }) && expectedPods > 0 && expectedPods <= desiredHealthy;
}

function allows(pod: PodView, { metadata, spec, status = {} }: BudgetView): boolean {
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = status;
  if (!isReady(pod) && spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  if (!isReady(pod) && desiredHealthy > 0 && currentHealthy >= desiredHealthy) return true;
  return disruptionsAllowed > 0 && !isOutdated({ metadata, status });
}

function isOutdated({ metadata, status }: Pick<BudgetView, 'metadata' | 'status'>): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

function explainRefusal({ metadata, status }: BudgetView): string {
  if (isOutdated({ metadata, status: status ?? {} })) {
    return 'has not been processed by the disruption controller since it changed';
  }
  if (neverAllows({ metadata, status: status ?? {} })) {
    const { expectedPods = 0, desiredHealthy = 0 } = status ?? {};
    return `never allows a disruption: it needs ${countWords(desiredHealthy, 'healthy pod')} and covers ${expectedPods}`;
  }
  const { currentHealthy, desiredHealthy } = status ?? {};
  const healthy =
    currentHealthy === undefined || desiredHealthy === undefined
      ? ''
      : ` (${currentHealthy} healthy, ${desiredHealthy} needed)`;
  return `allows 0 disruptions${healthy}`;
}
