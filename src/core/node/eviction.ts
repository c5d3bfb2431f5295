import { type PodView, isReady } from '../kubernetes/pod.ts';
import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import { type LabelSelection, meetsSelection } from '../kubernetes/selectors.ts';
import { countWords } from '../text/words.ts';
import type { PolicySpec } from '../../api/types.ts';

/**
 * How a pod can be removed, in the terms of `kubectl drain`. `Never`: a static pod, which the API cannot end, or a DaemonSet's,
 * which comes back at once. `ByForce`: nothing replaces it, or its owner does not want it evicted.
 */
type Evictability = 'Yes' | 'ByForce' | 'Never';

/** Marks a mirror pod: the API object of a static pod, which only the kubelet starts and ends. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** @param missing uids of owners that were looked up and do not exist */
export function judgeEviction(pod: PodView, missing?: ReadonlySet<string>): Evictability {
  const { annotations = {} } = pod.metadata;
  const owner = ownerOf(pod);
  const daemonSet = claimedDaemonSet(pod);
  const isThere = daemonSet !== undefined && missing?.has(daemonSet.uid ?? '') !== true;
  if (mirrorAnnotation in annotations || isThere) return 'Never';
  const isUnwanted = annotations[evictAnnotation] === 'false' || annotations[safeToEvictAnnotation] === 'false';
  return isUnwanted || owner === undefined || daemonSet !== undefined ? 'ByForce' : 'Yes';
}

type Owner = NonNullable<PodView['metadata']['ownerReferences']>[number];

/** The owner that replaces the pod. */
export function ownerOf({ metadata }: PodView): Owner | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * The DaemonSet that the pod names as its controller. Anybody may write that into a pod of their own: whether it exists has to be
 * looked up. DaemonSets of other API groups are owners like any other: their pods are evicted.
 */
export function claimedDaemonSet(pod: PodView): Owner | undefined {
  const owner = ownerOf(pod);
  return owner?.kind === 'DaemonSet' && owner.apiVersion === 'apps/v1' ? owner : undefined;
}

/** Why no eviction moves a pod, as what follows its name; undefined if one does. @param missing as for {@link judgeEviction} */
export function explainStaying(pod: PodView, missing?: ReadonlySet<string>): string | undefined {
  const { annotations = {} } = pod.metadata;
  const owner = ownerOf(pod);
  switch (judgeEviction(pod, missing)) {
    case 'Yes':
      return undefined;
    case 'Never':
      return mirrorAnnotation in annotations
        ? 'is a static pod, which no eviction ends'
        : 'belongs to a DaemonSet, which would recreate it';
    case 'ByForce':
      if (owner === undefined) return 'has no controller: nothing would recreate it';
      return claimedDaemonSet(pod) === undefined
        ? `is annotated ${annotations[evictAnnotation] === 'false' ? evictAnnotation : safeToEvictAnnotation}: "false"`
        : `belongs to DaemonSet ${owner.name}, which does not exist: nothing would recreate it`;
  }
}

/** The parts of a PodDisruptionBudget that decide whether an eviction goes through. */
export interface BudgetView {
  readonly metadata: Pick<PodView['metadata'], 'name' | 'namespace' | 'generation'>;
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
interface BudgetRefusal {
  /** `NAMESPACE/NAME` */
  readonly budgets: readonly string[];
  /** Follows the pod's name and `is not evicted: `. */
  readonly message: string;
  /** True if nothing but an edit of the budgets, or of the workload, makes them allow it. */
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

/** Lists the budgets that the eviction of a pod is up to. */
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

/** Whether a budget would not allow one pod to go even with all of its pods healthy: `maxUnavailable: 0`, or as many needed as there are. */
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

/**
 * What becomes of a pod that holds what a plan destroys. `Evicted`: it goes by the Eviction API. `Deleted`: when spec.drain.timeout
 * is over, as the policy says. `Blocked`: its PodDisruptionBudget refuses now. `Stays`: no eviction moves it. `Awaited`: the policy
 * evicts nobody.
 */
type PodFate = 'Evicted' | 'Deleted' | 'Blocked' | 'Stays' | 'Awaited';

interface FateOfPod {
  readonly fate: PodFate;
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** What the fate of pods depends on beside themselves. */
export interface FateFacts {
  /** Disruption budgets of the pods' namespaces. */
  readonly budgets: readonly BudgetView[];
  /** UIDs of DaemonSets that pods name as their owners and that do not exist; undefined: not looked up. */
  readonly missingOwners?: ReadonlySet<string> | undefined;
}

/** Judges by what is known now: a pod's annotations, its owner and its budgets may change. */
export function judgeFate(pod: PodView, drain: PolicySpec['drain'], { budgets, missingOwners }: FateFacts): FateOfPod {
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
