import type { PolicyStatus } from '../../api/types.ts';

/** One entry of the ledger: a node that has been admitted, until it is verified or given up. */
export type Slot = NonNullable<PolicyStatus['inFlight']>[number];

/** The nodes that change first at a generation. */
export type Canary = NonNullable<PolicyStatus['canary']>;

/** How fast nodes change at a generation. */
export type Pace = NonNullable<PolicyStatus['pace']>;

export type SlotKind = NonNullable<Slot['kind']>;

/** What a node that wants to change requests. */
export interface SlotRequest {
  /**
   * Why: `Repair` if something else has changed its GPUs, `Retry` if it failed before, `Fresh` if it is already tainted, so that making
   * it available disrupts nobody, else `New`.
   */
  readonly kind: Exclude<SlotKind, 'Found'>;
  /** Closed until its first layout is verified, or since a restart, and evicts no pod. */
  readonly isClosedAnyway: boolean;
  /** How often its pods failed to go for this change. */
  readonly failedDrains: number;
  /** Pods that have to go. */
  readonly evictions: number;
  /** GPU instances that are destroyed. */
  readonly destroys: number;
}

/** How a node stands in the rollout of the policy that decides over it, as last found. */
export interface NodeRolloutState {
  readonly node: string;
  readonly nodeUID: string;
  /** The policy that decides over it; undefined if none does. */
  readonly policy: string | undefined;
  /** Whether its kubelet reports so. */
  readonly isReady: boolean;
  /** Somebody has cordoned it: no pod can be bound to it, whatever the rollout does. */
  readonly isCordoned: boolean;
  readonly hasGpus: boolean;
  /** A grant of this generation has failed, and it has not become ready since. */
  readonly hasFailed: boolean;
  /** Device, labels and advertised resources match the policy. */
  readonly isVerified: boolean;
  readonly isClosedAnyway: boolean;
  /** It is being changed, closed for it, or about to be. */
  readonly isUnderWay: boolean;
  /** Under way only because its slot is being looked at: no evidence of a change if the slot is gone meanwhile. */
  readonly isBegun?: boolean;
  /** Generation of the policy when it got its current wish: slots that were given before are for another change. */
  readonly wishGeneration: number;
  /** `startTime` of the slot with which this was found; undefined if the node had none. */
  readonly slot?: string | undefined;
  /** `startTime` of all slots of the node that were known by then, in any ledger. */
  readonly seen?: readonly string[];
  readonly request?: SlotRequest | undefined;
}

/** The slot of a node in a ledger, if it was given for the node's current wish. */
export function slotOf(
  ledger: readonly Slot[] | undefined,
  node: Pick<NodeRolloutState, 'node' | 'nodeUID' | 'wishGeneration'>,
): Slot | undefined {
  return ledger?.find((slot) => slot.node === node.node && slot.nodeUID === node.nodeUID && isFor(slot, node));
}

/** Whether a slot was given for the node's current wish. An edit that does not change the wish takes nothing away from the node. */
export function isFor({ generation = 0 }: Slot, { wishGeneration }: Pick<NodeRolloutState, 'wishGeneration'>): boolean {
  return generation >= wishGeneration;
}

/** Whether a node has not been looked at since a slot appeared: another leader gave it. */
export function isNewSlot(slot: Slot, rolloutState: NodeRolloutState | undefined): boolean {
  return rolloutState !== undefined && rolloutState.seen?.includes(slot.startTime ?? '') !== true;
}

/**
 * How a node stands for a ledger. A standing from before the node's slot was known, or before another policy won the node, says
 * nothing about the slot: an old leader would take it from a node that the new leader lets proceed.
 *
 * @param winner the policy that decides over the node now
 */
export function rolloutStateWith(
  rolloutState: NodeRolloutState,
  slot: Slot | undefined,
  winner: string | undefined,
): NodeRolloutState {
  const isOutdated = rolloutState.policy !== winner || (slot !== undefined && isNewSlot(slot, rolloutState));
  return isOutdated ? { ...rolloutState, isUnderWay: true } : rolloutState;
}
