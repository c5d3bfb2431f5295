import { pluginDeployLabel } from '../plugin-pods.ts';
import { type Lasting, runningTimer, timer } from '../memory.ts';
import { type Outcome, type RuleInput, type Ruling, waitClosed } from '../commands.ts';
import {
  clearDebris,
  describeCleared,
  describeDebris,
  findDebris,
  foreignOwner,
  migManagerLabel,
  takeOverStep,
} from '../owners.ts';
import type { NodeChange } from '../node-patch.ts';
import { hasStartupTaint, isUnfinished } from '../snapshot.ts';
import { awaitSlot, nodeUnavailable, type SlotUse } from './slot.ts';
import { clusterPods, pluginPods } from './users.ts';

/** Turns mig-manager off where the policy replaces it, in the node's turn. @param use what the node wants its slot for */
export function takeOver(situation: RuleInput, use: SlotUse): Outcome | undefined {
  const step = nextStep(situation);
  if (step === undefined) return undefined;
  const waits = step === 'SetLabel' ? awaitSlot(situation, use) : undefined;
  if (waits) return waits;
  const debris = findDebris(situation.node);
  const then =
    debris === undefined ? '' : `. What it leaves is repaired once its pod has ended: ${describeDebris(debris)}`;
  const message = `mig-manager is being turned off on this node (${migManagerLabel}=false); it comes back when the policy is deleted${then}`;
  return takingOver(message, step === 'SetLabel' ? { borrow: { [migManagerLabel]: 'false' } } : undefined);
}

/** Whether mig-manager keeps programs off the node that a change needs, and has to be turned off before anything else is asked for. */
export function isInTheWay(situation: RuleInput): boolean {
  return nextStep(situation) !== undefined && (findDebris(situation.node)?.paused.length ?? 0) > 0;
}

function nextStep(situation: RuleInput): ReturnType<typeof takeOverStep> {
  const { node, claim } = situation;
  const pods = situation.pods && clusterPods(situation, situation.pods);
  return takeOverStep({ labels: node.metadata.labels ?? {}, pods }, claim.winner?.spec.allow?.takeOver ?? []);
}

function takingOver(message: string, change: NodeChange | undefined, requeueAfterMs = 500): Ruling {
  return {
    ...waitClosed('Updating', 'TakingOver', message, requeueAfterMs),
    ...(change && { commands: [{ name: 'PatchNode', change }] }),
  };
}

/** How long a repair is announced before it is made, in ms. */
const announcedMs = 5000;
/** How long a device plugin that was paused may take to come back, in ms. */
const comesBackMs = 30_000;

/**
 * Repairs what mig-manager has left on a node whose policy replaces it, once it is off the node. That takes nothing from anybody, and so
 * needs no slot. It comes before all that the missing programs would be asked for.
 */
export function endDebris(situation: RuleInput): Outcome | undefined {
  const { node, claim, pods } = situation;
  const { winner, hold } = claim;
  const isAllowed = winner?.spec.allow?.takeOver?.includes('mig-manager') === true;
  if (!isAllowed || winner.spec.mode === 'Plan' || winner.spec.rollout?.paused === true || hold !== undefined)
    return undefined;
  const debris = findDebris(node);
  if (debris === undefined) return awaitPlugin(situation, runningTimer(situation, 'Debris', 'repaired'));
  const owner = nodeUnavailable(situation) ?? foreignOwner(situation);
  if (owner) return 'needs' in owner ? owner : undefined;
  if (pods === undefined) return { needs: 'Pods' };
  if (nextStep(situation) !== undefined) return undefined;
  const words = describeDebris(debris);
  const { lastsMs, waits } = timer(situation, 'Debris', words);
  if (lastsMs < announcedMs) {
    const message = `mig-manager is off this node and has left ${words}: these labels will be repaired in ${announcedMs / 1000} s`;
    return keepAway(takingOver(message, undefined, announcedMs - lastsMs + 10), waits);
  }
  const change = clearDebris(debris);
  return keepAway(takingOver(describeCleared(change) ?? words, change), timer(situation, 'Debris', 'repaired').waits);
}

/** Clients that we have told to go stay away meanwhile. */
function keepAway(ruling: Ruling, waits: Ruling['waits']): Ruling {
  return { ...ruling, waits, clientsPaused: true };
}

/** A node that is open has its device plugin back in a moment, and would be found to have none until then. */
function awaitPlugin(situation: RuleInput, since: Lasting | undefined): Outcome | undefined {
  const { node, pods } = situation;
  if (since === undefined || since.lastsMs > comesBackMs) return undefined;
  if (isUnfinished(node) || hasStartupTaint(node) || node.metadata.labels?.[pluginDeployLabel] !== 'true')
    return undefined;
  if (pods === undefined) return { needs: 'Pods' };
  if (pluginPods(situation, pods).length > 0) return undefined;
  return keepAway(
    takingOver('what mig-manager had left was repaired; the device plugin is coming back', undefined, 1000),
    since.waits,
  );
}
