import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish } from '../../api/types.ts';
import { type PoolGpu, type PoolInstance } from '../demand/pool.ts';
import {
  explainLost,
  explainUnchangeable,
  type ExtendedNames,
  listOffers,
  type Obstacle,
  resourceOf,
  SliceQuota,
} from '../explain/judge.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { GpuView } from '../gpu/plan/gpu-view.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { joinWords } from '../gpu/search/layout-words.ts';
import type { NodeView } from '../node/node-view.ts';
import { isGrantLive } from '../node/revocation.ts';
import { explainOldDriver, findModel } from '../gpu/geometry/model-lookup.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { countsWhole } from '../policy/demand-profiles.ts';
import { demandEntry, type DemandWishes, evictsNever, isChosen, ownWish, restEntry } from '../policy/demand-wish.ts';
import { foreignOn } from '../wish/ownership.ts';
import { viewReport } from '../wish/report-view.ts';
import { layoutOf, meetsWish } from '../wish/wish.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** A GPU that takes part in a demand. */
export interface Member {
  readonly node: string;
  readonly product: string;
  /** As it will be once what was chosen for it before is done: a plan continues from there. */
  readonly gpu: PoolGpu;
  /** It was re-laid a short while ago, and is left alone unless something waits. */
  readonly rests: boolean;
  /** It was re-laid while it rested, and is not again before it has rested, whatever waits. */
  readonly isHeld?: boolean;
  /** None of the pods for which slices are lacking could run there: it changes for others only. */
  readonly isAside?: boolean;
  /** What it offers now: what is in use, and what new pods can use. */
  readonly present: readonly PoolInstance[];
  /** Idle slices that new pods cannot reach; undefined if they reach all. */
  readonly lost?: LostSlices;
  /** Its wish, if the plan leaves it as it is. */
  readonly wish: GpuWish;
  /** What becomes of the wish once the demand is served without what was chosen for the GPU, as its node does not change now. */
  readonly instead?: GpuWish;
}

/** Sets those aside whose nodes take none of the pods that nothing idle serves. @param takers the nodes that do; undefined: there are no such pods */
export function setMembersAside(
  members: readonly Member[],
  takers: ReadonlySet<string> | undefined,
): readonly Member[] {
  if (takers === undefined || members.every(({ node }) => takers.has(node))) return members;
  return members.map((one) => (takers.has(one.node) ? one : { ...one, isAside: true }));
}

/** Idle slices out of reach of new pods. */
export interface LostSlices {
  readonly instances: readonly PoolInstance[];
  /** About their node: `is cordoned`. */
  readonly why: string;
  /** Whether they still count in `gpu`: they have not been out of reach for long enough. */
  readonly counts: boolean;
}

/** What is known of a node and its GPUs beside its report. */
export interface KnownOfNode {
  /** Undefined: nothing keeps pods from its slices, or changes from its GPUs. */
  readonly node?: NodeView | undefined;
  /** What the last plan has chosen, which may not be in the node's wish yet. */
  readonly chosen?: DemandWishes | undefined;
  /** Whether a GPU was re-laid a short while ago, or is held after that. */
  readonly isResting: (uuid: string) => Rests;
  /** Takes in whether the node is out of reach now. @returns whether it has been for so long that it does not count as supply any more; at once if absent */
  readonly hasLost?: ((isOut: boolean) => boolean) | undefined;
  /** By which names a DRA driver hands out slices to pods that ask by a resource. */
  readonly names?: ExtendedNames;
}

/** Whether a GPU was re-laid a short while ago; `Held`: twice. */
export type Rests = boolean | 'Held';

/** What a GPU without MIG has: it is whole, always. */
export const noProfiles: Geometry = { computeSlices: 0, memorySlices: 0, profiles: [] };

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
): readonly Member[] {
  const { device = {} } = partition.status ?? {};
  const node = partition.metadata.name;
  const isGranted = isGrantLive(partition);
  const { demand, allow } = policy.spec;
  const asksWhole = demand !== undefined && countsWhole(demand);
  const foreign = allow?.replaceForeignInstances === true ? new Map<string, ReadonlySet<string>>() : foreignOn(device);
  const chosen = new Map(ownWish(policy, partition)?.gpus.map((one) => [one.uuid, one]));
  const reach = new NodeReach(partition, known);
  return (device.gpus ?? []).flatMap((gpu): readonly Member[] => {
    const view = viewReport(device, gpu);
    const geometry = view.geometry ?? (asksWhole && gpu.mig !== 'Enabled' ? noProfiles : undefined);
    if (geometry === undefined || !takesPart(gpu, view, geometry)) return [];
    const { uuid, product } = gpu;
    const earlier = known.chosen?.get(uuid) ?? chosen.get(uuid);
    const there = listPresent(gpu, view);
    const { present, lost } = reach.split(there);
    const awaited = earlier && isChosen(earlier) && !meetsWish(gpu, earlier) ? earlier : undefined;
    const isSpared = evictsNever(policy) || awaited?.entry === restEntry;
    const coming = awaited && foresee(geometry, view, there, awaited, isSpared);
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

/** What new pods reach of a node, and whether it changes, by the judge of nodes. */
class NodeReach {
  /** Nothing changes on it for now. */
  readonly isFixed: boolean;
  /** What was chosen for it is not expected any more. */
  readonly isGivenUp: boolean;
  /** What is out of reach still counts. */
  readonly isSupply: boolean;
  readonly #lost: Obstacle | undefined;
  readonly #quota: SliceQuota | undefined;

  constructor(partition: GpuNodePartition, { node, names, hasLost = (isOut) => isOut }: KnownOfNode) {
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

  /** @param there all instances of a GPU */
  split(there: readonly PoolInstance[]): Pick<Member, 'present' | 'lost'> {
    const isOut = ({ profile, busy }: PoolInstance): boolean =>
      !busy &&
      (this.#lost !== undefined || this.#quota?.take(profile === WHOLE ? GPU_RESOURCE : resourceOf(profile)) === false);
    const instances = there.filter(isOut);
    if (instances.length === 0) return { present: there };
    const out = new Set(instances);
    const why = this.#lost === undefined ? 'does not advertise them' : saidOf[this.#lost.kind];
    return { present: there.filter((one) => !out.has(one)), lost: { instances, why, counts: this.isSupply } };
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

/** `node n1 is cordoned, and node n2 is not ready`: why some slices of a pool are out of reach; undefined if none are. */
export function describeLost(members: readonly Member[]): string | undefined {
  const nodes = new Map(members.flatMap(({ node, lost }) => (lost ? [[node, `node ${node} ${lost.why}`]] : [])));
  const told = [...nodes.values()].slice(0, 3);
  const more = nodes.size > told.length ? [`${nodes.size - told.length} more`] : [];
  return nodes.size === 0 ? undefined : joinWords([...told, ...more]);
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

/** What is there, as a wish: nothing changes for it. */
function asItIs(gpu: GpuReport, earlier: GpuWish | undefined): GpuWish {
  const { uuid, mig } = gpu;
  if (earlier && isChosen(earlier) && meetsWish(gpu, earlier)) return earlier;
  return mig === 'Enabled'
    ? { uuid, profiles: layoutOf(gpu), entry: demandEntry }
    : { uuid, mig: 'Disabled', entry: demandEntry };
}

/** The instances once a wish is met; undefined if that takes an eviction which is not allowed. */
function foresee(
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
