import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy, GpuReport, PolicySpec } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { isClosed, type NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { isWhole, profilesServing, type WantedSlice } from '../policy/demand-profiles.ts';
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
}

/** The nodes over which a policy decides. */
export interface PodPool {
  readonly policy: string;
  readonly priority: number;
  /** Whether its demand follows what Kueue holds back, too. */
  readonly followsQueues: boolean;
  readonly nodes: readonly PoolNode[];
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

  #madeOf(device: DeviceReport, gpu: GpuReport): Pick<PoolNode, 'follows' | 'fixed'> {
    const { product } = gpu;
    const slices = this.#policy.spec.demand?.slices ?? [];
    if (slices.length === 0) return makesNothing;
    const geometry = liveGeometry(device, gpu) ?? noProfiles;
    const byProduct = this.#made.get(geometry) ?? new Map<string, Pick<PoolNode, 'follows' | 'fixed'>>();
    this.#made.set(geometry, byProduct);
    const known = byProduct.get(product);
    if (known !== undefined) return known;
    const serving = (slice: WantedSlice): readonly string[] =>
      isWhole(slice) ? [GPU_RESOURCE] : profilesServing(slice, geometry, product).map(resourceOf);
    const list = (some: typeof slices): ReadonlySet<string> => new Set(some.flatMap(serving));
    const made = {
      follows: list(slices.filter(({ count }) => count === undefined)),
      fixed: list(slices.filter(({ count }) => count !== undefined)),
    };
    byProduct.set(product, made);
    return made;
  }
}

const makesNothing = { follows: new Set<string>(), fixed: new Set<string>() };

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
 * demand follows pods with such slices, else one that wants a fixed number of them; of several the one of the higher priority, then
 * the first by name.
 *
 * @param waiters in any order
 * @param pools disjoint; of policies without a demand too, which may serve a pod already
 */
export function shareWaiting(waiters: readonly Waiter[], pools: readonly PodPool[]): WaitingByPolicy {
  const ordered = pools
    .toSorted((a, b) => b.priority - a.priority || compareText(a.policy, b.policy))
    .map((pool) => new OpenPool(pool));
  const shares = new Map(pools.map(({ policy }) => [policy, new Map<string, number>()]));
  const count = (pool: OpenPool, { requests }: Waiter, pods: number): void => {
    const share = shares.get(pool.policy);
    for (const [name, amount] of requests) share?.set(name, (share.get(name) ?? 0) + amount * pods);
  };
  for (const waiter of waiters.toSorted((a, b) => compareText(keyOf(a), keyOf(b)))) {
    let left = waiter.count;
    // 1. One by one, as each takes slices that are idle.
    for (const pool of ordered)
      while (left > 0 && pool.serve(waiter)) {
        count(pool, waiter, 1);
        left -= 1;
      }
    if (left === 0) continue;
    // 2. Nothing idle serves the others.
    const pool =
      ordered.find((one) => one.makes(waiter, 'follows')) ?? ordered.find((one) => one.makes(waiter, 'fixed'));
    if (pool) count(pool, waiter, left);
  }
  return shares;
}

function keyOf({ pod: { metadata } }: Waiter): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** A pool while pods are given its idle slices. */
class OpenPool {
  readonly policy: string;
  readonly #followsQueues: boolean;
  readonly #nodes: readonly PoolNode[];
  readonly #idle: readonly { readonly node: NodeView; readonly left: Map<string, number> }[];
  /** Which pods it could take, by what they require of a node. */
  readonly #known = new Map<string, boolean>();

  constructor({ policy, followsQueues, nodes }: PodPool) {
    this.policy = policy;
    this.#followsQueues = followsQueues;
    this.#nodes = nodes;
    this.#idle = nodes.flatMap(({ node, idle }) => (idle.size > 0 ? [{ node, left: new Map(idle) }] : []));
  }

  /** Takes idle slices for a pod from a node that could take it. @returns whether there was one */
  serve(waiter: Waiter): boolean {
    const { requests } = waiter;
    const found = this.#idle.find(
      ({ node, left }) =>
        [...requests].every(([name, amount]) => (left.get(name) ?? 0) >= amount) && accepts(node, waiter),
    );
    for (const [name, amount] of found ? requests : []) found?.left.set(name, (found.left.get(name) ?? 0) - amount);
    return found !== undefined;
  }

  /** Whether a node of it could take the pod, and be given a slice that the pod requests. */
  makes(waiter: Waiter, how: 'follows' | 'fixed'): boolean {
    const { pod, requests, ways } = waiter;
    if (ways !== undefined && !this.#followsQueues) return false;
    const names = [...requests.keys()];
    const places = (ways ?? [{ pod }]).map((way) => {
      const { nodeSelector, affinity, tolerations } = way.pod.spec ?? {};
      return [nodeSelector, affinity, tolerations, 'nodeLabels' in way && way.nodeLabels];
    });
    const key = JSON.stringify([how, names, places]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isMade = this.#nodes.some((one) => names.some((name) => one[how].has(name)) && accepts(one.node, waiter));
    this.#known.set(key, isMade);
    return isMade;
  }
}
