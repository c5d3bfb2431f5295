import type { GpuNodePartition, GpuReport } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';

/** On a Node: for which state of the device the plugin's pods were replaced, and which pods had to go. */
export const refreshedAnnotation = 'gpupartition.dev/plugin-refreshed';

/**
 * What must outlive the controller of a refresh: a pod that it evicts is written down first, so that whoever goes on
 * evicts these pods and no others. Pods are told apart by uid and never by time: no two clocks are compared.
 */
export interface RefreshMark {
  /** Of which change; see {@link changeKey}. */
  readonly change: string;
  /** Pods that looked at the devices before they were done. */
  readonly uids: readonly string[];
  /** Whether their DaemonSet makes pods on a node that we have closed. */
  readonly tolerates: boolean;
  /** Nothing was offered since the device is as it is: whoever offers something has looked at it. */
  readonly sawNothing: boolean;
}

/**
 * Names what the plugin has to look at anew: the grant, and what the device is; the boot after which its layout was made again; and
 * the settings that the plugin reads with it. A device also changes without a grant: a GPU is lost or comes back, or somebody is at it.
 */
export function changeKey({ spec, status }: GpuNodePartition, config?: string): string {
  const { bootID = '', driverLoad, error, gpus = [] } = status?.device ?? {};
  const settings = config === undefined ? '' : `+${config}`;
  // A change that fails is granted again and again: the plugin is restarted for what it made of the device, not each time.
  const made = error ? 'failed' : (spec.granted?.epoch ?? 0);
  const load = driverLoad === undefined ? '' : `.${driverLoad}`;
  return `${made}${deviceKey(gpus)}@${bootID.slice(0, 8)}${load}${settings}`;
}

const known = new WeakMap<readonly GpuReport[], string>();

function deviceKey(gpus: readonly GpuReport[]): string {
  if (gpus.length === 0) return '';
  const before = known.get(gpus);
  if (before !== undefined) return before;
  const devices = gpus.map(({ uuid, mig, error, instances }) => [
    uuid,
    mig,
    error !== undefined,
    instances.map(({ gi, profile, start }) => [gi, profile, start]),
  ]);
  const key = `-${fingerprint(canonicalJson(devices)).slice(0, 8)}`;
  known.set(gpus, key);
  return key;
}

/** `CHANGE/UID,UID` with `/tolerates` or `/nothing` behind it where that is so: where it is tolerated the taint never goes before. */
export function formatRefreshMark({ change, uids, tolerates, sawNothing }: RefreshMark): string {
  return [change, uids.join(','), ...(tolerates ? ['tolerates'] : sawNothing ? ['nothing'] : [])].join('/');
}

/** The mark of this very change; undefined where there is none, or one of an earlier change. */
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
