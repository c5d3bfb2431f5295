import type { DeviceReport, Strategy } from '../../../api/types.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { describeReport } from '../labels/describe-report.ts';
import { MIG_STRATEGIES } from '../labels/mig-strategy.ts';
import { computeResources } from './node-resources.ts';
import { judgeAdvertised } from '../../pods/advertised-devices.ts';
import { uuidOfDeviceId } from '../../pods/device-id.ts';
import { isGpuResource } from '../../pods/gpu-resource.ts';

/**
 * Resources that the kubelet offers and no plugin serves that has read the devices: all of them, unless it offers exactly the node's devices
 * under every name that such a plugin registers. Then a plugin is back, and only the other names are left of an earlier one.
 *
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin. If absent, it counts as known where what is offered shows that a plugin of one strategy, and of no
 * other, is back; elsewhere only names with devices that are gone are unserved
 */
export function listUnserved(
  device: DeviceReport,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy: Strategy | undefined,
): readonly string[] {
  const offered = [...allocatable].filter(([name, ids]) => isGpuResource(name) && ids.length > 0);
  if (strategy !== undefined) return findLeft(device, offered, strategy) ?? offered.map(([name]) => name);
  const [left, ...others] = MIG_STRATEGIES.flatMap((one) => {
    const found = findLeft(device, offered, one);
    return found === undefined || found.length === offered.length ? [] : [found];
  });
  if (left !== undefined && others.every((other) => sameJson(other, left))) return left;
  return offered.filter((one) => isStale(device, one)).map(([name]) => name);
}

type Offered = readonly [name: string, ids: readonly string[]];

/** What is offered beside all that a plugin of this strategy registers; undefined if not all of that is offered. */
function findLeft(
  device: DeviceReport,
  offered: readonly Offered[],
  strategy: Strategy,
): readonly string[] | undefined {
  const { resources, errors } = computeResources(describeReport(device), strategy);
  const right = offered.filter(([name, ids]) => {
    // Replicas of one device are offered as several.
    const found = new Set(ids.map((id) => uuidOfDeviceId(id, device))).size;
    return found === resources[unsharedName(name)] && !isStale(device, [name, ids], strategy);
  });
  const served = right.map(([name]) => unsharedName(name));
  const isBack = errors.length === 0 && Object.keys(resources).every((name) => served.includes(name));
  return isBack ? offered.filter((one) => !right.includes(one)).map(([name]) => name) : undefined;
}

function isStale(device: DeviceReport, [name, ids]: Offered, strategy?: Strategy): boolean {
  return judgeAdvertised(device, new Map([[name, ids]]), strategy).stale > 0;
}

function unsharedName(name: string): string {
  return name.replace(/\.shared$/, '');
}
