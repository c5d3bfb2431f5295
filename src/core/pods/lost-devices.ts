import type { DeviceReport } from '../../api/types.ts';
import { computeInstancesOf } from '../gpu/state/compute-instances.ts';
import { listPodCauses, type PodCause, podName, type PodView } from './pod-view.ts';
import type { Holders } from './slice-holders.ts';

/** A MIG device that was destroyed under the pods that hold it. */
export type LostDevice = NonNullable<DeviceReport['lostDevices']>[number];

/** Limits of the API. */
const mostDevices = 64;
const mostPods = 16;
const longestId = 128;

/**
 * MIG devices that pods hold and that no GPU has. The kubelet names them for as long as the pods live. None is found while any GPU
 * or any UUID is missing from the reading: what cannot be read may exist.
 */
export function findLostDevices(
  { gpus = [] }: Pick<DeviceReport, 'gpus'>,
  { stale }: Pick<Holders, 'stale'>,
): readonly LostDevice[] {
  const isRead = gpus.every(
    ({ error, instances }) =>
      error === undefined && instances.flatMap(computeInstancesOf).every(({ uuid }) => uuid !== undefined),
  );
  if (gpus.length === 0 || !isRead) return [];
  const byId = Map.groupBy(
    stale.filter(({ id }) => id.startsWith('MIG-') && id.length <= longestId),
    ({ id }) => id,
  );
  return [...byId].map(([id, held]) => ({ id, pods: [...new Set(held.map(({ pod }) => pod))].toSorted() }));
}

/** As many of them as a report takes. */
export function cutLostDevices(lost: readonly LostDevice[]): LostDevice[] {
  return lost.slice(0, mostDevices).map(({ id, pods }) => ({ id, pods: pods.slice(0, mostPods) }));
}

/** Who holds what, without devices that are lost: nothing that exists can be theirs. */
export function withoutLost(holders: Holders, lost: readonly LostDevice[]): Holders {
  const ids = new Set(lost.map(({ id }) => id));
  return { ...holders, stale: holders.stale.filter(({ id }) => !ids.has(id)) };
}

/** `NAMESPACE/NAME` of the pods that hold a lost device. */
export function listLosers({ lostDevices = [] }: Pick<DeviceReport, 'lostDevices'> = {}): readonly string[] {
  return [...new Set(lostDevices.flatMap(({ pods }) => pods))];
}

/** Which of these pods hold a device that no longer exists. */
export function listLosses(
  { lostDevices = [] }: Pick<DeviceReport, 'lostDevices'> = {},
  pods: readonly Pick<PodView, 'metadata'>[],
): readonly PodCause[] {
  return pods.flatMap((pod) => {
    const ids = lostDevices.filter((one) => one.pods.includes(podName(pod))).map(({ id }) => id);
    const named =
      ids.length > 1
        ? `${ids[0]} and ${ids.length - 1} more, which no longer exist`
        : `${ids[0]}, which no longer exists`;
    return ids.length === 0 ? [] : [{ pod, why: `it holds ${named}, and cannot work` }];
  });
}

/** All pods that hold a device that no longer exists, as told of causes. */
export function describeLosses(device: Pick<DeviceReport, 'lostDevices'>): readonly string[] {
  const pods = listLosers(device).map((loser) => {
    const [namespace = '', name = ''] = loser.split('/');
    return { metadata: { namespace, name } };
  });
  return listPodCauses(listLosses(device, pods));
}
