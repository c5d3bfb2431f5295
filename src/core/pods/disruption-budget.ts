import { type LabelSelection, meetsSelection } from '../metadata/label-selector.ts';

/** The parts of a PodDisruptionBudget that decide whether an eviction goes through. */
export interface BudgetView {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly generation?: number };
  readonly spec?: {
    readonly selector?: LabelSelection;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
  };
}

/** The parts of a pod that its budgets depend on. */
export interface BudgetedPod {
  readonly metadata: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Why the Eviction API refuses a pod now. */
export interface BudgetRefusal {
  /** `NAMESPACE/NAME` */
  readonly budgets: readonly string[];
  /** Follows the pod's name and `is not evicted: `. */
  readonly message: string;
}

/**
 * How PodDisruptionBudgets respond to the eviction of a pod, as the API server decides it
 * (pkg/registry/core/pod/storage/eviction.go).
 *
 * @returns undefined if they allow it
 */
export function judgeBudgets(pod: BudgetedPod, budgets: readonly BudgetView[]): BudgetRefusal | undefined {
  const { namespace = 'default', labels = {}, deletionTimestamp } = pod.metadata;
  // Evicting a pod that does not run disrupts nobody.
  const isGoing =
    deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (isGoing) return undefined;
  const own = budgets.filter(
    ({ metadata, spec }) =>
      // Without a selector it applies to no pod; with an empty one to all.
      (metadata.namespace ?? 'default') === namespace && spec?.selector && meetsSelection(spec.selector, labels),
  );
  const names = own.map(({ metadata }) => `${namespace}/${metadata.name}`).sort();
  const [budget, ...others] = own;
  if (budget === undefined) return undefined;
  if (others.length > 0) {
    const message = `it has ${own.length} PodDisruptionBudgets (${names.join(', ')}), and the Eviction API supports at most one: remove one`;
    return { budgets: names, message };
  }
  if (allows(pod, budget)) return undefined;
  return { budgets: names, message: `PodDisruptionBudget ${names[0]} ${explainRefusal(budget)}` };
}

function allows(pod: BudgetedPod, { metadata, spec, status = {} }: BudgetView): boolean {
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = status;
  const isReady = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  if (!isReady && spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  if (!isReady && desiredHealthy > 0 && currentHealthy >= desiredHealthy) return true;
  return disruptionsAllowed > 0 && !isOutdated({ metadata, status });
}

function isOutdated({ metadata, status }: Pick<BudgetView, 'metadata' | 'status'>): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

function explainRefusal({ metadata, status }: BudgetView): string {
  if (isOutdated({ metadata, status: status ?? {} })) {
    return 'has not been processed by the disruption controller since it changed';
  }
  const { currentHealthy, desiredHealthy } = status ?? {};
  const healthy =
    currentHealthy === undefined || desiredHealthy === undefined
      ? ''
      : ` (${currentHealthy} healthy, ${desiredHealthy} needed)`;
  return `allows 0 disruptions${healthy}`;
}
