import type { DemandState, DeviceReport, GpuNodePartition, GpuPartitionPolicy, GpuReport } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { countUsable, type ExtendedNames, resourceOf } from '../explain/judge.ts';
import { type Grid, gridOf } from '../gpu/search/grid.ts';
import type { LabelSelection } from '../metadata/label-selector.ts';
import type { NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { isWhole, nameSlice, profilesServing, type SliceEntry } from '../policy/demand-profiles.ts';
import { onceEach } from '../text/once-each.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { findStop } from '../rollout/gate.ts';
import { noProfiles } from './member.ts';

/** A node of a pool, as a pod that waits sees it. */
export interface PoolNode {
  readonly node: NodeView;
  /** Slices that new pods can use now, by resource. */
  readonly idle: ReadonlyMap<string, number>;
  /** Slices that the demand of its policy follows pods with, and those of which it wants a fixed number. */
  readonly follows: ReadonlySet<string>;
  readonly fixed: ReadonlySet<string>;
  /** Slices that it would have under another policy, where one is looked for. */
  readonly possible?: ReadonlySet<string>;
  /** How many GPUs of each kind it has; absent where they are not known, or shared. */
  readonly gpus?: ReadonlyMap<Grid, number>;
}

/** Whether the GPUs of a node could hold what one pod requests, if they held nothing else: none waits for a slice that cannot be. */
export function couldHold({ gpus }: Pick<PoolNode, 'gpus'>, requests: ReadonlyMap<string, number>): boolean {
  if (gpus === undefined) return true;
  const kinds = [...gpus].map(([grid, count]) => ({ grid, count, sizes: sizesOf(grid) }));
  const add = (of: (kind: (typeof kinds)[number]) => number): number => kinds.reduce((sum, kind) => sum + of(kind), 0);
  const least = (of: (kind: (typeof kinds)[number]) => number): number => Math.min(...kinds.map(of));
  let [memory, compute] = [0, 0];
  for (const [resource, amount] of requests) {
    if (amount > add(({ count, sizes }) => count * (sizes.get(resource)?.most ?? 0))) return false;
    memory += amount * least(({ sizes }) => sizes.get(resource)?.memory ?? 0);
    compute += amount * least(({ sizes }) => sizes.get(resource)?.compute ?? 0);
  }
  // Of several kinds of slices each may fit, and all of them not.
  return (
    memory <= add(({ grid, count }) => count * grid.geometry.memorySlices) &&
    compute <= add(({ grid, count }) => count * grid.geometry.computeSlices)
  );
}

interface SliceSize {
  /** On one GPU. */
  readonly most: number;
  /** Slices of a GPU that one takes. */
  readonly memory: number;
  readonly compute: number;
}

/** What a GPU can hold, by resource. */
const sizesOf = onceEach(({ geometry }: Grid): ReadonlyMap<string, SliceSize> => {
  const { memorySlices: memory, computeSlices: compute, profiles } = geometry;
  const slices = profiles.map((profile) => {
    const size = { most: profile.maxInstances, memory: profile.memorySlices, compute: profile.computeSlices };
    return [resourceOf(profile.name), size] as const;
  });
  return new Map([[GPU_RESOURCE, { most: 1, memory, compute }], ...slices]);
});

/**
 * When nodes of a policy may begin to change: `Later` if something stops its whole rollout for now, `Never` as long as nobody edits it.
 */
export type Acts = 'Now' | 'Later' | 'Never';

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
  readonly acts: Acts;
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

  readonly #names: ExtendedNames;

  constructor(policy: Pick<GpuPartitionPolicy, 'spec'>, names?: ExtendedNames) {
    this.#policy = policy;
    this.#names = names;
  }

  read(node: NodeView, partition: GpuNodePartition | undefined): PoolNode {
    const { device = {} } = partition?.status ?? {};
    const { strategy, sharing } = this.#policy.spec;
    const gpus = sharing === undefined ? (device.gpus ?? []) : [];
    // Those of a closed node may go.
    const idle =
      sharing === undefined ? countUsable(node, partition, strategy, this.#names) : new Map<string, number>();
    const made = gpus.map((gpu) => this.#madeOf(device, gpu));
    const join = (how: 'follows' | 'fixed'): ReadonlySet<string> => {
      const [first = new Set<string>(), ...others] = new Set(made.map((one) => one[how]));
      return others.length === 0 ? first : new Set([first, ...others].flatMap((one) => [...one]));
    };
    const kinds = new Map<Grid, number>();
    for (const gpu of gpus) {
      const grid = gridOf(liveGeometry(device, gpu) ?? noProfiles);
      kinds.set(grid, (kinds.get(grid) ?? 0) + 1);
    }
    return { node, idle, follows: join('follows'), fixed: join('fixed'), ...(kinds.size > 0 && { gpus: kinds }) };
  }

  /** @param nodes as they were read @param states how the demand stood after its last plan */
  pool(policy: string, nodes: readonly PoolNode[], acts: Acts, states?: readonly DemandState[]): PodPool {
    const { priority = 0, demand } = this.#policy.spec;
    return {
      policy,
      priority,
      followsQueues: demand?.from === 'Kueue',
      namespaceSelector: demand?.namespaceSelector,
      nodes,
      overflow: this.#listOverflow(states),
      acts,
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

/**
 * When nodes of a policy may begin to change, by what it says and by its status.
 *
 * @param now in ms since the epoch; undefined: not known
 * @param isViewer one that only plans, or was never accepted, sees itself as if it decided: it shows what it would do
 */
export function actsOf(policy: GpuPartitionPolicy, now: number | undefined, isViewer = false): Acts {
  const { conditions = [], inForce } = policy.status ?? {};
  const isRefused = conditions.some(({ type, status }) => type === 'Valid' && status === 'False');
  if (!isViewer && (policy.spec.mode === 'Plan' || (isRefused && inForce === undefined))) return 'Never';
  const stop = findStop({ ...policy, spec: { ...policy.spec, mode: 'Enforce' } }, now);
  return stop === undefined && !isRefused ? 'Now' : 'Later';
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
