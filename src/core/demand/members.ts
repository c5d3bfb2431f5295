// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the GPUs that take part in a demand, node by node, with what new pods reach of them.
import type {
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  GpuWish,
  PolicyDemand,
  PolicySpec,
  DemandState,
  DeviceReport,
} from '../../api/types.ts';
import type { PoolGpu, PoolInstance } from './solver/pool.ts';
import { explainUnchangeable, explainUnusable, listOffers, resourceOf } from '../cluster/facts.ts';
import { isUnfinished } from '../node/snapshot.ts';
import { type Geometry, explainOldDriver, findModel } from '../gpu/geometry.ts';
import { type GpuView, planGpu } from '../gpu/plan.ts';
import type { NodeView, LabelSelection } from '../kubernetes/node.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import {
  demandEntry,
  type DemandWishes,
  evictsNever,
  chosenBefore,
  restEntry,
  isWholeGpu,
  nameSlice,
  profilesServing,
  type SliceEntry,
} from '../policy/spec.ts';
import { foreignOn, isGrantLive } from '../device/grants.ts';
import { viewReport, liveGeometry, layoutOf, meetsWish } from '../device/plan.ts';
import { WHOLE } from '../gpu/profiles.ts';
import { type Grid, gridOf } from '../gpu/grid.ts';
import { memoize } from '../text/json.ts';
import { durationMs, wholeUnits } from '../text/syntax.ts';
import { findStop } from '../rollout/ledger.ts';
import type { Fleet } from '../policy/fleet.ts';
import type { PolicyRecord } from '../policy/record.ts';
import { isPlanned } from '../policy/spec.ts';

type Obstacle = NonNullable<ReturnType<typeof explainUnusable>>;

/**
 * Why what a node offers is out of reach of new pods; undefined if they reach it, or if a change that is under way will bring it to
 * them. What is out of reach does not count as supply, once that has lasted.
 */
function explainLost(node: NodeView, partition: GpuNodePartition | undefined): Obstacle | undefined {
  const found = explainUnusable(node);
  return found?.kind === 'Closed' && partition?.status?.phase !== 'Failed' ? undefined : found;
}

/**
 * How many more slices of each resource a node hands out, beside those in use: a device plugin what it advertises, a DRA driver what a
 * DeviceClass names. Take them one by one.
 */
class SliceQuota {
  readonly #left = new Map<string, number>();
  readonly #limitOf: (resource: string) => number;

  constructor(
    node: NodeView,
    partition: GpuNodePartition | undefined,
    busy: readonly string[],
    names?: ReadonlySet<string>,
  ) {
    const { allocatable } = node.status ?? {};
    if (partition?.spec.backend === 'DRA') {
      this.#limitOf = (resource) => (names === undefined || names.has(resource) ? Infinity : 0);
      return;
    }
    const used = Map.groupBy(busy, (resource) => resource);
    // What a closed node advertises is on its way.
    const isKnown = allocatable !== undefined && !isUnfinished(node) && !(partition && isGrantLive(partition));
    this.#limitOf = (resource) =>
      isKnown ? wholeUnits(allocatable[resource] ?? '0') - (used.get(resource)?.length ?? 0) : Infinity;
  }

  /** @returns whether one more is handed out */
  take(resource: string): boolean {
    const left = this.#left.get(resource) ?? this.#limitOf(resource);
    this.#left.set(resource, left - 1);
    return left > 0;
  }
}

/** What is known of a node beside its partition. */
interface ReachOfNode {
  /** The Node object; undefined: nothing keeps pods from its slices, or changes from its GPUs. */
  readonly node?: NodeView | undefined;
  /** The names by which a DRA driver hands out slices to pods that ask by a resource. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Takes in whether the node is out of reach now. @returns whether it has been for so long that it does not count as supply any more; at once if absent */
  readonly hasLost?: ((isOut: boolean) => boolean) | undefined;
}

/** What new pods reach of a node under strategy mixed, and whether its GPUs change. */
class NodeReach {
  /** True if nothing changes on the node for now. */
  readonly isFixed: boolean;
  /** True if the layout chosen for the node is not expected any more. */
  readonly isGivenUp: boolean;
  /** True if slices out of reach still count as supply. */
  readonly isSupply: boolean;
  readonly #lost: Obstacle | undefined;
  readonly #quota: SliceQuota | undefined;

  constructor(partition: GpuNodePartition, { node, names, hasLost = (isOut) => isOut }: ReachOfNode) {
    const { gpus = [] } = partition.status?.device ?? {};
    const offers = gpus.flatMap((gpu) => listOffers(gpu, 'mixed'));
    const busy = offers.flatMap((one) => (one.busy ? [one.resource] : []));
    const idle = offers.flatMap((one) => (one.busy ? [] : [one.resource]));
    const count = node && new SliceQuota(node, partition, busy, names);
    this.#quota = node && new SliceQuota(node, partition, busy, names);
    this.#lost = node && explainLost(node, partition);
    const obstacle = node && explainUnchangeable(node, partition);
    const fails = obstacle?.kind === 'Failed' || obstacle?.kind === 'Resting';
    const isShort = count !== undefined && idle.some((resource) => !count.take(resource));
    const isLong = hasLost(this.#lost !== undefined || isShort || (obstacle !== undefined && !fails));
    this.isFixed = obstacle !== undefined;
    this.isGivenUp = obstacle !== undefined && (fails || isLong);
    this.isSupply = !isLong;
  }

  /** Takes one more idle slice of a profile, or whole GPU. @returns whether new pods reach it */
  take(profile: string): boolean {
    return this.#lost === undefined && this.#quota?.take(resourceOf(profile)) !== false;
  }

  /** Why new pods do not reach a slice, about the node: `is cordoned`. */
  get why(): string {
    return this.#lost === undefined ? 'does not advertise them' : saidOf[this.#lost.kind];
  }
}

const saidOf: Readonly<Record<Obstacle['kind'], string>> = {
  Leaving: 'is being removed',
  NotReady: 'is not ready',
  Cordoned: 'is cordoned',
  Closed: 'stays closed',
  Unheard: 'does not report',
  Failed: 'has failed',
  Resting: 'rests',
};

/** Slices that new pods can use on a node now, by resource. @param names of DeviceClasses, where a DRA driver hands its GPUs out */
export function countUsable(
  node: NodeView,
  partition: GpuNodePartition | undefined,
  strategy: PolicySpec['strategy'],
  names?: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const idle = new Map<string, number>();
  if (explainUnusable(node) !== undefined) return idle;
  const offers = (partition?.status?.device?.gpus ?? []).flatMap((gpu) => listOffers(gpu, strategy));
  const busy = offers.flatMap((one) => (one.busy ? [one.resource] : []));
  const quota = new SliceQuota(node, partition, busy, names);
  for (const { resource, busy: isUsed } of offers)
    if (!isUsed && quota.take(resource)) idle.set(resource, (idle.get(resource) ?? 0) + 1);
  return idle;
}

/** A GPU that takes part in a demand. */
export interface DemandGpu {
  readonly node: string;
  readonly product: string;
  /** The GPU as it will be once the layout chosen for it before is in place: a plan continues from there. */
  readonly gpu: PoolGpu;
  /** True if the GPU was re-laid a short while ago, and is left alone unless something waits. */
  readonly rests: boolean;
  /** True if the GPU was re-laid within its cooldown: it is left alone until the cooldown ends, whatever waits. */
  readonly isHeld?: boolean;
  /** True if none of the pods for which slices are lacking could run there: the GPU changes for others only. */
  readonly isAside?: boolean;
  /** Slices that the GPU offers now: those in use, and those that new pods can use. */
  readonly present: readonly PoolInstance[];
  /** Idle slices that new pods cannot reach; undefined if they reach all. */
  readonly lost?: LostSlices;
  /** The GPU's wish, which stays if the plan leaves the GPU as it is. */
  readonly wish: GpuWish;
  /** What becomes of the wish once the demand is served without what was chosen for the GPU, as its node does not change now. */
  readonly instead?: GpuWish;
}

/** Sets those aside whose nodes take none of the pods that nothing idle serves. @param takers the nodes that do; undefined: there are no such pods */
export function setMembersAside(
  members: readonly DemandGpu[],
  takers: ReadonlySet<string> | undefined,
): readonly DemandGpu[] {
  if (takers === undefined || members.every(({ node }) => takers.has(node))) return members;
  return members.map((one) => (takers.has(one.node) ? one : { ...one, isAside: true }));
}

/** Idle slices out of reach of new pods. */
interface LostSlices {
  readonly instances: readonly PoolInstance[];
  /** About their node: `is cordoned`. */
  readonly why: string;
  /** Whether they still count in `gpu`: they have not been out of reach for long enough. */
  readonly counts: boolean;
}

/** What is known of a node and its GPUs beside its report. */
interface KnownOfNode extends ReachOfNode {
  /** The layouts that the last plan has chosen, which may not be in the node's wish yet. */
  readonly chosen?: DemandWishes | undefined;
  /** Whether a GPU was re-laid a short while ago, or is held after that. */
  readonly isResting: (uuid: string) => Rests;
}

/** Whether a GPU was re-laid a short while ago; `Held`: twice. */
type Rests = boolean | 'Held';

/** What a GPU without MIG has: it is whole, always. */
const noProfiles: Geometry = { computeSlices: 0, memorySlices: 0, profiles: [] };

/**
 * The GPUs of a node that take part in the demand of its policy. Others are left alone, whatever they offer: those that do not
 * answer, serve virtual machines, or have instances that are split, which the device plugin does not advertise. GPUs without MIG take
 * part where whole ones are asked for. Those of a node that does not change now stay as they are; what was chosen for them, and what new
 * pods cannot reach, does not count as supply: of a node that fails or rests at once, else once that has lasted.
 */
export function listMembers(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  known: KnownOfNode,
): readonly DemandGpu[] {
  const { device = {} } = partition.status ?? {};
  const node = partition.metadata.name;
  const isGranted = isGrantLive(partition);
  const { demand, allow } = policy.spec;
  const asksWhole = demand?.slices.some(isWholeGpu) === true;
  const foreign = allow?.replaceForeignInstances === true ? new Map<string, ReadonlySet<string>>() : foreignOn(device);
  const chosen = chosenBefore(policy, partition);
  const reach = new NodeReach(partition, known);
  return (device.gpus ?? []).flatMap((gpu): readonly DemandGpu[] => {
    const view = viewReport(device, gpu);
    const geometry = view.geometry ?? (asksWhole && gpu.mig !== 'Enabled' ? noProfiles : undefined);
    if (geometry === undefined || !takesPart(gpu, view, geometry)) return [];
    const { uuid, product } = gpu;
    const earlier = known.chosen?.get(uuid) ?? chosen.get(uuid);
    const there = listPresent(gpu, view);
    const { present, lost } = splitByReach(there, reach);
    const awaited = earlier && !meetsWish(gpu, earlier) ? earlier : undefined;
    const isSpared = evictsNever(policy) || awaited?.entry === restEntry;
    const coming = awaited && predict(geometry, view, there, awaited, isSpared);
    const stays = isGranted || reach.isFixed || isFixed(gpu, view, asksWhole) || foreign.has(uuid);
    const supply = reach.isSupply ? there : present;
    const rests = known.isResting(uuid);
    const keepsMode = mustKeepMode(gpu, view, device.driverVersion, allow?.gpuReset !== false);
    return [
      {
        node,
        product,
        gpu: {
          id: `${node}/${uuid}`,
          geometry,
          instances: coming && !reach.isGivenUp ? coming : supply,
          isResting: stays || rests === 'Held',
          keepsMode,
        },
        // One for which something was chosen and not made yet was re-laid just now, whoever led then.
        rests: rests !== false || coming !== undefined,
        ...(rests === 'Held' && { isHeld: true }),
        present,
        ...(lost && { lost }),
        wish: coming ? awaited : asItIs(gpu, earlier),
        ...(coming && reach.isGivenUp && { instead: asItIs(gpu, undefined) }),
      },
    ];
  });
}

/** Splits the instances of a GPU by whether new pods reach them. */
function splitByReach(there: readonly PoolInstance[], reach: NodeReach): Pick<DemandGpu, 'present' | 'lost'> {
  const instances = there.filter((one) => !one.busy && !reach.take(one.profile));
  if (instances.length === 0) return { present: there };
  const out = new Set(instances);
  return { present: there.filter((one) => !out.has(one)), lost: { instances, why: reach.why, counts: reach.isSupply } };
}

function takesPart(gpu: GpuReport, { instances }: GpuView, { profiles }: Geometry): boolean {
  const isUnsplit = instances.every(
    ({ profile, computeInstances: [first, ...others] }) =>
      first === profile && others.length === 0 && profiles.some(({ name }) => name === profile),
  );
  return gpu.error === undefined && gpu.vgpuHost === undefined && isUnsplit;
}

function listPresent({ mig }: GpuReport, { instances, use }: GpuView): readonly PoolInstance[] {
  if (mig !== 'Enabled') return [{ profile: WHOLE, start: 0, busy: use !== 'None' }];
  return instances.map(({ profile, start, busy }) => ({ profile, start, busy }));
}

/** Whether nothing may change on a GPU for now, for reasons of its own. @param asksWhole whether pods on whole GPUs are part of the demand */
function isFixed(gpu: GpuReport, { use, instances }: GpuView, asksWhole: boolean): boolean {
  const isPending = gpu.migPending !== undefined && gpu.migPending !== gpu.mig;
  // What uses the GPU beside its instances keeps MIG mode, and a first instance, from it. Pods on a whole GPU can be evicted.
  const isOpen = use !== 'None' && instances.length === 0;
  const mayBeFreed = asksWhole && use === 'Evictable' && gpu.mig !== 'Enabled';
  return isPending || gpu.health !== undefined || (isOpen && !mayBeFreed);
}

/** Whether a GPU cannot be taken into MIG mode, or out of it. */
function mustKeepMode(
  gpu: GpuReport,
  { use, geometry }: GpuView,
  driver: string | undefined,
  mayReset: boolean,
): boolean {
  const isPartitioned = gpu.mig === 'Enabled';
  const needsReset = findModel(gpu.product)?.resetToChangeMode !== false;
  // A process of which the driver names no instance keeps the mode as it is.
  const isOpen = isPartitioned && use !== 'None';
  const isTooOld = !isPartitioned && explainOldDriver(gpu.product, driver) !== undefined;
  return geometry === undefined || isOpen || isTooOld || (needsReset && !mayReset);
}

/** The present layout as a wish: nothing changes for it. */
function asItIs(gpu: GpuReport, earlier: GpuWish | undefined): GpuWish {
  const { uuid, mig } = gpu;
  if (earlier && meetsWish(gpu, earlier)) return earlier;
  return mig === 'Enabled'
    ? { uuid, profiles: layoutOf(gpu), entry: demandEntry }
    : { uuid, mig: 'Disabled', entry: demandEntry };
}

/** The instances once a wish is met; undefined if that takes an eviction which is not allowed. */
function predict(
  geometry: Geometry,
  { instances }: GpuView,
  present: readonly PoolInstance[],
  { profiles, mig }: GpuWish,
  isSpared: boolean,
): readonly PoolInstance[] | undefined {
  const isWhole = present.some(({ profile }) => profile === WHOLE);
  const turns = isWhole !== (mig === 'Disabled');
  if (turns && isSpared && present.some(({ busy }) => busy)) return undefined;
  if (mig === 'Disabled') return isWhole ? present : [{ profile: WHOLE, start: 0, busy: false }];
  const mayDisturb = ({ busy }: { readonly busy: boolean }): boolean => !isSpared || !busy;
  const plan = planGpu(geometry, instances, profiles ?? {}, { mayDisturb });
  if (!plan.fits) return undefined;
  return [
    ...plan.keep.map(({ profile, start, busy }) => ({ profile, start, busy })),
    ...plan.create.map(({ profile, start }) => ({ profile, start, busy: false })),
  ];
}

/** A node of a pool, as a pod that waits sees it. */
interface PoolNode {
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
  /** What its agent says; undefined: nothing is known of it. */
  readonly device?: DeviceReport | undefined;
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
  /** The most slices of this size that one GPU holds. */
  readonly most: number;
  /** Slices of a GPU that one takes. */
  readonly memory: number;
  readonly compute: number;
}

/** The slices that a GPU can hold, by resource. */
const sizesOf = memoize(({ geometry }: Grid): ReadonlyMap<string, SliceSize> => {
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
type Acts = 'Now' | 'Later' | 'Never';

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
  /** Pods that wait since then, in ms since the epoch, or for longer may have others go for them; absent: all may. */
  readonly patientMs?: number | undefined;
}

/** Slices that pods wait for, and that the last plan of a pool left unserved: another pool may have room for them. */
interface Overflow {
  /** The slices that serve these pods. */
  readonly resources: ReadonlySet<string>;
  readonly count: number;
}

/** Reads the nodes over which a policy decides. */
export class PoolReader {
  readonly #policy: Pick<GpuPartitionPolicy, 'spec'>;
  /** What the slices of the demand can be, by what GPUs differ in. */
  readonly #made = new Map<Geometry, Map<string, Pick<PoolNode, 'follows' | 'fixed'>>>();

  readonly #names: ReadonlySet<string> | undefined;

  constructor(policy: Pick<GpuPartitionPolicy, 'spec'>, names?: ReadonlySet<string>) {
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
    const known = { node, idle, device: partition?.status?.device };
    return { ...known, follows: join('follows'), fixed: join('fixed'), ...(kinds.size > 0 && { gpus: kinds }) };
  }

  /**
   * @param nodes as they were read
   * @param states how the demand stood after its last plan
   * @param nowMs in ms since the epoch; absent: all pods count as if they had waited for long
   */
  pool(
    policy: string,
    nodes: readonly PoolNode[],
    acts: Acts,
    states?: readonly DemandState[],
    nowMs?: number,
  ): PodPool {
    const { priority = 0, demand } = this.#policy.spec;
    return {
      policy,
      priority,
      followsQueues: demand?.from === 'Kueue',
      namespaceSelector: demand?.namespaceSelector,
      nodes,
      overflow: this.#listOverflow(states),
      acts,
      ...(demand && nowMs !== undefined && { patientMs: nowMs - stabilizationMs(demand) }),
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
  return isWholeGpu(slice) ? [GPU_RESOURCE] : profilesServing(slice, geometry, product).map(resourceOf);
}

/** How long pods must ask for less before the demand falls, and wait before others go for them, in ms. */
export function stabilizationMs({ stabilization = '10m' }: Pick<PolicyDemand, 'stabilization'>): number {
  return durationMs(stabilization);
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

interface ByName<T> {
  get(name: string): T | undefined;
}

/** The cluster as far as pools are made of it. */
export interface PoolCluster {
  readonly fleet: { readonly policies: Iterable<PolicyRecord> } & Pick<Fleet, 'winnerOf' | 'chosenFor'>;
  readonly nodes: ByName<NodeView>;
  readonly partitions: ByName<GpuNodePartition>;
  /** The names by which DRA drivers hand out slices to pods that ask by a resource; undefined: not known. */
  readonly names?: ReadonlySet<string> | undefined;
}

/**
 * Whether a GPU was re-laid a short while ago, by its id.
 *
 * @param grantedMs when its node last changed for this policy, in ms since the epoch
 */
export type RestOf = (id: string, grantedMs: number | undefined) => Rests;

/** What is remembered of a pool between two looks. */
interface PoolPast {
  readonly restOf: RestOf;
  /** Whether a node has been out of reach for so long that it does not count as supply; see {@link KnownOfNode}. Absent: at once. */
  readonly hasLost?: (node: string, isOut: boolean) => boolean;
}

/** The GPUs that take part in the demand of a policy; yields after each node. @param past absent: nothing is remembered */
export function* listPool(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
  { restOf, hasLost }: PoolPast = { restOf: () => false },
): Generator<undefined, readonly DemandGpu[], unknown> {
  const members: DemandGpu[] = [];
  for (const node of [...record.nodes].sort()) {
    const partition = isInPool(fleet, record, node) ? partitions.get(node) : undefined;
    const grantedMs = partition && changedAt(partition, record.policy);
    const known = {
      node: nodes.get(node),
      chosen: fleet.chosenFor(record.policy, node),
      isResting: (uuid: string) => restOf(`${node}/${uuid}`, grantedMs),
      hasLost: hasLost && ((isOut: boolean) => hasLost(node, isOut)),
      names,
    };
    if (partition) members.push(...listMembers(record.policy, partition, known));
    yield;
  }
  return members;
}

/** The time, in ms since the epoch, at which a node was last granted a change for a policy; undefined if it was not. */
function changedAt({ spec }: GpuNodePartition, { metadata }: GpuPartitionPolicy): number | undefined {
  const { policy, deadline, seconds = 0, planHash } = spec.granted ?? {};
  if (deadline === undefined || planHash === '' || policy?.uid !== metadata.uid) return undefined;
  return Date.parse(deadline) - seconds * 1000;
}

/** A policy that only plans takes no node from another, and shows what it would do with all. */
export function isInPool(fleet: Pick<Fleet, 'winnerOf'>, { name, policy }: PolicyRecord, node: string): boolean {
  return isPlanned(policy) || fleet.winnerOf(node) === name;
}

/**
 * As many slices of a profile count as a policy may write: more than a GPU of today holds, for each of ten thousand. A queue can ask for
 * any number.
 */
export const mostSlices = 100_000;
