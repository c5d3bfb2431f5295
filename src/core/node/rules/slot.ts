import { managedConfig } from '../../nvidia/plugin-config.ts';
import { listLosers } from '../../device/holders.ts';
import { describeModeChanges } from '../../device/plan.ts';
import type { NodeRolloutState, Slot } from '../../rollout/budget.ts';
import { hasFailed, isRepair } from '../grants.ts';
import {
  backendOf,
  nameBackend,
  isClosedAnyway,
  isPolicyCurrent,
  isUnfinished,
  hasStartupTaint,
  leavingTaintOf,
} from '../snapshot.ts';
import { runningTimer, timer } from '../memory.ts';
import { countWords } from '../../text/words.ts';
import {
  alsoWaits,
  askInOrder,
  lookAgainMs,
  type Outcome,
  waitClosed,
  waitOpen,
  type Rule,
  type Ruling,
  type RuleInput,
  type Verdict,
  type Command,
} from '../commands.ts';
import { findRest } from '../eviction.ts';
import { presumeAffected } from './users.ts';
import { checkPluginConfig, publishConfig } from './backend.ts';
import { migConfigStateLabel, repartitioningTaint, restartedValue } from '../../../api/names.ts';
import type { NodeView } from '../../kubernetes/node.ts';
import type { NodeChange } from '../node-patch.ts';
import { isGrantLive } from '../../device/grants.ts';

/**
 * Why a node requests a slot: another layout, other settings of its device plugin, mig-manager that is to go, a plugin that does not offer
 * what exists, or a status that claims more than exists.
 */
export type SlotUse = 'Layout' | 'Settings' | 'TakeOver' | 'Plugin' | 'Status';

/** The slot with which a node may start, or continue. */
export function slotInForce({ slot, node, claim }: Pick<RuleInput, 'slot' | 'node' | 'claim'>): Slot | undefined {
  // Given to a node that was already tainted: it does not count once the node has been opened.
  if (slot?.kind === 'Fresh' && !isUnfinished(node) && !isClosedAnyway(node)) return undefined;
  // Nothing that is open starts while the policy is on hold, even if it was admitted before.
  if (claim.hold !== undefined && !isUnfinished(node)) return undefined;
  // A paused generation gives no slots: such a one only records a node that was found closed.
  return isPaused(claim) && (slot?.generation ?? 0) >= (claim.winner?.metadata.generation ?? 0) ? undefined : slot;
}

/** What is in line with the generation in force stays so; nothing that is not starts to change. */
export function onHold({ claim }: RuleInput): Ruling | undefined {
  const { winner, hold } = claim;
  if (hold === undefined) return undefined;
  if (hold.kind === 'Checking') return waitClosed('Pending', 'AwaitingPlan', hold.message);
  const reason = hold.kind === 'Plan' ? 'PlanOnly' : 'PolicyInvalid';
  const message = `${hold.message}. The node does not match generation ${winner?.metadata.generation}, and no change to it starts`;
  return waitOpen('Pending', reason, message);
}

/** A node without a slot requests one, and states what it would do with it. */
export function awaitSlot(situation: RuleInput, use: SlotUse): Outcome | undefined {
  if (slotInForce(situation) !== undefined) return undefined;
  const { node, fresh } = situation;
  // Another leader may have given it one, and closed it for that.
  if (isUnfinished(node)) {
    if (fresh === undefined) return { needs: 'All' };
    if (slotInForce({ ...situation, slot: fresh.slot }) !== undefined) return slotStale(situation);
  }
  return (
    onHold(situation) ?? {
      ifClosed: 'Opens',
      verdict: describeWait(situation, use),
      request: requestOf(situation, use),
    }
  );
}

function describeWait(situation: RuleInput, use: SlotUse): Verdict {
  const { claim } = situation;
  const of = `the rollout of policy ${claim.winner?.metadata.name}`;
  const what = describeUse(situation, use);
  // The driver may publish them by itself.
  const again = use === 'Plugin' && backendOf(situation) === 'DRA' && { requeueAfterMs: lookAgainMs };
  if (isPaused(claim)) return { phase: 'Pending', reason: 'Paused', message: `${of} is paused: ${what}`, ...again };
  return {
    phase: 'Pending',
    reason: 'AwaitingSlot',
    message: `waiting for a slot in ${of}: ${what}`,
    transient: true,
    ...again,
  };
}

function requestOf(situation: RuleInput, use: SlotUse): NonNullable<NodeRolloutState['request']> {
  const { partition, node } = situation;
  const isLayout = use === 'Layout';
  const evictions = isLayout ? countEvictions(situation) : 0;
  // If there are pods although it is closed, they would be disrupted.
  const isFresh = isClosedAnyway(node) && evictions === 0;
  const isBroken = use === 'Plugin' || use === 'Status' || (isLayout && isRepair(partition));
  return {
    kind: hasFailed(situation) ? 'Retry' : isFresh ? 'Fresh' : isBroken ? 'Repair' : 'New',
    isClosedAnyway: isFresh,
    failedDrains: isLayout ? (findRest(situation, 'DrainRest')?.count ?? 0) : 0,
    evictions,
    destroys: isLayout ? (partition.status?.device?.plan?.destroy ?? 0) : 0,
  };
}

function isPaused({ winner }: RuleInput['claim']): boolean {
  return winner?.spec.rollout?.paused === true;
}

function describeUse(situation: RuleInput, use: SlotUse): string {
  const { claim, settings } = situation;
  switch (use) {
    case 'Layout':
      return describePlan(situation);
    case 'Settings': {
      const key = claim.winner && settings.pluginConfigMap && managedConfig(claim.winner.spec).key;
      return `would restart its device plugin${key === undefined ? '' : ` with config ${key}`}`;
    }
    case 'TakeOver':
      return 'would turn mig-manager off on this node';
    case 'Plugin':
      return `would restart its ${nameBackend(backendOf(situation))}, which does not offer the layout`;
    case 'Status':
      return 'would be closed until its status claims no more than its kubelet offers';
  }
}

/** The plan names pods on what it destroys; others go, too, if the whole node drains or the plan could not name all. */
function countEvictions(situation: RuleInput): number {
  const { affectedPods = [], morePods = 0 } = situation.partition.status?.device?.plan ?? {};
  const named = affectedPods.length + morePods;
  return Math.max(named, presumeAffected(situation, situation.pods ?? []).length);
}

/** Describes the effects of the plan on the node, pods first. */
export function describePlan(situation: Pick<RuleInput, 'partition' | 'claim'>): string {
  const { plan } = situation.partition.status?.device ?? {};
  const { keep = 0, destroy = 0, create = 0 } = plan ?? {};
  const more = `${describeModeChanges(plan)}${describePods(situation)}`;
  return `would keep ${keep}, destroy ${destroy} and create ${countWords(create, 'instance')}${more}`;
}

function describePods({ partition, claim }: Pick<RuleInput, 'partition' | 'claim'>): string {
  const { scope = 'Affected' } = claim.winner?.spec.drain ?? {};
  if (scope === 'Node') return ', evict all pods that use its GPUs';
  const { affectedPods = [], morePods = 0 } = partition.status?.device?.plan ?? {};
  const going = [...new Set([...affectedPods, ...listLosers(partition.status?.device)])];
  if (going.length === 0) return '';
  const names = `${going.join(', ')}${morePods > 0 ? ` and ${morePods} more` : ''}`;
  return scope === 'None' ? `, wait for ${names} to end` : `, evict ${names}`;
}

/** An admission is looked up again in the policy itself: a ledger that lost a race admits no node. */
function slotStale({ slot, fresh, claim }: RuleInput): Ruling | undefined {
  if (fresh?.slot !== undefined && fresh.slot.startTime === slot?.startTime) return undefined;
  const name = claim.winner?.metadata.name;
  const message = `the ledger of policy ${name} has a different slot for this node at the API server than in the watch, or none; waiting for the watch`;
  return waitClosed('Pending', 'AwaitingSlot', message, 2000);
}

/**
 * What a node passes before anything on it is touched, whatever for. @returns why not; undefined: it may be closed, and
 * everything has been read from the API server itself
 *
 * @param checks why it should not change now: nothing is requested for a change that cannot succeed
 */
export function awaitTurn(situation: RuleInput, use: SlotUse, checks: readonly Rule[]): Outcome | undefined {
  const { pods, fresh } = situation;
  // What has refused it after its admission may show only in what the API server itself says. Without a look at that it would be admitted
  // again at once, and without end.
  if (fresh === undefined && runningTimer(situation, 'Refused') !== undefined) return { needs: 'All' };
  // With a slot, everything is read at once, as it will be needed.
  if (pods === undefined) return { needs: slotInForce(situation) ? 'All' : 'Pods' };
  const refusal = askInOrder([...checks, checkPluginConfig], situation);
  if (refusal)
    return 'needs' in refusal || fresh === undefined ? refusal : alsoWaits(refusal, timer(situation, 'Refused').waits);
  const waits = awaitSlot(situation, use);
  if (waits) return waits;
  if (fresh === undefined) return { needs: 'All' };
  return policyStale(situation) ?? slotStale(situation) ?? publishConfig(situation);
}

/** A node that is being deleted or removed, whose kubelet is not ready or that somebody has cordoned is left alone. */
export function nodeUnavailable({ node }: RuleInput): Ruling | undefined {
  const { metadata, spec } = node;
  if (metadata.deletionTimestamp !== undefined) {
    return waitOpen('Pending', 'NodeTerminating', 'the node is being deleted; its GPUs are left alone');
  }
  const silent = nodeNotReady(node);
  if (silent) return silent;
  const leaving = leavingTaintOf(spec?.taints);
  if (leaving !== undefined) {
    return waitOpen(
      'Pending',
      'NodeTerminating',
      `the node is being removed (taint ${leaving}); its GPUs are left alone`,
    );
  }
  if (spec?.unschedulable === true) {
    const hint = `its GPUs change when it is uncordoned: kubectl uncordon ${metadata.name}`;
    return waitOpen('Pending', 'ForeignCordon', `the node is cordoned, and not by this operator; ${hint}`);
  }
  return undefined;
}

/** Waits for a node whose kubelet does not report: nothing is known of it that could have changed meanwhile. */
export function nodeNotReady({ status }: NodeView): Ruling | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const why = ready?.message === undefined || ready.message === '' ? '' : ` (${ready.message})`;
  return waitOpen('Pending', 'NodeNotReady', `the node is not Ready${why}; its GPUs change when it is`);
}

/** Stops while the API server has another version of the policy than the watch. */
function policyStale(situation: RuleInput): Ruling | undefined {
  const { claim } = situation;
  if (isPolicyCurrent(situation)) return undefined;
  const message = `policy ${claim.winner?.metadata.name} differs between the API server and the watch; waiting for the watch`;
  return waitClosed('Pending', 'AwaitingPlan', message, 2000);
}

/**
 * Whether commands take something away from a node's users that they still have. A node may lose anything only with a
 * slot in the ledger, whichever rule wants it. A node that is out of service already is brought to an end without one.
 */
export function needsSlot(situation: RuleInput, commands: readonly Command[]): boolean {
  if (slotInForce(situation) !== undefined) return false;
  const { node, partition } = situation;
  const isOut = isUnfinished(node) || hasStartupTaint(node) || isGrantLive(partition);
  return commands.some((command) => isIrreversible(command) || (!isOut && disruptsNode(command)));
}

/** Destroys what pods may still use. */
function isIrreversible({ name }: Command): boolean {
  return name === 'WriteGrant' || name === 'DeletePod';
}

/** Closes a node, ends a pod, says what the node offers, or makes the software of others come, go or change. */
export function disruptsNode(command: Command): boolean {
  if (command.name === 'PatchNode') return takesAway(command.change);
  // Removing a resource that is at 0 changes nothing that the node offers.
  if (command.name === 'AdvertiseDevices')
    return Object.values(command.status.allocatable).some((amount) => amount !== null);
  // Pods that read the devices before a change are replaced after it: that ends the change, and takes nothing from a user.
  return command.name === 'EvictPod' && command.isClient !== true;
}

function takesAway({ addTaints = [], borrow = {} }: NodeChange): boolean {
  // The fence of a restarted node takes nothing away: what was there is gone.
  const closes = addTaints.some(({ key, value }) => key === repartitioningTaint.key && value !== restartedValue);
  return closes || Object.keys(borrow).some((key) => key !== migConfigStateLabel);
}
