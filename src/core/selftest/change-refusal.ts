import type { Layout } from '../gpu/geometry/geometry.ts';
import { layoutOf } from '../wish/wish.ts';
import { planTarget } from '../gpu/target/plan-target.ts';
import { reportDevice } from '../report/report-device.ts';
import { type DeviceState, type GpuState, isBusy, listUuids } from '../gpu/state/device-state.ts';

/** Why changes cannot be tried on a GPU; undefined if they can. */
export function refuseTest(gpu: GpuState, device: DeviceState, held: ReadonlySet<string>): string | undefined {
  const { fault, health, mig, processes, instances } = gpu;
  if (fault !== undefined) return `it cannot be read: ${fault.code}: ${fault.message}`;
  if (mig === undefined) return 'it has no MIG';
  if (health !== undefined) return `it is not well: ${health.message}`;
  if (mig.current !== mig.pending) return `MIG mode ${mig.pending} is pending: a reset or a reboot ends that`;
  const busy = instances.filter((instance) => isBusy(gpu, instance, held));
  if (processes.length > 0 || busy.length > 0 || held.has(gpu.uuid)) {
    const where = busy.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
    return `somebody uses it${where === '' ? '' : ` (${where})`}: choose a GPU that nobody uses`;
  }
  const stranger = [...held].find((id) => !id.startsWith('GPU-') && !listUuids(device).has(id));
  if (stranger !== undefined) return `a pod holds ${stranger}, which cannot be located: it may be on this GPU`;
  if (instances.length === 0) return undefined;
  const layout = layoutBefore(gpu, device);
  const isWhole = layout !== undefined && instances.every(({ computeInstances }) => computeInstances.length > 0);
  if (isWhole && planTarget(gpu, layout, { held, mayTouch: () => false }).isDone) return undefined;
  return 'it has instances that no layout describes, so that they could not be put back as they are';
}

/** The GPU's current state as a layout. */
export function layoutBefore({ uuid }: GpuState, device: DeviceState): Layout | undefined {
  const report = reportDevice(device).gpus?.find((one) => one.uuid === uuid);
  return report && layoutOf(report);
}
