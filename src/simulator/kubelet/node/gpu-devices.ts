import { GPU_RESOURCE, migResourceName } from '../../../core/nvidia/labels/label-key.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type {
  GpuDescription,
  MigDeviceDescription,
  NodeDescription,
} from '../../../core/nvidia/labels/node-description.ts';
import { driverOf } from '../../nvidia-smi/nvml/driver-version.ts';
import { migUuid } from '../../nvidia-smi/nvml/gpu.ts';
import type { SimulatedGpu } from '../../nvidia-smi/nvml/gpu.ts';
import { describeMigDevice, listMigDevices } from '../../nvidia-smi/nvml/mig-device.ts';
import { gpuStateOf } from '../../nvidia-smi/state/node-state.ts';
import type { NodeState } from '../../nvidia-smi/state/node-state.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** A device that a container can get: a whole GPU, or a MIG device (a compute instance). */
export interface GpuDevice {
  readonly uuid: string;
  readonly gpu: number;
  /** Absent for a whole GPU. */
  readonly instance?: { readonly gi: number; readonly ci: number };
  /** Resource that advertises it, before sharing. */
  readonly resource: string;
}

/** What NVIDIA's tools would read on the node; the driver version is that of the simulated nvidia-smi. */
export function describeNode(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  { machine, driver: branch }: Pick<SimulatedNode, 'machine' | 'driver'> = {},
): NodeDescription {
  const { driver, cuda } = driverOf(gpus, branch);
  const [cudaMajor = 0, cudaMinor = 0] = cuda.split('.').map(Number);
  return {
    driverVersion: driver,
    cudaDriverVersion: [cudaMajor, cudaMinor],
    ...(machine !== undefined && { machine }),
    gpus: gpus.map((gpu): GpuDescription => {
      const [major = 0, minor = 0] = gpu.board.computeCapability.split('.').map(Number);
      return {
        name: gpu.board.productName,
        memoryMiB: gpu.board.memoryMiB,
        computeCapability: [major, minor],
        migCapable: gpu.board.model !== undefined,
        migEnabled: gpuStateOf(state, gpu.index).migCurrent,
        pciClass: '0x030200',
        migDevices: describeMigDevices(gpu, state).map(({ description }) => description),
      };
    }),
  };
}

/** The devices that a plugin with this strategy hands out, in index order. */
export function listGpuDevices(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  strategy: MigStrategy,
): readonly GpuDevice[] {
  return gpus.flatMap((gpu): readonly GpuDevice[] => {
    if (strategy === 'none' || !gpuStateOf(state, gpu.index).migCurrent) {
      return [{ uuid: gpu.uuid, gpu: gpu.index, resource: GPU_RESOURCE }];
    }
    return describeMigDevices(gpu, state).map(({ gi, ci, description }) => ({
      uuid: migUuid(gpu, gi, ci),
      gpu: gpu.index,
      instance: { gi, ci },
      resource: strategy === 'single' ? GPU_RESOURCE : migResourceName(description.profile),
    }));
  });
}

/** One MIG device per compute instance; a GPU instance without any is not a device. */
function describeMigDevices(gpu: SimulatedGpu, state: NodeState) {
  return listMigDevices(gpu, state).flatMap((device) => {
    const facts = describeMigDevice(gpu, state, device);
    if (facts === undefined) return [];
    const { giProfile, ciProfile } = facts;
    const { copy, decoder, encoder, jpeg, ofa } = giProfile.engines;
    const attributes = {
      memory: giProfile.memoryMiB,
      multiprocessors: ciProfile.multiprocessors,
      'slices.gi': giProfile.computeSlices,
      'slices.ci': ciProfile.size,
      'engines.copy': copy,
      'engines.decoder': decoder,
      'engines.encoder': encoder,
      'engines.jpeg': jpeg,
      'engines.ofa': ofa,
    };
    const description: MigDeviceDescription = { profile: ciProfile.name, attributes };
    return [{ gi: device.gi.id, ci: device.ci.id, description }];
  });
}
