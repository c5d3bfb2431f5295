import type { DeviceReport, Strategy } from '../../../api/types.ts';
import { describeReport } from '../labels/describe-report.ts';
import { computeResources } from './node-resources.ts';
import { judgeAdvertised } from '../../pods/advertised-devices.ts';
import { uuidOfDeviceId } from '../../pods/device-id.ts';
import { isGpuResource } from '../../pods/gpu-resource.ts';

/**
 * Resources that the kubelet offers and no plugin serves that has read the devices: all of them, unless it offers exactly the node's devices
 * under every name that such a plugin registers. Then a plugin is back, and only the other names are left of an earlier one.
 *
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin; if absent, only names with devices that are gone count
 */
export function listUnserved(
  device: DeviceReport,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy: Strategy | undefined,
): readonly string[] {
  const offered = [...allocatable].filter(([name, ids]) => isGpuResource(name) && ids.length > 0);
  const isStale = (name: string, ids: readonly string[]): boolean =>
    judgeAdvertised(device, new Map([[name, ids]]), strategy).stale > 0;
  if (strategy === undefined) return offered.filter(([name, ids]) => isStale(name, ids)).map(([name]) => name);
  const { resources, errors } = computeResources(describeReport(device), strategy);
  const right = offered.filter(([name, ids]) => {
    // Replicas of one device are offered as several.
    const found = new Set(ids.map((id) => uuidOfDeviceId(id, device))).size;
    return found === resources[unsharedName(name)] && !isStale(name, ids);
  });
  const served = right.map(([name]) => unsharedName(name));
  const isBack = errors.length === 0 && Object.keys(resources).every((name) => served.includes(name));
  return (isBack ? offered.filter((one) => !right.includes(one)) : offered).map(([name]) => name);
}

function unsharedName(name: string): string {
  return name.replace(/\.shared$/, '');
}
