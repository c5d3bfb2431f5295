import { computeResources } from '../../../core/nvidia/resources/node-resources.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import { advertisedAs } from '../../../core/nvidia/plugin-config/sharing.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';
import type { SimulatedGpu } from '../../nvidia-smi/nvml/gpu.ts';
import type { NodeState } from '../../nvidia-smi/state/node-state.ts';
import { describeNode, listGpuDevices } from '../node/gpu-devices.ts';
import type { GpuDevice } from '../node/gpu-devices.ts';

/** What a device plugin has registered with its kubelet. */
export interface Advertisement {
  /** Count by resource name, including replicas. */
  readonly resources: Readonly<Record<string, number>>;
  /** Device ids by resource; with time-slicing one id per replica, `UUID::0`, in the plugin's form. */
  readonly deviceIds: ReadonlyMap<string, readonly string[]>;
  readonly devices: readonly GpuDevice[];
  /** Why the plugin has exited; absent while it runs. */
  readonly failure?: string;
}

/** Without a plugin. */
export const nothingAdvertised: Advertisement = { resources: {}, deviceIds: new Map(), devices: [] };

/** The id of a device in a plugin that names device files, as GKE's does. */
export function fileIdOf({ gpu, instance }: GpuDevice): string {
  return `nvidia${gpu}${instance === undefined ? '' : `/gi${instance.gi}`}`;
}

/** What the plugin advertises for the devices that it finds at its start. */
export function advertise(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  strategy: MigStrategy,
  sharing?: Sharing,
  idOf: (device: GpuDevice) => string = ({ uuid }) => uuid,
): Advertisement {
  const config = sharing === undefined ? undefined : { sharing };
  const { resources, errors } = computeResources(describeNode(gpus, state), strategy, config);
  const [error] = errors;
  if (error !== undefined) return { ...nothingAdvertised, failure: error.message };
  const devices = listGpuDevices(gpus, state, strategy);
  const deviceIds = new Map<string, readonly string[]>();
  for (const device of devices) {
    const { name, replicas } = advertisedAs(device.resource, sharing);
    const id = idOf(device);
    const ids = replicas === 1 ? [id] : Array.from({ length: replicas }, (_, i) => `${id}::${i}`);
    deviceIds.set(name, [...(deviceIds.get(name) ?? []), ...ids]);
  }
  return { resources, deviceIds, devices };
}
