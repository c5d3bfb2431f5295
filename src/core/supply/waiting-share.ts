import { compareText } from '../text/fingerprint.ts';
import { accepts, isInNamespaces, type Waiter } from './pod-demand.ts';
import type { PodPool, PoolNode } from './pod-pool.ts';

/** Slices that pods wait for, by resource. */
export interface WaitingSlices extends ReadonlyMap<string, number> {
  /** For whom others may go, under `evict: IfNeeded`. */
  readonly ranks?: WaitingRanks;
}

/** Pods for which others of lower priority may go. */
export interface WaitingRanks {
  /** By resource and priority, how many slices they wait for. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** The nodes that could take any of them: on no other node somebody goes for them. */
  readonly nodes: ReadonlySet<string>;
}

/** By policy. */
export type WaitingByPolicy = ReadonlyMap<string, WaitingSlices>;

/** Order in which pools take pods that wait: the higher priority first, then by name. */
export function byTurn(a: Pick<PodPool, 'policy' | 'priority'>, b: Pick<PodPool, 'policy' | 'priority'>): number {
  return b.priority - a.priority || compareText(a.policy, b.policy);
}

/**
 * Shares pods that wait among pools, each for one, since it gets one node only: for a pool that serves it as it is; else for one whose
 * demand follows pods with such slices, else one that wants a fixed number of them, else one that could have all of them; of several
 * the one of the higher priority, then the first by name. What a pool that follows pods left unserved also counts for the next one, so
 * that a full pool keeps no pod from another. Yields after each look at a pool, which may be large.
 *
 * @param waiters in any order
 * @param pools disjoint; of policies without a demand too, which may serve a pod already
 */
export function* sharing(
  waiters: readonly Waiter[],
  pools: readonly PodPool[],
): Generator<undefined, WaitingByPolicy, undefined> {
  const ordered = pools.toSorted(byTurn).map((pool) => new OpenPool(pool));
  const shares = new Map(pools.map(({ policy }) => [policy, new Share()]));
  const count = (pool: OpenPool, { requests }: Waiter, pods: number): void => {
    const share = shares.get(pool.policy);
    for (const [name, amount] of requests) share?.set(name, (share.get(name) ?? 0) + amount * pods);
  };
  const rank = (pool: OpenPool, waiter: Waiter, kind: string, pods: number, hasIdle = false): void =>
    shares.get(pool.policy)?.rank({ waiter, pods, hasIdle, nodes: pool.listNodes(waiter, kind) });
  const tellsNamespaces = pools.some(({ namespaceSelector }) => namespaceSelector !== undefined);
  for (const { waiter, kind, pods } of yield* groupAlike(waiters, tellsNamespaces)) {
    let left = pods;
    // 1. One by one, as each takes slices that are idle.
    for (const pool of ordered) {
      yield;
      while (left > 0 && pool.serve(waiter, kind)) {
        // The scheduler knows nothing of demands: what is idle serves pods of any namespace.
        if (pool.counts(waiter)) {
          count(pool, waiter, 1);
          rank(pool, waiter, kind, 1, true);
        }
        left -= 1;
      }
    }
    if (left === 0) continue;
    // 2. Nothing idle serves the others.
    const following = ordered.filter((one) => one.makes(waiter, kind, 'follows'));
    for (const pool of following) {
      if (left === 0) break;
      count(pool, waiter, left);
      const passed = pool === following.at(-1) ? 0 : pool.passOn(waiter, left);
      // Nobody goes for it in two pools at once.
      rank(pool, waiter, kind, left - passed);
      left = passed;
    }
    if (following.length > 0) continue;
    const pool =
      ordered.find((one) => one.makes(waiter, kind, 'fixed')) ?? ordered.find((one) => one.couldHave(waiter, kind));
    if (pool) count(pool, waiter, left);
  }
  return shares;
}

/** Pods that count for a pool, in the order of their priority. */
interface RankedPods {
  readonly waiter: Waiter;
  readonly pods: number;
  /** Something idle serves them. */
  readonly hasIdle: boolean;
  /** The nodes of the pool that could take them. */
  readonly nodes: ReadonlySet<string>;
}

class Share extends Map<string, number> implements WaitingSlices {
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
    const behind = new Map<string, number>();
    let nodes: ReadonlySet<string> | undefined;
    for (const { waiter, pods, hasIdle, nodes: own } of this.#ranked) {
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
      const of = counts.get(resource) ?? new Map<number, number>();
      counts.set(resource, of.set(priority, pods + (of.get(priority) ?? 0)));
    }
    for (const [resource, priority] of behind)
      for (const one of counts.get(resource)?.keys() ?? []) if (one <= priority) counts.get(resource)?.delete(one);
    return { counts, nodes: nodes ?? new Set() };
  }
}

/** Pods without one have been admitted before there was any. */
function priorityOf({ pod }: Waiter): number {
  return pod.spec?.priority ?? 0;
}

function mayPreempt({ pod, ways }: Waiter): boolean {
  return ways === undefined && pod.spec?.preemptionPolicy !== 'Never' && pod.status?.nominatedNodeName === undefined;
}

/** {@link sharing}, at once. */
export function shareWaiting(waiters: readonly Waiter[], pools: readonly PodPool[]): WaitingByPolicy {
  const steps = sharing(waiters, pools);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Pods that require, request and rank the same: the higher priority first, else in an order that does not depend on that of the pods. */
interface AlikePods {
  readonly waiter: Waiter;
  /** What they require of a node. */
  readonly kind: string;
  readonly pods: number;
}

function* groupAlike(
  waiters: readonly Waiter[],
  tellsNamespaces: boolean,
): Generator<undefined, readonly AlikePods[], undefined> {
  const groups = new Map<string, AlikePods>();
  for (const waiter of waiters) {
    yield;
    const kind = kindOf(waiter);
    const key = `${tellsNamespaces ? waiter.pod.metadata.namespace : ''} ${alikeKey(waiter)}`;
    const known = groups.get(key);
    groups.set(key, { waiter, kind, pods: waiter.count + (known?.pods ?? 0) });
  }
  return [...groups]
    .toSorted(([a, one], [b, other]) => priorityOf(other.waiter) - priorityOf(one.waiter) || compareText(a, b))
    .map(([, group]) => group);
}

/** Equal for pods that require and request the same, and rank the same. */
export function alikeKey(waiter: Waiter): string {
  return JSON.stringify([kindOf(waiter), ...waiter.requests, priorityOf(waiter), mayPreempt(waiter)]);
}

function kindOf({ pod, ways }: Waiter): string {
  const places = (ways ?? [{ pod }]).map((way) => {
    const { nodeSelector, affinity, tolerations } = way.pod.spec ?? {};
    return [nodeSelector, affinity, tolerations, 'nodeLabels' in way && way.nodeLabels];
  });
  return JSON.stringify(places);
}

/** A node while pods are given its idle slices. */
interface OpenNode extends PoolNode {
  readonly left: Map<string, number>;
}

/** A pool while pods are given its idle slices. */
class OpenPool {
  readonly policy: string;
  readonly #followsQueues: boolean;
  readonly #namespaceSelector: PodPool['namespaceSelector'];
  readonly #nodes: readonly OpenNode[];
  readonly #overflow: { readonly resources: ReadonlySet<string>; count: number }[];
  /** The nodes that could take pods of a kind. */
  readonly #accepting = new Map<string, readonly OpenNode[]>();

  constructor({ policy, followsQueues, namespaceSelector, nodes, overflow }: PodPool) {
    this.#namespaceSelector = namespaceSelector;
    this.policy = policy;
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

  /** Whether a node of it could take the pod, and be given a slice that the pod requests; others may be fixed, or there already. */
  makes(waiter: Waiter, kind: string, how: 'follows' | 'fixed'): boolean {
    if (!this.counts(waiter) || (waiter.ways !== undefined && !this.#followsQueues)) return false;
    const names = [...waiter.requests.keys()];
    const offers = ({ follows, fixed, idle }: OpenNode, name: string): boolean =>
      follows.has(name) || fixed.has(name) || idle.has(name);
    return this.#listAccepting(waiter, kind).some(
      (one) => names.some((name) => one[how].has(name)) && names.every((name) => offers(one, name)),
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
    return this.#listAccepting(waiter, kind).some(({ possible }) =>
      names.every((name) => possible?.has(name) === true),
    );
  }

  /** The names of the nodes that could take a pod. */
  listNodes(waiter: Waiter, kind: string): ReadonlySet<string> {
    return new Set(this.#listAccepting(waiter, kind).map(({ node }) => node.metadata.name));
  }

  #listAccepting(waiter: Waiter, kind: string): readonly OpenNode[] {
    const known = this.#accepting.get(kind);
    if (known !== undefined) return known;
    const found = this.#nodes.filter(({ node }) => accepts(node, waiter));
    this.#accepting.set(kind, found);
    return found;
  }
}
