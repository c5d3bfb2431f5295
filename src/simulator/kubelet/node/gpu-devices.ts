import { GPU_RESOURCE, migResourceName } from '../../../core/nvidia/labels/label-key.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type {
  GpuDescription,
  MigDeviceDescription,
  NodeDescription,
} from '../../../core/nvidia/labels/node-description.ts';
import { listCiProfiles } from '../../nvidia-smi/nvml/ci-profile.ts';
import { listGiProfiles } from '../../nvidia-smi/nvml/gi-profile.ts';
import { driverOf } from '../../nvidia-smi/nvml/driver-version.ts';
import { migUuid } from '../../nvidia-smi/nvml/gpu.ts';
import type { SimulatedGpu } from '../../nvidia-smi/nvml/gpu.ts';
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

interface MigDevice {
  readonly gi: number;
  readonly ci: number;
  readonly description: MigDeviceDescription;
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
        migDevices: listMigDevices(gpu, state).map(({ description }) => description),
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
    return listMigDevices(gpu, state).map(({ gi, ci, description }) => ({
      uuid: migUuid(gpu, gi, ci),
      gpu: gpu.index,
      instance: { gi, ci },
      resource: strategy === 'single' ? GPU_RESOURCE : migResourceName(description.profile),
    }));
  });
}

/** One MIG device per compute instance; a GPU instance without any is not a device. */
function listMigDevices(gpu: SimulatedGpu, state: NodeState): readonly MigDevice[] {
  const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
  if (!migCurrent) return [];
  const profiles = listGiProfiles(gpu.board);
  return gpuInstances.flatMap((instance) => {
    const profile = profiles.find(({ id }) => id === instance.profileId);
    if (profile === undefined) return [];
    const ciProfiles = listCiProfiles(profile, profiles);
    return instance.computeInstances.map((compute): MigDevice => {
      const ciProfile = ciProfiles.find(({ id }) => id === compute.profileId);
      const { copy, decoder, encoder, jpeg, ofa } = profile.engines;
      return {
        gi: instance.id,
        ci: compute.id,
        description: {
          profile: ciProfile?.name ?? profile.name,
          attributes: {
            memory: profile.memoryMiB,
            multiprocessors: ciProfile?.multiprocessors ?? profile.multiprocessors,
            'slices.gi': profile.computeSlices,
            'slices.ci': compute.size,
            'engines.copy': copy,
            'engines.decoder': decoder,
            'engines.encoder': encoder,
            'engines.jpeg': jpeg,
            'engines.ofa': ofa,
          },
        },
      };
    });
  });
}
