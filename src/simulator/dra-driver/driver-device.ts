import { ciProfilesOf } from '../nvidia-smi/nvml/ci-profile.ts';
import { driverOf } from '../nvidia-smi/nvml/driver-version.ts';
import type { DriverBranch, DriverVersions } from '../nvidia-smi/nvml/driver-version.ts';
import { findGiProfile } from '../nvidia-smi/nvml/gi-profile.ts';
import type { GiProfile } from '../nvidia-smi/nvml/gi-profile.ts';
import { migUuid } from '../nvidia-smi/nvml/gpu.ts';
import type { SimulatedGpu } from '../nvidia-smi/nvml/gpu.ts';
import { gpuStateOf } from '../nvidia-smi/state/node-state.ts';
import type { GpuInstance, NodeState } from '../nvidia-smi/state/node-state.ts';

export type Attribute = { readonly string: string } | { readonly version: string };

/** A device as a ResourceSlice offers it. */
export interface OfferedDevice {
  readonly name: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly capacity: Readonly<Record<string, { readonly value: string }>>;
  /** Only with the gate DynamicMIG. */
  readonly consumesCounters?: readonly {
    readonly counterSet: string;
    readonly counters: Readonly<Record<string, { readonly value: string }>>;
  }[];
}

/** A device that the driver has found at its start. */
export interface DriverDevice {
  readonly offered: OfferedDevice;
  readonly uuid: string;
}

/** Why the driver's process exits, with status 1. */
export interface DriverFailure {
  readonly failure: string;
}

/**
 * What NVIDIA's DRA driver finds with static MIG. A GPU instance without a compute instance is not offered, nor is a GPU whose MIG
 * mode is on.
 */
export function findDevices(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  branch?: DriverBranch,
): readonly DriverDevice[] | DriverFailure {
  const versions = driverOf(gpus, branch);
  const devices: DriverDevice[] = [];
  for (const gpu of gpus) {
    const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
    if (!migCurrent) devices.push(describeGpu(gpu, versions));
    for (const instance of migCurrent ? gpuInstances : []) {
      if (instance.computeInstances.length === 0) continue;
      const device = describeSlice(gpu, instance, versions);
      if ('failure' in device) return device;
      devices.push(device);
    }
  }
  return devices;
}

export function describeGpu(gpu: SimulatedGpu, versions: DriverVersions): DriverDevice {
  const { uuid, index, board } = gpu;
  const attributes = { ...commonAttributes(gpu, versions), type: { string: 'gpu' }, uuid: { string: uuid } };
  const capacity = { memory: { value: formatMebibytes(board.memoryMiB) } };
  return { uuid, offered: { name: `gpu-${index}`, attributes, capacity } };
}

function describeSlice(
  gpu: SimulatedGpu,
  instance: GpuInstance,
  versions: DriverVersions,
): DriverDevice | DriverFailure {
  const profile = findGiProfile(gpu.board, instance.profileId);
  const [compute] = instance.computeInstances;
  if (profile === undefined || compute === undefined) {
    return { failure: `error getting the profile of GPU instance ${instance.id} of gpu-${gpu.index}` };
  }
  const ciProfile = ciProfilesOf(gpu, instance).find(({ id }) => id === compute.profileId);
  if (ciProfile?.isDefault !== true) {
    return {
      failure:
        `error enumerating the MIG devices of gpu-${gpu.index}: GPU instance ${instance.id} (${profile.name}) has a compute ` +
        `instance that is smaller than itself (${ciProfile?.name ?? `profile ${compute.profileId}`})`,
    };
  }
  const uuid = migUuid(gpu, instance.id, compute.id);
  const { name, attributes, capacity } = describeProfile(gpu, profile, instance.start, versions);
  const memorySlices = Array.from(
    { length: instance.size },
    (_, i) => [`memorySlice${instance.start + i}`, { value: '1' }] as const,
  );
  return {
    uuid,
    offered: {
      name,
      attributes: { ...attributes, uuid: { string: uuid } },
      capacity: { ...capacity, ...Object.fromEntries(memorySlices) },
    },
  };
}

/** What slices of a profile at this start have in common, whether they exist or not. */
export function describeProfile(
  gpu: SimulatedGpu,
  profile: GiProfile,
  start: number,
  versions: DriverVersions,
): OfferedDevice {
  const { copy, decoder, encoder, jpeg, ofa } = profile.engines;
  const counts = {
    copyEngines: copy,
    decoders: decoder,
    encoders: encoder,
    jpegEngines: jpeg,
    multiprocessors: profile.multiprocessors,
    ofaEngines: ofa,
  };
  const amounts = Object.entries(counts).map(([key, count]) => [key, { value: `${count}` }] as const);
  return {
    name: `gpu-${gpu.index}-mig-${nameOf(profile.name)}-${profile.id}-${start}`,
    attributes: {
      ...commonAttributes(gpu, versions),
      parentUUID: { string: gpu.uuid },
      profile: { string: profile.name },
      type: { string: 'mig' },
    },
    capacity: { memory: { value: formatMebibytes(profile.memoryMiB) }, ...Object.fromEntries(amounts) },
  };
}

/** `1g.5gb+me` as part of an RFC 1123 name: `1g5gb-me`. */
function nameOf(profile: string): string {
  return profile.replaceAll('.', '').replaceAll('+', '-').toLowerCase();
}

function commonAttributes(
  { board, busId }: SimulatedGpu,
  { driver, cuda }: DriverVersions,
): OfferedDevice['attributes'] {
  return {
    architecture: { string: board.architecture },
    brand: { string: 'Nvidia' },
    cudaComputeCapability: { version: semver(board.computeCapability) },
    cudaDriverVersion: { version: semver(cuda) },
    driverVersion: { version: semver(driver) },
    productName: { string: board.productName },
    'resource.kubernetes.io/pciBusID': { string: busId.slice(4).toLowerCase() },
  };
}

/** A quantity as the API server prints it: `19968Mi`, `80Gi`. */
function formatMebibytes(mebibytes: number): string {
  return mebibytes > 0 && mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** `550.163.01` as 550.163.1: a semantic version has three numbers without leading zeros. */
function semver(version: string): string {
  const numbers = version.split('.').map(Number);
  return Array.from({ length: 3 }, (_, i) => numbers[i] ?? 0).join('.');
}
