import { isGpuResource } from '../../pods/gpu-resource.ts';
import { isZeroQuantity, wholeUnits } from '../../text/quantity.ts';

type Quantities = Readonly<Record<string, string>>;

/** A change of a Node's status, in quantities by resource; null removes one. Only resources of NVIDIA's device plugin for GPUs. */
export interface OfferedStatus {
  readonly allocatable: Readonly<Record<string, string | null>>;
  readonly capacity: Readonly<Record<string, string | null>>;
}

/** The parts of a Node's status that the kubelet works out from what device plugins have registered. */
export interface ResourceStatus {
  readonly allocatable?: Quantities;
  readonly capacity?: Quantities;
}

/**
 * What a kubelet that offers exactly these resources would change in its Node's status (`pkg/kubelet/nodestatus/setters.go`): removed
 * resources fall to 0 in allocatable and keep their capacity, which the kubelet itself forgets after five minutes.
 */
export function offerStatus(
  { allocatable = {}, capacity = {} }: ResourceStatus,
  offered: Readonly<Record<string, number>>,
): OfferedStatus {
  const wanted = Object.entries(offered).filter(([name, count]) => isGpuResource(name) && count > 0);
  const names = new Set(wanted.map(([name]) => name));
  const gone = Object.entries(allocatable).filter(
    ([name, amount]) => isGpuResource(name) && !names.has(name) && !isZeroQuantity(amount),
  );
  const differs = (shown: Quantities, name: string, count: number): boolean =>
    shown[name] === undefined || wholeUnits(shown[name]) !== count;
  return {
    allocatable: Object.fromEntries([
      ...wanted.flatMap(([name, count]) => (differs(allocatable, name, count) ? [[name, `${count}`]] : [])),
      ...gone.map(([name]) => [name, '0']),
    ]),
    capacity: Object.fromEntries(
      wanted.flatMap(([name, count]) =>
        capacity[name] === undefined || wholeUnits(capacity[name]) < count ? [[name, `${count}`]] : [],
      ),
    ),
  };
}

/** Resources at 0 in capacity and allocatable, of which the kubelet knows no device. */
export function listUnusedResources(
  { allocatable = {}, capacity = {} }: ResourceStatus,
  offered: Readonly<Record<string, number>>,
): readonly string[] {
  const isUnused = (name: string): boolean =>
    isGpuResource(name) &&
    offered[name] === undefined &&
    [allocatable, capacity].every((all) => isZeroQuantity(all[name] ?? 0));
  return [...new Set([...Object.keys(allocatable), ...Object.keys(capacity)])].filter(isUnused);
}
