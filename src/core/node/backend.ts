import type { GpuNodePartition, NodePartitionSpec } from '../../api/types.ts';
import { listSliceDevices } from '../dra/resource-slice.ts';
import { advertisedResources } from '../nvidia/resources/advertised.ts';
import { isUnfinished } from './node-view.ts';
import { publishDevices } from '../dra/published-devices.ts';
import { compareSlices, type SliceOffer } from '../dra/slice-offer.ts';
import type { NodeSnapshot } from './snapshot.ts';

export type Backend = NonNullable<NodePartitionSpec['backend']>;

type Planned = Pick<NodeSnapshot, 'node' | 'claim' | 'slices' | 'hasSlices'> & {
  readonly partition: GpuNodePartition | undefined;
};

/**
 * How a node's GPUs are handed out: by its policy, else as they last were. With Auto as was found, until then as by the device plugin. An
 * edit counts when what the previous stack may still offer is gone: of the device plugin, in the middle of a change; of the DRA driver,
 * always, as a reboot may leave its slices behind.
 */
export function backendOf(planned: Planned): Backend {
  const { partition } = planned;
  const { winner } = planned.claim;
  const known = partition?.spec.backend ?? 'DevicePlugin';
  if (winner === undefined) return hasChangedHands(planned, known) ? otherThan(known) : known;
  const asked = winner.spec.backend ?? 'DevicePlugin';
  return asked === 'Auto' || mayOffer(planned, known) ? known : asked;
}

/** Whether what has handed a node's GPUs out may offer what is gone. What was not read may be there. */
function mayOffer({ node, partition, slices }: Planned, known: Backend): boolean {
  if (known === 'DRA') return publishesAny(slices);
  return partition?.spec.granted !== undefined && isUnfinished(node) && offersAny(node);
}

/** Whether, on a node that no policy decides over any more, only the other one is there: nothing will come from the one that is known. */
function hasChangedHands({ node, partition, slices, hasSlices }: Planned, known: Backend): boolean {
  if (known === 'DRA') return !publishesAny(slices) && offersAny(node);
  return hasSlices === true && !offersAny(node) && keepsNothing(partition);
}

/** By the kubelet: what the API server shows may be the zero of a node that is closed. */
function keepsNothing(partition: GpuNodePartition | undefined): boolean {
  const { advertised } = partition?.status?.device ?? {};
  return advertised?.stale === 0 && Object.values(advertised.resources ?? {}).every((count) => count === 0);
}

function otherThan(backend: Backend): Backend {
  return backend === 'DRA' ? 'DevicePlugin' : 'DRA';
}

function publishesAny(slices: NodeSnapshot['slices']): boolean {
  return slices === undefined || listSliceDevices(slices).length > 0;
}

function offersAny(node: NodeSnapshot['node']): boolean {
  return Object.keys(advertisedResources(node.status?.allocatable ?? {})).length > 0;
}

/** Whether a node's policy has its backend found out. */
export function isFoundOut({ claim }: Pick<NodeSnapshot, 'claim'>): boolean {
  return claim.winner?.spec.backend === 'Auto';
}

/**
 * Whether it matters for a node's plan for whom claims have devices: nothing else tells which pods only look on, and need not be waited
 * for. Nor does anything else tell what the claims of pods are for where a device plugin has come in the driver's place.
 */
export function asksForClaims(planned: Planned): boolean {
  const { create = 0 } = planned.partition?.status?.device?.plan ?? {};
  const mayChangeHands = isFoundOut(planned) && offersAny(planned.node);
  return takesFromClaims(planned) || (backendOf(planned) === 'DRA' && (create > 0 || mayChangeHands));
}

/** Whether a node's plan takes devices away that claims may have: some go, or pods that hold some have to, or every pod that uses a GPU. */
export function takesFromClaims(planned: Planned): boolean {
  const { claim, partition } = planned;
  if (backendOf(planned) !== 'DRA') return false;
  const { destroy = 0, modeChanges = 0, affectedPods = [] } = partition?.status?.device?.plan ?? {};
  return destroy + modeChanges + affectedPods.length > 0 || claim.winner?.spec.drain?.scope === 'Node';
}

/** What keeps the slices of a layout on offer, in messages. */
export function nameBackend(backend: Backend): string {
  switch (backend) {
    case 'DevicePlugin':
      return 'device plugin';
    case 'DRA':
      return 'DRA driver';
  }
}

/** What the DRA driver offers of the device as it is; undefined if its slices have not been read, or are not what counts. */
export function sliceOfferOf(
  known: Pick<NodeSnapshot, 'node' | 'slices' | 'claim'> & { readonly partition: GpuNodePartition },
): SliceOffer | undefined {
  const { slices, partition } = known;
  if (slices === undefined || backendOf(known) !== 'DRA') return undefined;
  return compareSlices(slices, publishDevices(partition.status?.device ?? {}).devices);
}
