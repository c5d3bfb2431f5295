import type {
  DemandState,
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  PolicySpec,
} from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { LabelSelection } from '../metadata/label-selector.ts';
import { isClosed, type NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { isWhole, nameSlice, profilesServing, type SliceEntry } from '../policy/demand-profiles.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { noProfiles } from './member.ts';

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
  /** Whose pods count; absent: those of all namespaces. */
  readonly namespaceSelector?: LabelSelection | undefined;
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

  /** @param nodes as they were read @param states how the demand stood after its last plan */
  pool(policy: string, nodes: readonly PoolNode[], states?: readonly DemandState[]): PodPool {
    const { priority = 0, demand } = this.#policy.spec;
    return {
      policy,
      priority,
      followsQueues: demand?.from === 'Kueue',
      namespaceSelector: demand?.namespaceSelector,
      nodes,
      overflow: this.#listOverflow(states),
    };
  }

  #listOverflow(states: readonly DemandState[] = []): readonly Overflow[] {
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
export function countOverflow(
  { max = Infinity }: SliceEntry,
  { wanted, used, waiting = 0, unmet }: Pick<DemandState, 'wanted' | 'used' | 'waiting' | 'unmet'>,
): number {
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
