import { hasGpus, type NodeRolloutState } from '../rollout/budget.ts';
import { hasFailed } from './grants.ts';
import { disruptsNode } from './rules/slot.ts';
import { isClosedAnyway, isCordoned, isReadyNode, isUnfinished, isReadBeforeBoot } from '../kubernetes/node.ts';
import type { Ruling, RuleInput } from './commands.ts';
import { isGrantLive } from '../device/grants.ts';
import type { NodeSnapshot } from './snapshot.ts';

/** The node's place in its rollout after a decision; the caller knows whose node it is. */
export type RolloutState = Omit<NodeRolloutState, 'node' | 'nodeUID' | 'policy' | 'seen'>;

/** How a node stands after a decision. */
export function describeRolloutState(situation: RuleInput, ruling: Ruling): RolloutState {
  const { slot } = situation;
  const { verdict, request } = ruling;
  return {
    ...outsideRollout(situation),
    hasFailed: verdict.phase !== 'Ready' && hasFailed(situation),
    isVerified: verdict.phase === 'Ready',
    isUnderWay: isUnderWay(situation) || (slot !== undefined && goesOn(situation, ruling)),
    slot: slot?.startTime,
    ...(request && { request }),
  };
}

/** A node that cannot be decided: it requests nothing, and keeps its slot as long as it is closed or its agent may be at work. */
export function keepRolloutState(known: Pick<NodeSnapshot, 'node' | 'partition' | 'slot'>): RolloutState {
  return { ...outsideRollout(known), isUnderWay: isUnderWay(known), slot: known.slot?.startTime };
}

/** A node that takes no part. */
function outsideRollout({ node, partition }: Pick<NodeSnapshot, 'node' | 'partition'>): RolloutState {
  return {
    isReady: isReadyNode(node),
    isCordoned: isCordoned(node),
    hasGpus: hasGpus(partition),
    hasFailed: false,
    isVerified: false,
    isClosedAnyway: isClosedAnyway(node),
    isUnderWay: false,
    wishGeneration: partition?.spec.policy?.generation ?? 0,
  };
}

/**
 * Whether its agent may be changing it, or it is closed for that. A dead node must not hold others up: where nothing of before is left,
 * it takes its slot again when its kubelet is back.
 */
function isUnderWay({ node, partition, slot }: Pick<NodeSnapshot, 'node' | 'partition' | 'slot'>): boolean {
  if (partition !== undefined && isGrantLive(partition)) return true;
  if (!isUnfinished(node)) return false;
  if (isReadyNode(node)) return slot !== undefined || !isClosedAnyway(node);
  return !isClosedAnyway(node) && !isReadBeforeBoot(node, partition);
}

/** Whether a node that has a slot and is open is about to use it. Bounded: no slot is kept for nothing. */
function goesOn({ slot, now, settings }: RuleInput, { verdict, request, commands = [] }: Ruling): boolean {
  if (request !== undefined) return false;
  // It does so at this moment.
  if (commands.some(disruptsNode)) return true;
  const end = Date.parse(slot?.deadline ?? '') + settings.deadlineMs;
  const isMoving = verdict.phase === 'Updating' || (verdict.phase === 'Pending' && verdict.transient === true);
  return isMoving && !(end < now);
}
