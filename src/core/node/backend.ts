import type { GpuNodePartition, NodePartitionSpec } from '../../api/types.ts';
import { publishDevices } from '../dra/published-devices.ts';
import { compareSlices, type SliceOffer } from '../dra/slice-offer.ts';
import type { NodeSnapshot } from './snapshot.ts';

export type Backend = NonNullable<NodePartitionSpec['backend']>;

type Planned = Pick<NodeSnapshot, 'claim'> & { readonly partition: GpuNodePartition | undefined };

/** How a node's GPUs are handed out: by its policy, else as they last were. With Auto as was found, until then as by the device plugin. */
export function backendOf({ claim, partition }: Planned): Backend {
  const asked = claim.winner?.spec.backend ?? 'Auto';
  return asked === 'Auto' ? (partition?.spec.backend ?? 'DevicePlugin') : asked;
}

/** Whether a node's policy has its backend found out. */
export function isFoundOut({ claim }: Pick<NodeSnapshot, 'claim'>): boolean {
  return claim.winner?.spec.backend === 'Auto';
}

/**
 * Whether it matters for a node's plan for whom claims have devices: nothing else tells which pods only look on, and need not be waited
 * for.
 */
export function asksForClaims(planned: Planned): boolean {
  const { create = 0 } = planned.partition?.status?.device?.plan ?? {};
  return takesFromClaims(planned) || (backendOf(planned) === 'DRA' && create > 0);
}

/** Whether a node's plan takes devices away that claims may have: some go, or pods that hold some have to, or every pod that uses a GPU. */
export function takesFromClaims({ claim, partition }: Planned): boolean {
  if (backendOf({ claim, partition }) !== 'DRA') return false;
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
export function sliceOfferOf({
  slices,
  ...known
}: Pick<NodeSnapshot, 'slices' | 'claim'> & { readonly partition: GpuNodePartition }): SliceOffer | undefined {
  if (slices === undefined || backendOf(known) !== 'DRA') return undefined;
  return compareSlices(slices, publishDevices(known.partition.status?.device ?? {}).devices);
}
