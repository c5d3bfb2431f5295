import type { GpuPartitionPolicy } from '../../api/types.ts';
import { choose, makeSlot, renew } from './admission.ts';
import type { Admits } from './admits.ts';
import { type RolloutBudget, judgeBudget, mostSlots, type RolloutLimits } from './budget.ts';
import { type CanaryState, judgeCanary } from './canary.ts';
import type { ClusterCap } from './cap.ts';
import type { RolloutGate } from './gate.ts';
import { notePace } from './pace.ts';
import type { RolloutStates } from './rollout-states.ts';
import { type Canary, isFor, type NodeRolloutState, type Pace, type Slot } from './slot.ts';

/** All input for the admission decision. */
export interface LedgerSnapshot {
  readonly now: number;
  readonly policy: GpuPartitionPolicy;
  /** Whether it has asked for the same since an earlier generation, but for `mode` and `rollout`; false where that is unknown. */
  readonly hasAskedSince: (generation: number) => boolean;
  /** Of the nodes that the policy decides over. */
  readonly rolloutStates: RolloutStates;
  /** How many of them have GPUs: the base of percentages. */
  readonly size: number;
  /** How a node stands, whichever policy decides over it; undefined if it has not been processed yet. */
  readonly rolloutStateOf: (node: string) => NodeRolloutState | undefined;
  /** Undefined if there is no such node. */
  readonly uidOf: (node: string) => string | undefined;
  /** Which of them may start. */
  readonly admits: Admits;
  readonly cap: ClusterCap;
  /** Why the whole cluster is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
}

export interface LedgerStep {
  readonly ledger: readonly Slot[];
  readonly canary: Canary | undefined;
  /** Undefined if no node has been verified at this generation. */
  readonly pace: Pace | undefined;
  /** Nodes that got a slot. */
  readonly admitted: readonly string[];
  /** Nodes that lost theirs. */
  readonly released: readonly string[];
  /** What keeps nodes waiting; undefined if none waits, or only for others to finish. */
  readonly gate: RolloutGate | undefined;
  readonly limits: RolloutLimits;
  /** When this changes without any event, in ms. */
  readonly requeueAfterMs: number | undefined;
}

/**
 * One step of a policy's rollout: releases the slots of nodes that are verified or given up, records nodes that change without a
 * slot, and admits those that may start. Pure; an unchanged world yields an unchanged ledger.
 */
export function stepLedger(snapshot: LedgerSnapshot): LedgerStep {
  const { policy, rolloutStates, uidOf } = snapshot;
  const before = policy.status?.inFlight ?? [];
  // 1. What has been released, and what is under way unrecorded: lost status, a controller that died.
  const kept = before.filter((slot) => isHeld(slot, snapshot));
  const known = new Set(kept.map(({ node }) => node));
  const found = [...rolloutStates.underWay]
    .filter((node) => !known.has(node))
    .flatMap((node) => rolloutStates.get(node) ?? [])
    .filter(({ node, nodeUID, isBegun }) => uidOf(node) === nodeUID && isBegun !== true)
    .map((rolloutState) => makeSlot(rolloutState, rolloutState.isClosedAnyway ? 'Fresh' : 'Found', snapshot));
  const counted = [...kept, ...found].slice(0, mostSlots);
  const held = new Set(counted.map(({ node }) => node));
  // 2. Which nodes may start.
  const canary = judgeCanary(snapshot, held);
  const budget = judgeBudget(snapshot, counted, canary);
  const exchanged = renew(counted, budget, snapshot);
  const ledger = counted.map((slot) => exchanged.get(slot) ?? slot);
  const renewed = [...exchanged.values()];
  const mostNew = budget.mostNew - renewed.filter(isNew).length;
  const chosen = choose({ ...budget, mostNew }, snapshot, held);
  const admitted = chosen.map(({ rolloutState, kind }) => makeSlot(rolloutState, kind, snapshot));
  const canaries = [...renewed, ...admitted].filter(isNew).map(({ node }) => node);
  return {
    ledger: [...ledger, ...admitted],
    canary: noteCanaries(canary, canaries),
    pace: notePace(
      snapshot,
      before.filter(({ node }) => !known.has(node)),
    ),
    admitted: [...found, ...renewed, ...admitted].map(({ node }) => node),
    released: before.flatMap(({ node }) => (known.has(node) ? [] : [node])),
    gate: rolloutStates.isAsked ? budget.gate : undefined,
    limits: budget.counts,
    requeueAfterMs: requeueAfter(snapshot, ledger, budget),
  };
}

function isNew({ kind }: Slot): boolean {
  return kind === 'New';
}

/** A slot is released when the node is found finished by a decision that knew of the slot. */
function isHeld(slot: Slot, { policy, rolloutStateOf, uidOf }: LedgerSnapshot): boolean {
  const uid = uidOf(slot.node);
  const rolloutState = rolloutStateOf(slot.node);
  if (uid === undefined) return false;
  // A Node that was recreated may be closed too: the place is not free before that is known.
  if (uid !== slot.nodeUID) return rolloutState?.nodeUID !== uid;
  if (rolloutState === undefined || rolloutState.isUnderWay) return true;
  const decides = rolloutState.policy === policy.metadata.name && isFor(slot, rolloutState);
  return decides && rolloutState.slot !== slot.startTime;
}

function noteCanaries({ record, places }: CanaryState, started: readonly string[]): Canary | undefined {
  if (record === undefined || places === undefined || started.length === 0) return record;
  const { readySince: _over, ...rest } = record;
  return { ...rest, nodes: [...record.nodes, ...started] };
}

/** A node that another policy has won triggers no event here. */
const othersPollMs = 1000;

function requeueAfter(
  { policy, rolloutStateOf }: LedgerSnapshot,
  ledger: readonly Slot[],
  { changesIn }: RolloutBudget,
): number | undefined {
  if (ledger.some(({ node }) => rolloutStateOf(node)?.policy !== policy.metadata.name)) return othersPollMs;
  return changesIn.length === 0 ? undefined : Math.min(...changesIn) + 100;
}
