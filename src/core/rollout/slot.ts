import type { PolicyStatus } from '../../api/types.ts';

/** One entry of the ledger: a node that has been admitted, until it is verified or given up. */
export type Slot = NonNullable<PolicyStatus['inFlight']>[number];

/** The nodes that change first at a generation. */
export type Canary = NonNullable<PolicyStatus['canary']>;

/** How fast nodes change at a generation. */
export type Pace = NonNullable<PolicyStatus['pace']>;

export type SlotKind = NonNullable<Slot['kind']>;

/** What a node that wants to change asks for. */
export interface SlotRequest {
  /**
   * Why: `Repair` where something else has changed its GPUs, `Retry` where it failed before, `Fresh` where it is closed anyway, so that
   * making it available disrupts nobody, else `New`.
   */
  readonly kind: Exclude<SlotKind, 'Found'>;
  /** Closed until its first layout is verified, or since it was restarted, and evicts no pod. */
  readonly isClosedAnyway: boolean;
  /** How often its pods did not go for this change. */
  readonly rests: number;
  /** Pods that have to go. */
  readonly evictions: number;
  /** GPU instances that have to go. */
  readonly destroys: number;
  /** Of the grant that it waits for. */
  readonly epoch: number;
}

/** How a node stands towards the rollout of the policy that decides over it, as it was found last. */
export interface NodeStanding {
  readonly node: string;
  readonly nodeUID: string;
  /** The policy that decides over it; undefined where none does. */
  readonly policy: string | undefined;
  /** Whether its kubelet says so. */
  readonly isReady: boolean;
  /** A grant of this generation has failed, and it has not become ready since. */
  readonly hasFailed: boolean;
  /** Device, labels and what is advertised are as the policy says. */
  readonly isVerified: boolean;
  readonly isClosedAnyway: boolean;
  /** It is being changed, closed for it, or about to be. */
  readonly isUnderWay: boolean;
  /** Under way only because its slot is being looked at: no evidence of a change, should the slot be gone meanwhile. */
  readonly isBegun?: boolean;
  /** Generation of the policy when it got the wish that it has: slots that were given before are for another change. */
  readonly wishGeneration: number;
  /** `startTime` of the slot that this was found with; undefined where it held none. */
  readonly slot?: string | undefined;
  /** `startTime` of all slots of the node that were known by then, in whatever ledger. */
  readonly seen?: readonly string[];
  readonly request?: SlotRequest | undefined;
}

/** The slot of a node in a ledger, if it was given for the wish that the node has. */
export function slotOf(
  ledger: readonly Slot[] | undefined,
  node: Pick<NodeStanding, 'node' | 'nodeUID' | 'wishGeneration'>,
): Slot | undefined {
  return ledger?.find((slot) => slot.node === node.node && slot.nodeUID === node.nodeUID && isFor(slot, node));
}

/** Whether a slot was given for the wish that the node has. An edit that asks the same of a node takes nothing away from it. */
export function isFor({ generation = 0 }: Slot, { wishGeneration }: Pick<NodeStanding, 'wishGeneration'>): boolean {
  return generation >= wishGeneration;
}
