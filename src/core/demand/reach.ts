import type { GpuNodePartition, PolicySpec } from '../../api/types.ts';
import { explainUnchangeable, explainUnusable, listOffers, resourceOf } from '../cluster/facts.ts';
import { isGrantLive } from '../device/grants.ts';
import { isUnfinished } from '../node/snapshot.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { wholeUnits } from '../text/syntax.ts';

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
interface KnownOfNode {
  /** The Node object; undefined: nothing keeps pods from its slices, or changes from its GPUs. */
  readonly node?: NodeView | undefined;
  /** The names by which a DRA driver hands out slices to pods that ask by a resource. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Takes in whether the node is out of reach now. @returns whether it has been for so long that it does not count as supply any more; at once if absent */
  readonly hasLost?: ((isOut: boolean) => boolean) | undefined;
}

/** What new pods reach of a node under strategy mixed, and whether its GPUs change. */
export class NodeReach {
  /** True if nothing changes on the node for now. */
  readonly isFixed: boolean;
  /** True if the layout chosen for the node is not expected any more. */
  readonly isGivenUp: boolean;
  /** True if slices out of reach still count as supply. */
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
