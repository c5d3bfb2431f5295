import { durationMs, timeText } from '../text/duration.ts';
import type { RolloutBudget } from './budget.ts';
import type { LedgerSnapshot } from './ledger.ts';
import type { RequestQueue } from './rollout-states.ts';
import { isFor, type NodeRolloutState, type Slot, type SlotKind } from './slot.ts';

export function makeSlot({ node, nodeUID }: NodeRolloutState, kind: SlotKind, { policy, now }: LedgerSnapshot): Slot {
  const { generation = 0 } = policy.metadata;
  const timeoutMs = durationMs(policy.spec.drain?.timeout ?? '10m');
  return {
    node,
    nodeUID,
    generation,
    startTime: timeText(now),
    deadline: timeText(now + timeoutMs),
    kind,
  };
}

interface Choice {
  readonly rolloutState: NodeRolloutState;
  readonly kind: SlotKind;
}

/** Who gets a slot: repairs, nodes that are already tainted, the cheapest of the rest, and last failed nodes, so that they starve no other. */
export function choose(
  { mayStart, mayDisrupt, isHalted, mostNew, open, free, room }: RolloutBudget,
  { rolloutStates, uidOf, admits }: LedgerSnapshot,
  held: ReadonlySet<string>,
): readonly Choice[] {
  if (admits === 'Nobody') return [];
  const chosen: Choice[] = [];
  const admit = (queue: RequestQueue, kind: SlotKind, most: number): number => {
    const before = chosen.length;
    const end = Math.min(room, before + most);
    if (before >= end) return 0;
    for (const rolloutState of rolloutStates.inOrder(queue)) {
      if (held.has(rolloutState.node) || uidOf(rolloutState.node) !== rolloutState.nodeUID) continue;
      if (admits === 'WithoutEvictions' && rolloutState.request?.evictions !== 0) continue;
      chosen.push({ rolloutState, kind });
      if (chosen.length >= end) break;
    }
    return chosen.length - before;
  };
  // If no user can be disrupted, neither window nor budget applies.
  const anybody = mayStart ? Infinity : 0;
  const repairs = admit('Repair', 'Repair', mayDisrupt ? free : 0);
  admit('Fresh', 'Fresh', isHalted ? 0 : anybody);
  const others = admit('New', 'New', mayDisrupt && !isHalted ? Math.min(mostNew, free - repairs) : 0);
  admit('FreshRetry', 'Fresh', anybody);
  // These are counted already.
  admit('Retry', 'Retry', mayDisrupt ? open - repairs - others : 0);
  return chosen;
}

/**
 * Exchanges the slots of nodes that are closed for an earlier wish, for the one that they have now: such a node might never be opened
 * for the earlier one, as long as its plugin does not offer what its device has become. It takes no new place, and obeys all else that a
 * new one does; while canaries are missing, it becomes one of them.
 *
 * @returns for each slot that is exchanged, the one that takes its place
 */
export function renew(
  slots: readonly Slot[],
  budget: RolloutBudget,
  snapshot: LedgerSnapshot,
): ReadonlyMap<Slot, Slot> {
  const renewed = new Map<Slot, Slot>();
  let left = budget.isHalted ? 0 : budget.mostNew;
  for (const slot of slots) {
    const next = renewOne(slot, budget, snapshot);
    if (next === undefined || (next.kind === 'New' && left === 0)) continue;
    if (next.kind === 'New') left -= 1;
    renewed.set(slot, next);
  }
  return renewed;
}

function renewOne(slot: Slot, { mayStart, mayDisrupt }: RolloutBudget, snapshot: LedgerSnapshot): Slot | undefined {
  const { policy, admits, rolloutStateOf } = snapshot;
  const rolloutState = rolloutStateOf(slot.node);
  const { request } = rolloutState ?? {};
  if (
    !rolloutState ||
    !request ||
    rolloutState.nodeUID !== slot.nodeUID ||
    rolloutState.policy !== policy.metadata.name
  )
    return undefined;
  if (isFor(slot, rolloutState)) return undefined;
  const isSeen = admits === 'Everybody' || (admits === 'WithoutEvictions' && request.evictions === 0);
  // A Fresh slot takes no place.
  const isFree = request.kind === 'Fresh' ? mayStart : mayDisrupt && slot.kind !== 'Fresh';
  return isSeen && isFree ? makeSlot(rolloutState, request.kind, snapshot) : undefined;
}
