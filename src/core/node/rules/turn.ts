import { askInOrder, type Outcome, type Rule, type Ruling } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { publishConfig } from './plugin-config.ts';
import { awaitSlot, slotInForce, slotStale, type SlotUse } from './slot.ts';
import { isPolicyCurrent } from './wish.ts';

/**
 * What a node passes before anything on it is touched, whatever for. @returns why it is not its turn; undefined: it may be closed, and
 * everything has been read from the API server itself
 *
 * @param checks why it should not change now: nothing is requested for a change that cannot succeed
 */
export function awaitTurn(situation: Situation, use: SlotUse, checks: readonly Rule[]): Outcome | undefined {
  // With a slot, everything is read at once, as it will be needed.
  if (situation.pods === undefined) return { look: slotInForce(situation) ? 'All' : 'Pods' };
  const waits = askInOrder(checks, situation) ?? awaitSlot(situation, use);
  if (waits) return waits;
  if (situation.fresh === undefined) return { look: 'All' };
  return policyStale(situation) ?? slotStale(situation) ?? publishConfig(situation);
}

/** Nothing is touched for a policy of which the API server now has another version. */
function policyStale(situation: Situation): Ruling | undefined {
  const { claim } = situation;
  if (isPolicyCurrent(situation)) return undefined;
  const message = `policy ${claim.winner?.metadata.name} differs between the API server and the watch; waiting for the watch`;
  return {
    verdict: { phase: 'Pending', reason: 'AwaitingPlan', message, transient: true, requeueAfterMs: 2000 },
    ifClosed: 'Stays',
  };
}
