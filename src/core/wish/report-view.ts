import type { DeviceReport, GpuReport, InstanceReport } from '../../api/types.ts';
import { nameWhole } from '../gpu/geometry/profile-name.ts';
import { computeInstancesOf } from '../gpu/state/compute-instances.ts';
import type { GpuView, ViewedInstance } from '../gpu/plan/gpu-view.ts';
import { liveGeometry } from './live-geometry.ts';

/** A reported GPU as the planner sees it. Pods can be evicted; a process that belongs to no known pod cannot. */
export function viewReport(device: DeviceReport, gpu: GpuReport): GpuView {
  const geometry = liveGeometry(device, gpu);
  const current = gpu.mig ?? 'Disabled';
  const isHeld = (gpu.pods ?? []).length > 0;
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry,
    mig: geometry === undefined ? undefined : { current, pending: gpu.migPending ?? current },
    // Under strategy none a pod may hold a whole GPU that is in MIG mode, and with it everything on it.
    instances: gpu.instances.map((instance) => viewInstance(instance, isHeld)),
    use: isHeld ? 'Evictable' : gpu.busy === true ? 'Processes' : 'None',
  };
}

function viewInstance(instance: InstanceReport, isGpuHeld: boolean): ViewedInstance {
  const { profile, start, busy = false, pods = [] } = instance;
  return {
    profile,
    start,
    busy: busy || isGpuHeld,
    isEvictable: isGpuHeld || pods.length > 0,
    computeInstances: computeInstancesOf(instance).map((one) => nameWhole(one.profile, profile)),
  };
}
