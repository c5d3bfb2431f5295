// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here what becomes of a pod that is in the way of a change, and what of a node rests since one was.
import { type PodView, isReady, hasEnded, mirrorAnnotation } from '../kubernetes/pod.ts';
import { evictAnnotation, retryAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import { type LabelSelection, meetsSelection } from '../kubernetes/node.ts';
import { countWords, cutText } from '../text/words.ts';
import type { PolicySpec, NodePartitionStatus, GpuNodePartition } from '../../api/types.ts';
import { growingRestMs, type WaitName, type Waits, type NodeMemory, recallMemory } from './memory.ts';
import { type RuleInput, type Ruling, waitOpen } from './commands.ts';
import { generationOf, mostRepairs, recallFailure } from './grants.ts';
import { canonicalJson, fingerprint } from '../text/json.ts';
import { wishHash } from '../device/plan.ts';
import { wishOf } from './snapshot.ts';
import { presumeAffected } from './rules/users.ts';
import { timeText } from '../text/syntax.ts';

/**
 * How a pod can be removed, in the terms of `kubectl drain`. `Never`: a static pod, which the API cannot end, or a DaemonSet's,
 * which comes back at once. `ByForce`: nothing replaces it, or its owner does not want it evicted.
 */
type Evictability = 'Yes' | 'ByForce' | 'Never';

interface EvictionJudgement {
  readonly evictable: Evictability;
  /** Why no eviction moves the pod, as what follows its name; undefined if one does. */
  readonly why?: string;
}

/** @param missing uids of owners that were looked up and do not exist */
export function judgeEviction(pod: PodView, missing?: ReadonlySet<string>): EvictionJudgement {
  const { annotations = {} } = pod.metadata;
  const owner = ownerOf(pod);
  const daemonSet = claimedDaemonSet(pod);
  if (mirrorAnnotation in annotations) return { evictable: 'Never', why: 'is a static pod, which no eviction ends' };
  if (daemonSet !== undefined && missing?.has(daemonSet.uid ?? '') !== true)
    return { evictable: 'Never', why: 'belongs to a DaemonSet, which would recreate it' };
  if (owner === undefined) return { evictable: 'ByForce', why: 'has no controller: nothing would recreate it' };
  if (daemonSet !== undefined)
    return {
      evictable: 'ByForce',
      why: `belongs to DaemonSet ${owner.name}, which does not exist: nothing would recreate it`,
    };
  const unwanted = [evictAnnotation, safeToEvictAnnotation].find((key) => annotations[key] === 'false');
  return unwanted === undefined
    ? { evictable: 'Yes' }
    : { evictable: 'ByForce', why: `is annotated ${unwanted}: "false"` };
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
  const { evictable, why: staying } = judgeEviction(pod, missingOwners);
  if (staying !== undefined) {
    return forced !== undefined && evictable === 'ByForce'
      ? { fate: 'Deleted', message: `it ${staying}; ${forced}` }
      : { fate: 'Stays', message: `it ${staying}` };
  }
  const refusal = judgeBudgets(pod, budgets);
  if (refusal === undefined) return { fate: 'Evicted' };
  if (forced !== undefined) return { fate: 'Blocked', message: `${refusal.message}; ${forced}` };
  return { fate: refusal.isLasting ? 'Stays' : 'Blocked', message: refusal.message };
}

/** Waits in which a node that could not change is left alone, longer each time. */
const restNames = ['DrainRest', 'HoldersRest'] as const satisfies readonly WaitName[];
type RestName = (typeof restNames)[number];

/** What is kept in the status of the node's partition, so that it survives a change of leader. */
export const longestBlockers = 900;

interface Rest {
  /** The reason that the node reports. */
  readonly reason: string;
  /** The pods or GPU clients in the way, and why they are. */
  readonly blockers: string;
  /** How often this has happened, from 1. */
  readonly count: number;
  /** The time at which the rest began, in ms since the epoch. */
  readonly since: number;
  /** Milliseconds until the next attempt; not positive if it may begin. */
  readonly leftMs: number;
  /** Pods that had to go when an attempt ended for which some were evicted; 0 if none was. */
  readonly size: number;
  /** The pods that were in the way. */
  readonly pods: RestingPods;
}

interface RestingPods {
  readonly count: number;
  /** Marks of the first pods, up to {@link mostMarks}. */
  readonly marks: readonly string[];
}

/** Most marks kept of the pods in the way. All that a wait is about has room for 1024 characters. */
const mostMarks = 8;

/**
 * What is currently asked of the node: the policy's generation, what that makes of the node, and a retry. A schedule or a demand makes
 * another wish of the same generation.
 */
export function askedOf(situation: RuleInput): string {
  const { annotations } = situation.node.metadata;
  const wish = wishOf(situation);
  return fingerprint(canonicalJson([generationOf(situation), annotations?.[retryAnnotation], wish && wishHash(wish)]));
}

/**
 * Leaves the node alone once more.
 *
 * @param pods those in the way @param evicted see {@link Rest.size}; 0: as before @returns also what the outcome waits for
 */
export function beginRest(
  situation: RuleInput,
  name: RestName,
  reason: string,
  blockers: string,
  pods: readonly PodView[] = [],
  evicted = 0,
): Rest & { readonly waits: Waits } {
  const { now } = situation;
  const before = findRest(situation, name);
  const count = (before?.count ?? 0) + 1;
  const size = evicted > 0 ? evicted : (before?.size ?? 0);
  const kept = cutText(blockers, longestBlockers);
  const marks = pods.slice(0, mostMarks).map(markOf);
  const of = [reason, askedOf(situation), size, `${pods.length}:${marks.join(',')}`, kept].join(' ');
  const waits = { [name]: { since: now, of, count } };
  const resting = { count: pods.length, marks };
  return { reason, blockers: kept, count, size, pods: resting, since: now, leftMs: growingRestMs(count), waits };
}

/** The node's last rest; undefined if there was none, or if the policy was edited, makes something else of the node, or a retry was asked for since. */
export function findRest(situation: RuleInput, name: RestName): Rest | undefined {
  const { memory, now } = situation;
  const { since, of = '', count = 1 } = memory.waits[name] ?? {};
  const [reason = '', asked, size, named = '', ...blockers] = of.split(' ');
  if (since === undefined || asked !== askedOf(situation)) return undefined;
  const leftMs = since + growingRestMs(count) - now;
  const [pods, marks = ''] = named.split(':');
  const resting = { count: Number(pods), marks: marks.split(',').filter((mark) => mark !== '') };
  return { reason, blockers: blockers.join(' '), count, size: Number(size), pods: resting, since, leftMs };
}

/**
 * What a decision gives up for a while stays given up, whatever becomes of its commands: the answer to the write that opens the node may
 * be lost, and without its rest the node would be closed again at once.
 */
export function adoptRests(before: NodeMemory, { waits }: Pick<NodeMemory, 'waits'>): NodeMemory {
  const rests = restNames.flatMap((name) => (waits[name] === undefined ? [] : [[name, waits[name]] as const]));
  return { ...before, waits: { ...before.waits, ...Object.fromEntries(rests) } };
}

/** A node's rest for a reason, from its status; undefined if there is none. */
function recallRest(status: NodePartitionStatus | undefined, reason: string): { readonly count: number } | undefined {
  const { waits } = recallMemory(status);
  const rest = restNames.flatMap((name) => waits[name] ?? []).find(({ of }) => of?.split(' ')[0] === reason);
  return rest && { count: rest.count ?? 1 };
}

/** Whether a pod is one of those that a rest keeps: one that was created since, under the same name, is another. */
export function blocksDrain(pod: Pick<PodView, 'metadata'>, { pods }: Rest): boolean {
  return pods.marks.includes(markOf(pod));
}

/** Whether a pod was there when the rest began. */
function isBefore({ metadata }: Pick<PodView, 'metadata'>, { since }: Rest): boolean {
  return !(Date.parse(metadata.creationTimestamp ?? '') > since);
}

/** Whether a rest keeps all of its pods: of many only the first are. */
export function keepsAll({ pods }: Rest): boolean {
  return pods.count === pods.marks.length;
}

function markOf({ metadata }: Pick<PodView, 'metadata'>): string {
  return fingerprint(metadata.uid ?? '').slice(-8);
}

/** Why a drain was given up. */
const causes = {
  DrainTimeout: 'the pods on instances that must go did not end within spec.drain.timeout',
  DrainLoop: 'pods of the same owner came back after each eviction',
  EvictionBlocked: 'disruption budgets never allow the eviction of pods that must go',
  PodsUseGpus: 'the kubelet has not reported in time which GPUs some pods use',
} as const;
type Cause = keyof typeof causes;

/**
 * Opens the node with nothing changed, and leaves its pods alone for a while, longer each time.
 * @param pods those in the way @param evicted how many pods had to go, if some of them were evicted
 */
export function backOffDrain(
  situation: RuleInput,
  reason: Cause,
  blockers: string,
  pods: readonly PodView[],
  evicted = 0,
): Ruling {
  const rest = beginRest(situation, 'DrainRest', reason, blockers, pods, evicted);
  return { ...resting(situation, reason, rest), waits: rest.waits };
}

/** Pods that did not go in time are left alone as long as the rest lasts and they are there. */
export function drainRests(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const rest = findRest(situation, 'DrainRest');
  if (rest === undefined || rest.leftMs <= 0 || !isCause(rest.reason)) return undefined;
  const others = keepsAll(rest) ? [] : presumeAffected(situation, pods).filter((pod) => isBefore(pod, rest));
  const isThere = others.length > 0 || pods.some((pod) => !hasEnded(pod) && blocksDrain(pod, rest));
  return isThere ? resting(situation, rest.reason, rest) : undefined;
}

/** No pod stays announced, even if the node stays closed for another cause. */
function resting({ now, partition }: RuleInput, reason: Cause, { blockers, leftMs }: Rest): Ruling {
  const message = `${causes[reason]}: ${blockers}. Nothing was changed; the next attempt is at ${timeText(now + leftMs)}`;
  return {
    ...waitOpen('Waiting', reason, message, leftMs + 10),
    commands: partition.spec.drain === undefined ? [] : [{ name: 'WriteDrain', drain: null }],
  };
}

function isCause(reason: string): reason is Cause {
  return reason in causes;
}

/** A failure that a person can ask to have retried. */
interface RestingFailure {
  /** The code of the agent's error, such as `InUse`; or the node's reason, such as `DrainTimeout`. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU, if it is about one. */
  readonly gpu?: string;
  /** How often the same failure has occurred in a row; if the GPUs drift, how often they were repaired. */
  readonly equal: number;
  /** Whether it is left alone, longer each time; otherwise its next attempt is near. */
  readonly isResting: boolean;
}

/** What has failed on a node and is not being retried now; undefined if nothing has failed or a retry is under way. */
export function findResting({ status }: GpuNodePartition): RestingFailure | undefined {
  const { step, error } = status?.device ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const rest = ready && recallRest(status, ready.reason);
  if (ready && rest) return { code: ready.reason, message: ready.message, equal: rest.count, isResting: true };
  if (ready?.reason === 'GpusGone') return { code: ready.reason, message: ready.message, equal: 1, isResting: true };
  if (ready?.reason === 'Drifting')
    return { code: ready.reason, message: ready.message, equal: mostRepairs, isResting: true };
  if (step !== 'Failed' || !error) return undefined;
  return {
    code: error.code,
    message: error.message,
    ...(error.gpu !== undefined && { gpu: error.gpu }),
    equal: recallFailure(status)?.equal ?? 1,
    isResting: ready?.reason === 'Resting',
  };
}
