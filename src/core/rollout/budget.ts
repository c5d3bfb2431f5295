import type { PolicyStatus } from '../../api/types.ts';
import type { CanaryState } from './canary.ts';
import { mostNames, type RolloutGate } from './gate.ts';
import type { LedgerSnapshot } from './ledger.ts';
import { countLimit } from './limit.ts';
import type { RolloutStates } from './rollout-states.ts';
import type { Slot } from './slot.ts';
import { stateOfWindows } from './windows.ts';

/** What a rollout may do now, in numbers of nodes. */
export type RolloutLimits = NonNullable<PolicyStatus['limits']>;

/** The API keeps at most this many entries. */
export const mostSlots = 500;

/** How many nodes may start now, and what keeps the others waiting. */
export interface RolloutBudget extends Places {
  readonly gate: RolloutGate | undefined;
  readonly counts: RolloutLimits;
  /** Whether a node whose change disrupts nobody may start. */
  readonly mayStart: boolean;
  /** Whether a node that may run pods may start. */
  readonly mayDisrupt: boolean;
  /** Nothing new may start. */
  readonly isHalted: boolean;
  /** What of this changes with time alone, in ms from now. */
  readonly changesIn: readonly number[];
  /** How many of kind New. */
  readonly mostNew: number;
  /** How many of all kinds. */
  readonly room: number;
}

interface Places {
  /** Part of maxUnavailable not used by nodes that are in flight or not ready. */
  readonly open: number;
  /** The same less the nodes that have failed. */
  readonly free: number;
  /** Nodes that are not in flight have used it up, or the rest of it. */
  readonly isTakenByOthers: boolean;
  /** Nodes in flight that are available otherwise. */
  readonly changing: number;
}

export function judgeBudget(snapshot: LedgerSnapshot, ledger: readonly Slot[], canary: CanaryState): RolloutBudget {
  const { policy, rolloutStates, size, now, frozen, cap } = snapshot;
  const { maxUnavailable = 1, failureThreshold = 1, windows, paused } = policy.spec.rollout ?? {};
  const most = countLimit(maxUnavailable, size);
  const isCanary = canary.places !== undefined;
  const threshold = isCanary ? 1 : Math.max(1, countLimit(failureThreshold, size));
  const isHalted = rolloutStates.failed.size >= threshold;
  const window = stateOfWindows(windows, now);
  const stops: RolloutGate | undefined =
    frozen === undefined ? (paused === true ? { reason: 'Paused' } : undefined) : { reason: 'Frozen', why: frozen };
  const holds: RolloutGate | undefined =
    most === 0 ? { reason: 'Held' } : window.isOpen ? undefined : { reason: 'WindowClosed', opensAt: window.opensAt };
  const halts: RolloutGate | undefined = isHalted
    ? { reason: 'Halted', failed: rolloutStates.failed, threshold, isCanary }
    : undefined;
  const waits: RolloutGate | undefined =
    canary.places === 0
      ? { reason: 'CanarySoak', nodes: canary.record?.nodes ?? [], endsAt: canary.endsAt }
      : undefined;
  const places = countPlaces(most, ledger, rolloutStates);
  const room = Math.min(cap.most - cap.others.length, mostSlots) - ledger.length;
  const changesAt = [window.isOpen ? window.closesAt : window.opensAt, canary.endsAt];
  return {
    gate: stops ?? halts ?? holds ?? waits ?? findShortage(snapshot, most, places, room),
    counts: { nodes: size, maxUnavailable: most, maxConcurrentNodes: cap.most },
    ...places,
    room,
    mayStart: stops === undefined,
    mayDisrupt: stops === undefined && holds === undefined,
    isHalted,
    changesIn: changesAt.flatMap((time) => (time === undefined ? [] : [time - now])),
    mostNew: canary.places ?? Infinity,
  };
}

/**
 * Counts nodes that are in flight, not ready or have failed. Failed nodes that are open again slow a rollout down to one node at a
 * time but do not stop it: that is what the threshold is for.
 */
function countPlaces(most: number, ledger: readonly Slot[], rolloutStates: RolloutStates): Places {
  const held = ledger.flatMap(({ node, kind }) => (kind === 'Fresh' ? [] : [node]));
  const countOthers = (nodes: ReadonlySet<string>): number =>
    nodes.size - held.filter((node) => nodes.has(node)).length;
  const open = Math.max(0, most - held.length - countOthers(rolloutStates.unavailable));
  const free = Math.max(0, open - countOthers(rolloutStates.failedOpen));
  const isTakenByOthers = open === 0 && held.length < most;
  const changing = held.filter((node) => !rolloutStates.unavailable.has(node)).length;
  return { open, free: held.length === 0 ? Math.min(open, Math.max(1, free)) : free, isTakenByOthers, changing };
}

/** What uses up the missing places, if not nodes of this ledger: those finish, and that is progress. */
function findShortage(
  { rolloutStates, cap }: LedgerSnapshot,
  most: number,
  { isTakenByOthers, changing }: Places,
  room: number,
): RolloutGate | undefined {
  if (isTakenByOthers) {
    const nodes = rolloutStates.firstUnavailable(mostNames);
    return { reason: 'NodesUnavailable', most, count: rolloutStates.unavailable.size, nodes, changing };
  }
  return room <= 0 && cap.others.length > 0 ? { reason: 'Capped', ...cap } : undefined;
}
