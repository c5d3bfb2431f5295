import { borrowedLabelsOf } from '../../metadata/borrowed-labels.ts';
import type { NodeChange } from '../../metadata/node-change.ts';
import { driverUpgrade } from '../../nvidia/driver-upgrade.ts';
import { findOwners } from '../../owners/find-owners.ts';
import { foreignGpuResource } from '../../pods/gpu-resource.ts';
import { migManagerLabel, takeOverStep } from '../../owners/mig-manager.ts';
import { metadataOf } from '../node-view.ts';
import { leaveOpen, lookAgainMs, type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { clusterPods } from './cluster-pods.ts';
import { awaitSlot, type SlotUse } from './slot.ts';

/** Blocks a node whose GPUs are not ours to touch now. */
export function foreignOwner(situation: Situation): Outcome | undefined {
  return upgradesDriver(situation) ?? hasOwner(situation) ?? givesBack(situation);
}

function upgradesDriver({ node }: Situation): Ruling | undefined {
  const message = driverUpgrade(node.metadata.labels ?? {});
  return message === undefined ? undefined : leaveOpen('Waiting', 'DriverUpgrade', message);
}

function hasOwner({ node, claim, pods, slices, fresh, settings }: Situation): Outcome | undefined {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const { allocatable = {}, capacity = {} } = node.status ?? {};
  const takeOver = claim.winner?.spec.allow?.takeOver ?? [];
  // Only the pods tell whether these owners are in use and more than a label.
  const mustLook = foreignGpuResource in allocatable || (labels[migManagerLabel] ?? 'false') !== 'false';
  if (mustLook && pods === undefined) return { needs: 'Pods' };
  const { systemNamespaces } = settings;
  const resourceSlices = fresh?.resourceSlices ?? slices;
  const evidence = { node: name, labels, annotations, allocatable, capacity, pods, resourceSlices, systemNamespaces };
  const [owner] = findOwners(evidence, takeOver);
  if (!owner) return undefined;
  const message = `${owner.evidence}: two owners would undo each other's work, so nothing is touched. To hand over the GPUs: ${owner.handOver}`;
  return leaveOpen('Failed', 'ForeignManager', message, lookAgainMs);
}

/** Another policy allowed a takeover, or this one did earlier: without the consent the label is restored. */
function givesBack({ node, claim }: Situation): Ruling | undefined {
  const allowed = claim.winner?.spec.allow?.takeOver ?? [];
  if (allowed.includes('mig-manager') || !(migManagerLabel in borrowedLabelsOf(metadataOf(node)))) return undefined;
  const message = 'mig-manager is coming back: the policy does not allow a takeover from it';
  return takingOver(message, { giveBack: [migManagerLabel] });
}

/** Turns mig-manager off where the policy replaces it, in the node's turn. @param use what the node wants its slot for */
export function takeOver(situation: Situation, use: SlotUse): Outcome | undefined {
  const { node, claim } = situation;
  const allowed = claim.winner?.spec.allow?.takeOver ?? [];
  const pods = situation.pods && clusterPods(situation, situation.pods);
  const step = takeOverStep({ labels: node.metadata.labels ?? {}, pods }, allowed);
  if (step === undefined) return undefined;
  const waits = step === 'SetLabel' ? awaitSlot(situation, use) : undefined;
  if (waits) return waits;
  const message = `mig-manager is being turned off on this node (${migManagerLabel}=false); it comes back when the policy is deleted`;
  return takingOver(message, step === 'SetLabel' ? { borrow: { [migManagerLabel]: 'false' } } : undefined);
}

function takingOver(message: string, change: NodeChange | undefined): Ruling {
  return {
    ...passing('Updating', 'TakingOver', message, 500),
    ...(change && { commands: [{ name: 'PatchNode', change }] }),
  };
}
