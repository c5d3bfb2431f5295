import type { DeviceReport, GpuReport } from '../../api/types.ts';
import { userKey } from '../gpu/state/device-users.ts';

/** The pods of an agent's last reading. The kubelet tells their names only; see `isSurelyRead` for which pods these are. */
export interface ReportedPods {
  /** `NAMESPACE/NAME` of all pods whose devices the agent knows. */
  readonly holders: readonly string[];
  /** The same of those that hold what the plan destroys. */
  readonly going: readonly string[];
}

export function listReportedPods({ gpus = [], plan }: DeviceReport = {}): ReportedPods {
  const places = new Set(plan?.drains);
  return {
    holders: listNames(gpus, 'pods', () => true),
    going: listNames(gpus, 'pods', (place) => places.has(place)),
  };
}

/** `NAMESPACE/NAME` of the ResourceClaims that have what the plan destroys. */
export function listGoingClaims({ gpus = [], plan }: DeviceReport = {}): readonly string[] {
  const places = new Set(plan?.drains);
  return [...new Set(listNames(gpus, 'claims', (place) => places.has(place)))].toSorted();
}

function listNames(
  gpus: readonly GpuReport[],
  of: 'pods' | 'claims',
  isMeant: (place: string) => boolean,
): readonly string[] {
  return gpus.flatMap((gpu) => [
    ...(isMeant(userKey(gpu.uuid)) ? (gpu[of] ?? []) : []),
    ...gpu.instances.flatMap((one) => (isMeant(userKey(gpu.uuid, one)) ? (one[of] ?? []) : [])),
  ]);
}

/**
 * How much later than a pod a reading must have begun, in ms, to have seen that pod: times of creation are whole seconds, and the
 * agent knows the API server's clock to two.
 */
const slackMs = 3_000;

/** The earliest time, in ms, at which a reading shows this pod, and no earlier one of its name. */
export function readableFrom({ metadata }: CreatedPod): number {
  return Date.parse(metadata.creationTimestamp ?? '') + slackMs;
}

/** Whether a pod of a reported name is the one that was read, and not one that came since. Agents of earlier versions tell no time. */
export function isSurelyRead(pod: CreatedPod, { readTime }: Pick<DeviceReport, 'readTime'> = {}): boolean {
  return readTime === undefined || !(readableFrom(pod) > Date.parse(readTime));
}

interface CreatedPod {
  readonly metadata: { readonly creationTimestamp?: string };
}
