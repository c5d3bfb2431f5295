// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here what is kept of a pod that waits for slices.
import { answerAll } from '../text/asking.ts';
import type { DeviceReport } from '../../api/types.ts';
import { isResourceOf, couldTake, requirementsKey } from '../cluster/facts.ts';
import { requestsOf, hasEnded, listRequested, podName, requestOf, type PodView } from '../kubernetes/pod.ts';
import { type NodeView, type LabelSelection, meetsSelection } from '../kubernetes/node.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import { WHOLE } from '../gpu/profiles.ts';
import { namespaceNameLabel } from '../../api/names.ts';
import { unreadUntil, listReportedPods } from '../device/holders.ts';
import { compareText, memoize, omitUndefined } from '../text/json.ts';
import { couldHold, type PodPool } from './members.ts';

/** Whether a resource is a slice that is not shared, the whole GPU included. */
export function isSlice(resource: string): boolean {
  return resource === GPU_RESOURCE || (/^nvidia\.com\/mig-[^/]+$/.test(resource) && !resource.endsWith('.shared'));
}

/** Pods that wait for a node, and not for leave to be scheduled. */
export function isWaiting(pod: PodView): boolean {
  const { metadata, spec } = pod;
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  return spec?.nodeName === undefined && metadata.deletionTimestamp === undefined && !isGated && !hasEnded(pod);
}

/** Reasons of the scheduler for which a pod stays pending whatever slices there are: they are about its volumes, or about other pods. */
const incurable: readonly RegExp[] = [
  /\bunbound immediate PersistentVolumeClaims\b/,
  /^(running "[\w.]+" filter plugin: )?persistentvolumeclaim "[^"]*" (not found|is being deleted|bound to non-existent persistentvolume)\b/,
  /^node\(s\) didn't find available persistent volumes to bind$/,
  /^node\(s\) had volume node affinity conflict$/,
  /^node\(s\) didn't match PersistentVolume's node affinity$/,
  /^node\(s\) had no available volume zone$/,
  /^node\(s\) didn't match pod (affinity|anti-affinity|topology spread constraints)( rules)?( \(missing required label\))?$/,
  /^node\(s\) didn't satisfy existing pods anti-affinity rules$/,
];
/** Reasons for which other nodes refuse it, beside the lack of slices. */
const elsewhere: readonly RegExp[] = [
  /^node\(s\) had untolerated taint(\(s\)| \{[^}]*\})?$/,
  /^node\(s\) (were unschedulable|didn't match Pod's node affinity\/selector|didn't match the requested node name|didn't have free ports for the requested pod ports)$/,
  /^Too many pods$/,
  /^Insufficient (?!nvidia\.com\/(gpu|mig-)).+$/,
];

/**
 * The reason of the scheduler for which no slice helps a pod that waits, as volumes or other pods keep it from every node: from its
 * condition `PodScheduled`. Undefined if there is none, or if the words are not understood: then the pod waits for a slice.
 */
export function explainHopeless({ status }: PodView): string | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const reasons = readReasons(scheduled.message ?? '');
  const found = reasons.filter((reason) => incurable.some((one) => one.test(reason)));
  const isKnown = reasons.every((reason) => found.includes(reason) || elsewhere.some((one) => one.test(reason)));
  return isKnown ? found[0] : undefined;
}

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Too many pods. preemption: …`, without the numbers. */
function readReasons(message: string): readonly string[] {
  const [, list = message] = /^\d+\/\d+ nodes are available: (.*)$/s.exec(message) ?? [];
  const [reasons = ''] = list.split(/\.?\s*(?:preemption: |no new claims|still not schedulable|$)/);
  return reasons.split(', ').map((reason) => reason.replace(/^\d+ /, '').replace(/\.$/, '').trim());
}

/**
 * A pod that waits, reduced to what it requests (all its containers as one) and requires of a node, since when it waits, whom it may
 * preempt, the node that the scheduler has found for it by itself, and why no slice helps it, if so. Of one that requests no slice, only the
 * name is kept.
 */
export function trimWaitingPod(pod: PodView): PodView {
  const { metadata, spec = {} } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = metadata;
  const kept = omitUndefined({ name, namespace, uid, deletionTimestamp });
  const slices = requestsOf(pod, isSlice);
  if (slices.size === 0) return { metadata: kept };
  const { nodeName, nodeSelector, affinity, tolerations, schedulingGates, priority, preemptionPolicy } = spec;
  const requests = listRequested(pod).map((resource) => [
    resource,
    slices.get(resource) ?? writeNano(requestOf(pod, resource)),
  ]);
  const hopeless = explainHopeless(pod);
  const { nominatedNodeName } = pod.status ?? {};
  // Any other word of the scheduler counts for nothing.
  const conditions =
    hopeless === undefined ? undefined : [{ type: 'PodScheduled', status: 'False', message: hopeless }];
  const status = omitUndefined({ nominatedNodeName, conditions });
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: { ...kept, ...omitUndefined({ creationTimestamp }) },
    spec: {
      ...omitUndefined({ nodeName, nodeSelector, tolerations, schedulingGates, priority, preemptionPolicy }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      containers: [{ resources: { requests: Object.fromEntries(requests) } }],
    },
    ...(Object.keys(status).length > 0 && { status }),
  };
}

/** Billionths as a quantity: `2`, `1500000000n`. */
function writeNano(nano: bigint): string {
  return nano % 1_000_000_000n === 0n ? String(nano / 1_000_000_000n) : `${nano}n`;
}

/** Pods that wait alike for slices. */
export interface Waiter {
  readonly pod: PodView;
  readonly count: number;
  /** Slices that each requests, by resource. */
  readonly requests: ReadonlyMap<string, number>;
  /** Labels of its namespace; absent: only its name is known. */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** The flavors that Kueue may assign to a pod that it holds back: the nodes of each, and the pod as it would be there. */
  readonly ways?: readonly { readonly nodeLabels: Readonly<Record<string, string>>; readonly pod: PodView }[];
}

/** Whether a node would accept a pod if it had the slices that the pod requests. */
function nodeTakes(node: NodeView, { pod, ways }: Waiter): boolean {
  if (ways === undefined) return couldTake(node, pod);
  return ways.some((way) => hasLabels(node, way.nodeLabels) && couldTake(node, way.pod));
}

/** Whether a node has labels, those aside that another layout changes. */
export function hasLabels({ metadata }: NodeView, wanted: Readonly<Record<string, string>>): boolean {
  const { labels = {} } = metadata;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value || key.startsWith('nvidia.com/mig-'));
}

/** Labels of namespaces, by name. */
type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Pods as they were read, whether they wait or not. */
export interface WaitingPods {
  readonly pods: readonly PodView[];
  /** Absent: only the names of namespaces are known. */
  readonly namespaces?: NamespaceLabels | undefined;
}

/** The pods that wait for slices; not those that none would help. */
export function listWaiters(pods: readonly PodView[], namespaces: NamespaceLabels = new Map()): readonly Waiter[] {
  return pods.flatMap((pod) => {
    const requests = requestsOf(pod, isSlice);
    const namespaceLabels = namespaces.get(pod.metadata.namespace ?? '');
    return requests.size > 0 && isWaiting(pod) && explainHopeless(pod) === undefined
      ? [{ pod, count: 1, requests, namespaceLabels }]
      : [];
  });
}

/** Whether a pod is in one of the namespaces whose pods count. */
function isInNamespaces({ pod, namespaceLabels }: Waiter, selector: LabelSelection | undefined): boolean {
  const { namespace = '' } = pod.metadata;
  return selector === undefined || meetsSelection(selector, { ...namespaceLabels, [namespaceNameLabel]: namespace });
}

/** Whether a resource is that of a profile, or of whole GPUs. */
export function isOfProfile(resource: string, profile: string): boolean {
  return profile === WHOLE ? resource === GPU_RESOURCE : isResourceOf(resource, profile);
}

/** Slices that pods wait for, by resource. */
export interface WaitingSlices extends ReadonlyMap<string, number> {
  /** Pods for which others may go, under `evict: IfNeeded`. */
  readonly ranks?: WaitingRanks;
}

/** Slices by resource and priority. */
type CountsByRank = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Pods for which others of lower priority may go. */
interface WaitingRanks {
  /** Slices that these pods wait for. */
  readonly counts: CountsByRank;
  /** The part of the counts whose pods have waited for the stabilization of the demand. */
  readonly patient: CountsByRank;
  /** The part of the counts that nothing idle serves. */
  readonly missing: CountsByRank;
  /** The nodes that could take any of them: on no other node somebody goes for them. */
  readonly nodes: ReadonlySet<string>;
}

/** The slices waited for, by policy. */
type WaitingByPolicy = ReadonlyMap<string, WaitingSlices>;

/**
 * So many kinds of pods of one namespace are looked at, those of which most pods wait first: each is compared with every node of the
 * cluster. The bound is one for each namespace, or one tenant would hide the pods of the others.
 */
export const mostKinds = 100;

/** Pods that wait and count for no pool. */
export interface Uncounted {
  readonly namespace: string;
  readonly pods: number;
  /** The reason: the pods are of more kinds than are looked at, or one pod requests more slices than a node of a pool can ever hold. */
  readonly why: 'Kinds' | { readonly policy: string; readonly pod: string };
}

/** What pods that wait ask of the pool of a policy. */
export interface PoolShare {
  readonly waiting: WaitingSlices;
  /** The part of the waiting slices that nothing idle serves, by resource. */
  readonly missing: ReadonlyMap<string, number>;
  /** Slices of these resources, by resource, that are idle nonetheless: on nodes where the pods cannot run, or not together on one. */
  readonly stranded: ReadonlyMap<string, number>;
  /** Nodes that would take some of the pods that nothing idle serves; undefined if there are none. */
  readonly takers: ReadonlySet<string> | undefined;
}

/** Order in which pools take pods that wait: the higher priority first, then by name. */
export function byTurn(a: Pick<PodPool, 'policy' | 'priority'>, b: Pick<PodPool, 'policy' | 'priority'>): number {
  return b.priority - a.priority || compareText(a.policy, b.policy);
}

/**
 * Shares pods that wait among pools, each for one, since it gets one node only: for a pool that serves it as it is; else for one whose
 * demand follows pods with such slices, else one that wants a fixed number of them, else one that could have all of them; of several
 * the one of the higher priority, then the first by name. What a pool that follows pods left unserved also counts for the next one, so
 * that a full pool keeps no pod from another. A pool that cannot change now comes after those that can, and one that never does gets
 * no pods but those that its slices serve. Yields after each look at a pool, which may be large.
 *
 * @param waiters in any order; one that has a slice by now, though the list of pods is older, counts as its use
 * @param pools disjoint; of policies without a demand too, which may serve a pod already
 * @param leave called with pods that count for none although they ask for slices that one follows
 */
export function* assignWaitingPods(
  waiters: readonly Waiter[],
  pools: readonly PodPool[],
  leave: (left: Uncounted) => void = () => {},
): Generator<undefined, ReadonlyMap<string, PoolShare>, unknown> {
  const ordered = pools.toSorted(byTurn).map((pool) => new OpenPool(pool));
  const changing = (['Now', 'Later'] as const).flatMap((acts) => ordered.filter((one) => one.acts === acts));
  const tellsNamespaces = pools.some(({ namespaceSelector }) => namespaceSelector !== undefined);
  const waiting = yield* leaveRunning(waiters, pools);
  for (const { waiter, kind, pods, sinceMs } of yield* groupAlike(waiting, tellsNamespaces, leave)) {
    let left = pods;
    // Those that have waited longest come first.
    const next = (count: number): readonly number[] => sinceMs.slice(pods - left, pods - left + count);
    // 1. One by one, as each takes slices that are idle.
    for (const pool of ordered) {
      yield;
      while (left > 0 && pool.serve(waiter, kind)) {
        // The scheduler knows nothing of demands: what is idle serves pods of any namespace.
        if (pool.counts(waiter)) {
          pool.take(waiter, 1);
          pool.rank(waiter, kind, next(1), true);
        }
        left -= 1;
      }
    }
    if (left === 0) continue;
    // 2. Nothing idle serves the others.
    const following = changing.filter((one) => one.makes(waiter, kind, 'follows'));
    for (const pool of following) {
      if (left === 0) break;
      pool.take(waiter, left);
      pool.miss(waiter, kind, left);
      const passed = pool === following.at(-1) ? 0 : pool.passOn(waiter, left);
      // Nobody goes for it in two pools at once.
      pool.rank(waiter, kind, next(left - passed), false);
      left = passed;
    }
    if (following.length > 0) continue;
    const fixed = changing.find((one) => one.makes(waiter, kind, 'fixed'));
    const other = fixed ? undefined : ordered.find((one) => one.couldHave(waiter, kind));
    const pool = fixed ?? other;
    pool?.take(waiter, left);
    // Another policy would follow them.
    other?.miss(waiter, kind, left);
    other?.rank(waiter, kind, next(left), false);
    const meant = pool ? undefined : ordered.find((one) => one.makes(waiter, kind, 'follows', true));
    const { namespace = '', name } = waiter.pod.metadata;
    if (meant) leave({ namespace, pods: left, why: { policy: meant.policy, pod: name } });
  }
  return new Map(ordered.map((pool) => [pool.policy, pool.share()]));
}

const holdersOf = memoize((device: DeviceReport): readonly string[] => listReportedPods(device).holders);

/** Those that no agent has reported since: pods are read from time to time, and what is in use all the time. */
function* leaveRunning(
  waiters: readonly Waiter[],
  pools: readonly PodPool[],
): Generator<undefined, readonly Waiter[], unknown> {
  const byName = new Map(waiters.flatMap((one) => (one.ways === undefined ? [[podName(one.pod), one]] : [])));
  const running = new Set<Waiter>();
  for (const { device } of pools.flatMap(({ nodes }) => nodes)) {
    yield;
    if (device?.readTime === undefined) continue;
    for (const name of holdersOf(device)) {
      const waiter = byName.get(name);
      // One that follows another of its name, on a node whose agent is silent, does wait.
      if (waiter !== undefined && unreadUntil(waiter.pod, device) === undefined) running.add(waiter);
    }
  }
  return running.size === 0 ? waiters : waiters.filter((one) => !running.has(one));
}

/** Pods that count for a pool, in the order of their priority. */
interface RankedPods {
  readonly waiter: Waiter;
  readonly pods: number;
  /** How many of them have waited for the stabilization of the demand. */
  readonly patient: number;
  /** Something idle serves them. */
  readonly hasIdle: boolean;
  /** The nodes of the pool that could take them. */
  readonly nodes: ReadonlySet<string>;
}

class RankedShare extends Map<string, number> implements WaitingSlices {
  readonly #ranked: RankedPods[] = [];

  rank(pods: RankedPods): void {
    if (pods.pods > 0) this.#ranked.push(pods);
  }

  /**
   * Nobody goes for a pod that may not preempt, that the scheduler has found a node for by itself, that requests several slices, of which
   * it might get one, or that Kueue holds back; nor for one behind such a pod, which would take what is freed. Those of the highest
   * priority say which nodes serve.
   */
  get ranks(): WaitingRanks {
    const counts = new Map<string, Map<number, number>>();
    const patient = new Map<string, Map<number, number>>();
    const missing = new Map<string, Map<number, number>>();
    const behind = new Map<string, number>();
    let nodes: ReadonlySet<string> | undefined;
    for (const { waiter, pods, patient: lasting, hasIdle, nodes: own } of this.#ranked) {
      const priority = priorityOf(waiter);
      const [[resource, amount] = ['', 0], ...others] = waiter.requests;
      const isAble = amount === 1 && others.length === 0 && mayPreempt(waiter) && own.size > 0;
      const reaches = nodes === undefined || [...nodes].every((node) => own.has(node));
      if (!isAble || !reaches) {
        const takes = waiter.ways === undefined && waiter.pod.status?.nominatedNodeName === undefined;
        if (!hasIdle && takes)
          for (const name of waiter.requests.keys()) behind.set(name, Math.max(priority, behind.get(name) ?? priority));
        continue;
      }
      nodes ??= own;
      const add = (into: Map<string, Map<number, number>>, count: number): void => {
        const of = into.get(resource) ?? new Map<number, number>();
        into.set(resource, of.set(priority, count + (of.get(priority) ?? 0)));
      };
      add(counts, pods);
      add(patient, lasting);
      if (!hasIdle) add(missing, pods);
    }
    for (const [resource, priority] of behind)
      for (const one of counts.get(resource)?.keys() ?? []) if (one <= priority) counts.get(resource)?.delete(one);
    return { counts, patient, missing, nodes: nodes ?? new Set() };
  }
}

/** Pods without one have been admitted before there was any. */
function priorityOf({ pod }: Waiter): number {
  return pod.spec?.priority ?? 0;
}

function waitsSince({ pod }: Waiter): number {
  const { creationTimestamp } = pod.metadata;
  return creationTimestamp === undefined ? -Infinity : Date.parse(creationTimestamp);
}

function mayPreempt({ pod, ways }: Waiter): boolean {
  return ways === undefined && pod.spec?.preemptionPolicy !== 'Never' && pod.status?.nominatedNodeName === undefined;
}

/** {@link assignWaitingPods}, at once. */
export function shareSlices(waiters: readonly Waiter[], pools: readonly PodPool[]): ReadonlyMap<string, PoolShare> {
  return answerAll(assignWaitingPods(waiters, pools), () => undefined);
}

/** The waiting slices of {@link shareSlices}, by policy. */
export function shareWaiting(waiters: readonly Waiter[], pools: readonly PodPool[]): WaitingByPolicy {
  return new Map([...shareSlices(waiters, pools)].map(([policy, { waiting }]) => [policy, waiting]));
}

/** Pods that require, request and rank the same: the higher priority first, else in an order that does not depend on that of the pods. */
interface AlikePods {
  readonly waiter: Waiter;
  /** A key of what the pods require of a node. */
  readonly kind: string;
  readonly pods: number;
  /** Since when each of them waits, in ms, the earliest first; those of which that is not known have always waited. */
  readonly sinceMs: readonly number[];
}

function* groupAlike(
  waiters: readonly Waiter[],
  tellsNamespaces: boolean,
  leave: (left: Uncounted) => void,
): Generator<undefined, readonly AlikePods[], unknown> {
  const groups = new Map<string, Omit<AlikePods, 'pods' | 'sinceMs'> & { readonly sinceMs: number[] }>();
  const byNamespace = new Map<string, Map<string, number>>();
  for (const waiter of waiters) {
    yield;
    const { namespace = '' } = waiter.pod.metadata;
    const key = `${tellsNamespaces ? namespace : ''} ${alikeKey(waiter)}`;
    const group = groups.get(key) ?? { waiter, kind: kindOf(waiter), sinceMs: [] };
    groups.set(key, group);
    // Nobody goes for what Kueue holds back, of which there may be any number.
    if (waiter.ways === undefined)
      group.sinceMs.push(...Array.from({ length: waiter.count }, () => waitsSince(waiter)));
    const kinds = byNamespace.get(namespace) ?? new Map<string, number>();
    byNamespace.set(namespace, kinds.set(key, (kinds.get(key) ?? 0) + waiter.count));
  }
  const pods = new Map<string, number>();
  for (const [namespace, kinds] of byNamespace) {
    const ordered = [...kinds].toSorted(([a, many], [b, more]) => more - many || compareText(a, b));
    const left = ordered.splice(mostKinds).reduce((sum, [, count]) => sum + count, 0);
    for (const [key, count] of ordered) pods.set(key, (pods.get(key) ?? 0) + count);
    if (left > 0) leave({ namespace, pods: left, why: 'Kinds' });
  }
  return [...groups]
    .toSorted(([a, one], [b, other]) => priorityOf(other.waiter) - priorityOf(one.waiter) || compareText(a, b))
    .flatMap(([key, group]) => {
      const count = pods.get(key);
      const sinceMs = group.sinceMs.toSorted((a, b) => a - b);
      return count === undefined ? [] : [{ ...group, sinceMs, pods: count }];
    });
}

/** Equal for pods that require and request the same, and rank the same. */
export function alikeKey(waiter: Waiter): string {
  return JSON.stringify([kindOf(waiter), ...waiter.requests, priorityOf(waiter), mayPreempt(waiter)]);
}

function kindOf({ pod, ways }: Waiter): string {
  const places = (ways ?? [{ pod }]).map((way) => {
    return [requirementsKey(way.pod), 'nodeLabels' in way && way.nodeLabels];
  });
  return JSON.stringify(places);
}

/** A node while pods are given its idle slices. */
type OpenNode = PodPool['nodes'][number] & { readonly left: Map<string, number> };

/** A pool while pods are given its idle slices. */
class OpenPool {
  readonly policy: string;
  readonly acts: PodPool['acts'];
  readonly #patientMs: number;
  readonly #followsQueues: boolean;
  readonly #namespaceSelector: PodPool['namespaceSelector'];
  readonly #nodes: readonly OpenNode[];
  readonly #overflow: { readonly resources: ReadonlySet<string>; count: number }[];
  readonly #waiting = new RankedShare();
  /** The slices waited for that nothing idle serves, by resource. */
  readonly #missing = new Map<string, number>();
  readonly #takers = new Set<string>();
  /** The nodes that could take pods of a kind. */
  readonly #accepting = new Map<string, readonly OpenNode[]>();

  constructor({ policy, followsQueues, namespaceSelector, nodes, overflow, acts, patientMs = Infinity }: PodPool) {
    this.#patientMs = patientMs;
    this.#namespaceSelector = namespaceSelector;
    this.policy = policy;
    this.acts = acts;
    this.#overflow = overflow.map((one) => ({ ...one }));
    this.#followsQueues = followsQueues;
    this.#nodes = nodes.map((one) => ({ ...one, left: new Map(one.idle) }));
  }

  /** Whether pods of its namespace count for its demand. */
  counts(waiter: Waiter): boolean {
    return isInNamespaces(waiter, this.#namespaceSelector);
  }

  /** Takes idle slices for a pod from a node that could take it. @returns whether there was one */
  serve(waiter: Waiter, kind: string): boolean {
    const { requests } = waiter;
    const found = this.#listAccepting(waiter, kind).find(({ left }) =>
      [...requests].every(([name, amount]) => (left.get(name) ?? 0) >= amount),
    );
    for (const [name, amount] of requests) found?.left.set(name, (found.left.get(name) ?? 0) - amount);
    return found !== undefined;
  }

  /** Counts pods for the pool. */
  take({ requests }: Waiter, pods: number): void {
    for (const [name, amount] of requests) this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + amount * pods);
  }

  /** Takes in how pods that count for the pool rank. @param sinceMs since when each of them waits */
  rank(waiter: Waiter, kind: string, sinceMs: readonly number[], hasIdle: boolean): void {
    const patient = sinceMs.filter((since) => since <= this.#patientMs).length;
    this.#waiting.rank({ waiter, pods: sinceMs.length, patient, hasIdle, nodes: this.#listNodes(waiter, kind) });
  }

  /** Takes in that nothing idle serves some of its pods. */
  miss(waiter: Waiter, kind: string, pods: number): void {
    for (const node of this.#listNodes(waiter, kind)) this.#takers.add(node);
    for (const [name, amount] of waiter.requests)
      this.#missing.set(name, (this.#missing.get(name) ?? 0) + amount * pods);
  }

  share(): PoolShare {
    const leftOf = (name: string): number => this.#nodes.reduce((sum, { left }) => sum + (left.get(name) ?? 0), 0);
    const stranded = [...this.#missing.keys()].map((name) => [name, leftOf(name)] as const);
    return {
      waiting: this.#waiting,
      missing: this.#missing,
      stranded: new Map(stranded.filter(([, amount]) => amount > 0)),
      takers: this.#missing.size === 0 ? undefined : this.#takers,
    };
  }

  /**
   * Whether a node of it could take the pod, and be given a slice that the pod requests; others may be fixed, or there already. A pod that
   * requests more than the node can ever hold would take all room there is, and wait as before.
   */
  makes(waiter: Waiter, kind: string, how: 'follows' | 'fixed', isAnyAmount = false): boolean {
    if (!this.counts(waiter) || (waiter.ways !== undefined && !this.#followsQueues)) return false;
    const names = [...waiter.requests.keys()];
    const offers = ({ follows, fixed, idle }: OpenNode, name: string): boolean =>
      follows.has(name) || fixed.has(name) || idle.has(name);
    return this.#listAccepting(waiter, kind).some(
      (one) =>
        names.some((name) => one[how].has(name)) &&
        names.every((name) => offers(one, name)) &&
        (isAnyAmount || couldHold(one, waiter.requests)),
    );
  }

  /** @returns how many of these pods its last plan left unserved; each is passed on once */
  passOn({ requests }: Waiter, pods: number): number {
    let most = 0;
    for (const [name, amount] of requests) {
      const found = this.#overflow.find(({ resources, count }) => count > 0 && resources.has(name));
      const passed = found === undefined ? 0 : Math.min(pods, Math.ceil(found.count / amount));
      if (found) found.count -= passed * amount;
      most = Math.max(most, passed);
    }
    return most;
  }

  /** Whether a node of it could take the pod, and have all that it requests under another policy. */
  couldHave(waiter: Waiter, kind: string): boolean {
    const names = [...waiter.requests.keys()];
    if (!this.counts(waiter)) return false;
    return this.#listAccepting(waiter, kind).some(
      (one) => names.every((name) => one.possible?.has(name) === true) && couldHold(one, waiter.requests),
    );
  }

  /** The names of the nodes that could take a pod, and hold what it requests. */
  #listNodes(waiter: Waiter, kind: string): ReadonlySet<string> {
    const able = this.#listAccepting(waiter, kind).filter((one) => couldHold(one, waiter.requests));
    return new Set(able.map(({ node }) => node.metadata.name));
  }

  #listAccepting(waiter: Waiter, kind: string): readonly OpenNode[] {
    const known = this.#accepting.get(kind);
    if (known !== undefined) return known;
    const found = this.#nodes.filter(({ node }) => nodeTakes(node, waiter));
    this.#accepting.set(kind, found);
    return found;
  }
}
