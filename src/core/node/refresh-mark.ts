import type { DeviceReport, GpuNodePartition, GpuReport } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';
import { onceEach } from '../text/once-each.ts';
import { isTransient } from './grant-failure.ts';

/** On a Node: for which state of the device the plugin's pods were replaced, and which pods had to go. */
export const refreshedAnnotation = 'gpupartition.dev/plugin-refreshed';

/**
 * What must outlive the controller during a refresh: a pod is recorded before it is evicted, so that a successor evicts these pods
 * and no others. Pods are told apart by uid and never by time: no two clocks are compared.
 */
export interface RefreshMark {
  /** Of which change; see {@link changeKey}. */
  readonly change: string;
  /** Pods that read the devices before they were done. */
  readonly uids: readonly string[];
  /** Whether their DaemonSet creates pods on a node that we have closed. */
  readonly tolerates: boolean;
  /** Nothing was offered since the device reached its current state: whoever offers something has read it. */
  readonly sawNothing: boolean;
}

/**
 * Identifies what the plugin has to read again: the grant, and the state of the device; the boot after which its layout was
 * recreated; the settings that the plugin reads with it; and whether it is the DRA driver. A device also changes without a grant: a GPU is lost or comes back, or
 * somebody works on it.
 */
export function changeKey({ spec, status }: GpuNodePartition, config?: string): string {
  const { bootID = '', driverLoad, error, gpus = [] } = status?.device ?? {};
  const settings = config === undefined ? '' : `+${config}`;
  const epoch = spec.granted?.epoch ?? 0;
  // A failing change is granted again and again: the plugin is restarted once for the resulting device, not each time. A DRA driver
  // cannot tell instances that were undone and made again at their places, with their UUIDs, from those before: it has to read each.
  const made = error ? (spec.backend === 'DRA' && hasBegun(error) ? `failed${epoch}` : 'failed') : epoch;
  const load = driverLoad === undefined ? '' : `.${driverLoad}`;
  // A pod of the one is not one that has replaced the other.
  const stack = spec.backend === 'DRA' ? ':DRA' : '';
  return `${made}${deviceKey(gpus)}@${bootID.slice(0, 8)}${load}${settings}${stack}`;
}

/** Whether a change may have failed in the middle: what fails on a GPU has been worked on, even if a retry may well succeed. */
function hasBegun(error: NonNullable<DeviceReport['error']>): boolean {
  return error.gpu !== undefined || !isTransient(error);
}

const deviceKey = onceEach((gpus: readonly GpuReport[]): string => {
  if (gpus.length === 0) return '';
  const devices = gpus.map(({ uuid, mig, error, instances }) => [
    uuid,
    mig,
    error !== undefined,
    instances.map(({ gi, profile, start }) => [gi, profile, start]),
  ]);
  return `-${fingerprint(canonicalJson(devices)).slice(0, 8)}`;
});

/** `CHANGE/UID,UID`, followed by `/tolerates` or `/nothing` where that applies: if the taint is tolerated, it is never removed early. */
export function formatRefreshMark({ change, uids, tolerates, sawNothing }: RefreshMark): string {
  return [change, uids.join(','), ...(tolerates ? ['tolerates'] : sawNothing ? ['nothing'] : [])].join('/');
}

/** The mark of this very change; undefined if there is none, or only one of an earlier change. */
export function readRefreshMark(annotation: string | undefined, change: string): RefreshMark | undefined {
  const [marked, uids = '', more] = (annotation ?? '').split('/');
  if (marked !== change) return undefined;
  return {
    change,
    uids: uids.split(',').filter((uid) => uid !== ''),
    tolerates: more === 'tolerates',
    sawNothing: more === 'nothing',
  };
}
