import type {
  DemandState,
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  PolicySpec,
} from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { isClosed, type NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { isWhole, nameSlice, profilesServing, type SliceEntry } from '../policy/demand-profiles.ts';
import { compareText } from '../text/fingerprint.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { noProfiles } from './member.ts';
import { accepts, type Waiter } from './pod-demand.ts';

/** A node of a pool, as a pod that waits sees it. */
export interface PoolNode {
  readonly node: NodeView;
  /** Slices that nobody uses now, by resource. */
  readonly idle: ReadonlyMap<string, number>;
  /** Slices that the demand of its policy follows pods with, and those of which it wants a fixed number. */
  readonly follows: ReadonlySet<string>;
  readonly fixed: ReadonlySet<string>;
  /** Slices that it would have under another policy, where one is looked for. */
  readonly possible?: ReadonlySet<string>;
}

/** The nodes over which a policy decides. */
export interface PodPool {
  readonly policy: string;
  readonly priority: number;
  /** Whether its demand follows what Kueue holds back, too. */
  readonly followsQueues: boolean;
  readonly nodes: readonly PoolNode[];
  readonly overflow: readonly Overflow[];
}

/** Slices that pods wait for, and that the last plan of a pool left unserved: another pool may have room for them. */
export interface Overflow {
  /** The slices that serve these pods. */
  readonly resources: ReadonlySet<string>;
  readonly count: number;
}

/** Reads the nodes over which a policy decides. */
export class PoolReader {
  readonly #policy: Pick<GpuPartitionPolicy, 'spec'>;
  /** What the slices of the demand can be, by what GPUs differ in. */
  readonly #made = new Map<Geometry, Map<string, Pick<PoolNode, 'follows' | 'fixed'>>>();

  constructor(policy: Pick<GpuPartitionPolicy, 'spec'>) {
    this.#policy = policy;
  }

  read(node: NodeView, partition: GpuNodePartition | undefined): PoolNode {
    const { device = {} } = partition?.status ?? {};
    const { strategy, sharing } = this.#policy.spec;
    const gpus = sharing === undefined ? (device.gpus ?? []) : [];
    const idle = new Map<string, number>();
    // Those of a closed node may go.
    const open = isClosed(node) ? [] : gpus.flatMap((gpu) => listIdle(gpu, strategy));
    for (const resource of open) idle.set(resource, (idle.get(resource) ?? 0) + 1);
    const made = gpus.map((gpu) => this.#madeOf(device, gpu));
    const join = (how: 'follows' | 'fixed'): ReadonlySet<string> => {
      const [first = new Set<string>(), ...others] = new Set(made.map((one) => one[how]));
      return others.length === 0 ? first : new Set([first, ...others].flatMap((one) => [...one]));
    };
    return { node, idle, follows: join('follows'), fixed: join('fixed') };
  }

  /** @param states how the demand stood after its last plan, for the nodes that were read */
  listOverflow(states: readonly DemandState[] = []): readonly Overflow[] {
    return (this.#policy.spec.demand?.slices ?? []).flatMap((slice) => {
      const state = states.find(({ name }) => name === nameSlice(slice));
      const count = state === undefined || slice.count !== undefined ? 0 : countOverflow(slice, state);
      if (count === 0) return [];
      const served = [...this.#made].flatMap(([geometry, products]) =>
        [...products.keys()].flatMap((product) => serving(slice, geometry, product)),
      );
      return [{ resources: new Set(served), count }];
    });
  }

  #madeOf(device: DeviceReport, gpu: GpuReport): Pick<PoolNode, 'follows' | 'fixed'> {
    const { product } = gpu;
    const slices = this.#policy.spec.demand?.slices ?? [];
    if (slices.length === 0) return makesNothing;
    const geometry = liveGeometry(device, gpu) ?? noProfiles;
    const byProduct = this.#made.get(geometry) ?? new Map<string, Pick<PoolNode, 'follows' | 'fixed'>>();
    this.#made.set(geometry, byProduct);
    const known = byProduct.get(product);
    if (known !== undefined) return known;
    const list = (some: typeof slices): ReadonlySet<string> =>
      new Set(some.flatMap((slice) => serving(slice, geometry, product)));
    const made = {
      follows: list(slices.filter(({ count }) => count === undefined)),
      fixed: list(slices.filter(({ count }) => count !== undefined)),
    };
    byProduct.set(product, made);
    return made;
  }
}

const makesNothing = { follows: new Set<string>(), fixed: new Set<string>() };

function serving(slice: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  return isWhole(slice) ? [GPU_RESOURCE] : profilesServing(slice, geometry, product).map(resourceOf);
}

/** What is spare goes short first. What has not been asked for long enough is not wanted yet: it does not overflow. */
function countOverflow({ max = Infinity }: SliceEntry, { wanted, used, waiting = 0, unmet }: DemandState): number {
  const asked = used + waiting;
  const spare = Math.max(0, wanted - asked);
  return Math.min(waiting, Math.max(0, asked - max) + Math.max(0, unmet - spare));
}

/** What a GPU offers and nobody uses, one resource for each slice. */
function listIdle(
  { error, mig, busy, pods = [], instances }: GpuReport,
  strategy: PolicySpec['strategy'],
): readonly string[] {
  if (error !== undefined) return [];
  if (strategy === 'none' || mig !== 'Enabled') return busy === true || pods.length > 0 ? [] : [GPU_RESOURCE];
  const idle = instances.filter((instance) => instance.busy !== true);
  return idle.map(({ profile }) => (strategy === 'single' ? GPU_RESOURCE : resourceOf(profile)));
}

function resourceOf(profile: string): string {
  return migResourceName(labelProfile(profile));
}

/** Slices that pods wait for, by policy and resource. */
export type WaitingByPolicy = ReadonlyMap<string, ReadonlyMap<string, number>>;

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
  const ordered = pools
    .toSorted((a, b) => b.priority - a.priority || compareText(a.policy, b.policy))
    .map((pool) => new OpenPool(pool));
  const shares = new Map(pools.map(({ policy }) => [policy, new Map<string, number>()]));
  const count = (pool: OpenPool, { requests }: Waiter, pods: number): void => {
    const share = shares.get(pool.policy);
    for (const [name, amount] of requests) share?.set(name, (share.get(name) ?? 0) + amount * pods);
  };
  for (const { waiter, kind, pods } of yield* groupAlike(waiters)) {
    let left = pods;
    // 1. One by one, as each takes slices that are idle.
    for (const pool of ordered) {
      yield;
      while (left > 0 && pool.serve(waiter, kind)) {
        count(pool, waiter, 1);
        left -= 1;
      }
    }
    if (left === 0) continue;
    // 2. Nothing idle serves the others.
    const following = ordered.filter((one) => one.makes(waiter, kind, 'follows'));
    for (const pool of following) {
      if (left > 0) count(pool, waiter, left);
      left = pool.passOn(waiter, left);
    }
    if (following.length > 0) continue;
    const pool =
      ordered.find((one) => one.makes(waiter, kind, 'fixed')) ?? ordered.find((one) => one.couldHave(waiter, kind));
    if (pool) count(pool, waiter, left);
  }
  return shares;
}

/** {@link sharing}, at once. */
export function shareWaiting(waiters: readonly Waiter[], pools: readonly PodPool[]): WaitingByPolicy {
  const steps = sharing(waiters, pools);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Pods that require and request the same, in an order that does not depend on that of the pods. */
interface AlikePods {
  readonly waiter: Waiter;
  /** What they require of a node. */
  readonly kind: string;
  readonly pods: number;
}

function* groupAlike(waiters: readonly Waiter[]): Generator<undefined, readonly AlikePods[], undefined> {
  const groups = new Map<string, AlikePods>();
  for (const waiter of waiters) {
    yield;
    const kind = kindOf(waiter);
    const key = alikeKey(waiter);
    const known = groups.get(key);
    groups.set(key, { waiter, kind, pods: waiter.count + (known?.pods ?? 0) });
  }
  return [...groups].toSorted(([a], [b]) => compareText(a, b)).map(([, group]) => group);
}

/** Equal for pods that require and request the same. */
export function alikeKey(waiter: Waiter): string {
  return JSON.stringify([kindOf(waiter), ...waiter.requests]);
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
  readonly #nodes: readonly OpenNode[];
  readonly #overflow: { readonly resources: ReadonlySet<string>; count: number }[];
  /** The nodes that could take pods of a kind. */
  readonly #accepting = new Map<string, readonly OpenNode[]>();

  constructor({ policy, followsQueues, nodes, overflow }: PodPool) {
    this.policy = policy;
    this.#overflow = overflow.map((one) => ({ ...one }));
    this.#followsQueues = followsQueues;
    this.#nodes = nodes.map((one) => ({ ...one, left: new Map(one.idle) }));
  }

  /** Takes idle slices for a pod from a node that could take it. @returns whether there was one */
  serve(waiter: Waiter, kind: string): boolean {
    const { requests } = waiter;
    const found = this.#listAccepting(waiter, kind).find(({ left }) =>
      [...requests].every(([name, amount]) => (left.get(name) ?? 0) >= amount),
    );
    for (const [name, amount] of found ? requests : []) found?.left.set(name, (found.left.get(name) ?? 0) - amount);
    return found !== undefined;
  }

  /** Whether a node of it could take the pod, and be given a slice that the pod requests. */
  makes(waiter: Waiter, kind: string, how: 'follows' | 'fixed'): boolean {
    if (waiter.ways !== undefined && !this.#followsQueues) return false;
    const names = [...waiter.requests.keys()];
    return this.#listAccepting(waiter, kind).some((one) => names.some((name) => one[how].has(name)));
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
    return this.#listAccepting(waiter, kind).some(({ possible }) =>
      names.every((name) => possible?.has(name) === true),
    );
  }

  #listAccepting(waiter: Waiter, kind: string): readonly OpenNode[] {
    const known = this.#accepting.get(kind);
    if (known !== undefined) return known;
    const found = this.#nodes.filter(({ node }) => accepts(node, waiter));
    this.#accepting.set(kind, found);
    return found;
  }
}
