import type { NodeStanding, Slot } from './slot.ts';

/** Whether a node has not been looked at since a slot appeared: another leader gave it. */
export function isNewSlot(slot: Slot, standing: NodeStanding | undefined): boolean {
  return standing !== undefined && standing.seen?.includes(slot.startTime ?? '') !== true;
}

/**
 * How a node stands for a ledger. A standing from before the node's slot was known, or before another policy won the node, says
 * nothing about the slot: an old leader would take it from a node that the new leader lets proceed.
 *
 * @param winner the policy that decides over the node now
 */
export function standWith(standing: NodeStanding, slot: Slot | undefined, winner: string | undefined): NodeStanding {
  const isOutdated = standing.policy !== winner || (slot !== undefined && isNewSlot(slot, standing));
  return isOutdated ? { ...standing, isUnderWay: true } : standing;
}
