import type { GpuNodePartition, PolicySpec } from '../../api/types.ts';
import { publishDevices } from '../dra/published-devices.ts';
import { compareSlices, type SliceOffer } from '../dra/slice-offer.ts';
import type { NodeSnapshot } from './snapshot.ts';

type Planned = Pick<NodeSnapshot, 'claim'> & { readonly partition: GpuNodePartition | undefined };

export type Backend = NonNullable<PolicySpec['backend']>;

/** How a node's GPUs are handed out: by its policy, else as they last were. */
export function backendOf({ claim, partition }: Planned): Backend {
  return claim.winner?.spec.backend ?? partition?.spec.backend ?? 'DevicePlugin';
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

/** What the DRA driver offers of the device as it is; undefined if its slices have not been read. */
export function sliceOfferOf({
  slices,
  partition,
}: Pick<NodeSnapshot, 'slices'> & { readonly partition: GpuNodePartition }): SliceOffer | undefined {
  return slices && compareSlices(slices, publishDevices(partition.status?.device ?? {}).devices);
}
