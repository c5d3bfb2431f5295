import { migConfigStateLabel, repartitioningTaint, restartedValue } from '../../api/names.ts';
import type { NodeChange } from '../metadata/node-change.ts';
import type { Command } from './commands.ts';
import { isGrantLive } from './revocation.ts';
import { hasStartupTaint, isUnfinished } from './node-view.ts';
import { slotInForce } from './rules/slot.ts';
import type { Situation } from './outcome.ts';

/**
 * Whether commands take something away from a node's users that they still have. A node may lose anything only with a
 * slot in the ledger, whichever rule wants it. A node that is out of service already is brought to an end without one.
 */
export function needsSlot(situation: Situation, commands: readonly Command[]): boolean {
  if (slotInForce(situation) !== undefined) return false;
  const { node, partition } = situation;
  const isOut = isUnfinished(node) || hasStartupTaint(node) || isGrantLive(partition);
  return commands.some((command) => isIrreversible(command) || (!isOut && disrupts(command)));
}

/** Destroys what pods may still use. */
function isIrreversible({ name }: Command): boolean {
  return name === 'WriteGrant' || name === 'DeletePod';
}

/** Closes a node, ends a pod, says what the node offers, or makes the software of others come, go or change. */
export function disrupts(command: Command): boolean {
  if (command.name === 'PatchNode') return takesAway(command.change);
  // Removing a resource that is at 0 changes nothing that the node offers.
  if (command.name === 'AdvertiseDevices')
    return Object.values(command.status.allocatable).some((amount) => amount !== null);
  // Pods that read the devices before a change are replaced after it: that ends the change, and takes nothing from a user.
  return command.name === 'EvictPod' && command.isHolder !== true;
}

function takesAway({ addTaints = [], borrow = {} }: NodeChange): boolean {
  // The fence of a restarted node takes nothing away: what was there is gone.
  const closes = addTaints.some(({ key, value }) => key === repartitioningTaint.key && value !== restartedValue);
  return closes || Object.keys(borrow).some((key) => key !== migConfigStateLabel);
}
