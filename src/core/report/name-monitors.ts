import type { GpuReport } from '../../api/types.ts';
import { type DeviceUsers, listMonitors } from '../gpu/state/device-users.ts';
import { adviseMonitors } from '../pods/monitor-words.ts';
import type { Fault } from './fault.ts';

/**
 * The fault of a GPU that was in use, with the pods that look on at it: the driver lists no handle that a monitor keeps open. If the
 * fault is about one instance, only those on it.
 */
export function nameMonitors(fault: Fault, gpus: readonly GpuReport[], users: DeviceUsers): Fault {
  const gpu =
    fault.code === 'InUse' || fault.code === 'Pending' ? gpus.find(({ uuid }) => uuid === fault.gpu) : undefined;
  if (gpu === undefined) return fault;
  const named = gpu.instances.filter(({ profile, start }) => fault.message.startsWith(`${profile} at ${start} `));
  const places = named.length > 0 ? named : [undefined, ...gpu.instances];
  const monitors = [...new Set(places.flatMap((one) => listMonitors(users, gpu, one)))].sort();
  const advice = adviseMonitors(monitors);
  return advice === undefined ? fault : { ...fault, message: `${fault.message}. ${advice}` };
}
