import type { DeviceReport, Strategy } from '../../api/types.ts';
import { describeReport } from '../nvidia/labels/describe-report.ts';
import { computeResources } from '../nvidia/resources/node-resources.ts';
import { judgeAdvertised } from './advertised-devices.ts';
import { uuidOfDeviceId } from './device-id.ts';
import { isGpuResource } from './gpu-resource.ts';

/**
 * Resources that the kubelet offers with other devices than the node has for them: some are gone, or some are missing. A plugin that has read
 * the devices serves none of these.
 *
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 */
export function listMisoffered(
  device: DeviceReport,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy: Strategy | undefined,
): readonly string[] {
  const { resources, errors } = computeResources(describeReport(device), strategy ?? 'mixed');
  const isKnown = strategy !== undefined && errors.length === 0;
  return [...allocatable].flatMap(([name, ids]) => {
    if (!isGpuResource(name) || ids.length === 0) return [];
    // Replicas of one device are offered as several.
    const found = new Set(ids.map((id) => uuidOfDeviceId(id, device))).size;
    const isShort = isKnown && found !== (resources[name.replace(/\.shared$/, '')] ?? 0);
    const isStale = judgeAdvertised(device, new Map([[name, ids]]), strategy).stale > 0;
    return isShort || isStale ? [name] : [];
  });
}
