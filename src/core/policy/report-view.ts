import type { DeviceReport, GpuReport, InstanceReport } from '../../api/types.ts';
import { nameWhole } from '../gpu/geometry/profile-name.ts';
import type { GpuView, ViewedInstance } from '../gpu/plan/gpu-view.ts';
import { liveGeometry } from './live-geometry.ts';

/** A reported GPU as the planner sees it. */
export function viewReport(device: DeviceReport, gpu: GpuReport): GpuView {
  const geometry = liveGeometry(device, gpu);
  const current = gpu.mig ?? 'Disabled';
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry,
    mig: geometry === undefined ? undefined : { current, pending: gpu.migPending ?? current },
    instances: gpu.instances.map(viewInstance),
    // Under strategy none a pod may hold a GPU whole that is in MIG mode, and with it whatever is on it.
    use: (gpu.pods?.length ?? 0) > 0 ? 'Held' : gpu.busy === true ? 'Processes' : 'None',
  };
}

function viewInstance({ profile, start, busy = false, computeInstances }: InstanceReport): ViewedInstance {
  return { profile, start, busy, computeInstances: computeInstances.map((one) => nameWhole(one.profile, profile)) };
}
