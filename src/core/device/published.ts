// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here for the devices as the DRA driver publishes them.
import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../api/types.ts';
import { nameWhole } from '../gpu/profiles.ts';
import { computeInstancesOf, userKey } from '../gpu/device-state.ts';
import { gpuDriver, type ResourceSliceView } from '../kubernetes/claims.ts';

/** A device as NVIDIA's DRA driver publishes it, as far as it tells one device from another (dra-driver-nvidia-gpu `cmd/gpu-kubelet-plugin`). */
interface PublishedDevice {
  /** Name within the node's pool; undefined if the driver's id of the profile is unknown. */
  readonly name: string | undefined;
  readonly type: 'gpu' | 'mig';
  /** UUID of the device; undefined if it was not read: then no slice proves the device. */
  readonly uuid: string | undefined;
  /** UUID of its GPU; absent for a whole GPU. */
  readonly parentUUID?: string;
  /** `1g.5gb+me`; absent for a whole GPU. */
  readonly profile?: string;
  readonly productName: string;
  /** See {@link userKey}. */
  readonly place: string;
}

/** What the driver makes of a node's devices when it starts. */
interface Publication {
  readonly devices: readonly PublishedDevice[];
  /** Why it exits instead, which leaves its previous slices; undefined if it does not. */
  readonly problem?: string;
}

/**
 * A whole GPU is published while its MIG mode is off, a GPU instance if it has a compute instance. A compute instance that is smaller
 * than its GPU instance ends the driver, for the whole node.
 */
export function publishDevices({ gpus = [], models = [] }: Pick<DeviceReport, 'gpus' | 'models'>): Publication {
  // NVML does not enumerate a lost GPU.
  const present = gpus.filter(({ error }) => error === undefined);
  const split = present.flatMap((gpu) => gpu.instances.filter(isSplit).map((one) => ({ gpu, one })))[0];
  if (split !== undefined) {
    const { gpu, one } = split;
    const parts = computeInstancesOf(one).map(({ profile }) => profile);
    return {
      devices: [],
      problem: `GPU ${gpu.index}: ${one.profile} at ${one.start} has compute instances ${parts.join(', ')}`,
    };
  }
  return { devices: present.flatMap((gpu) => publishGpu(gpu, models)) };
}

/** A slice as the driver writes it once it has read the devices again: for forecasts. */
export function predictSlice(device: Pick<DeviceReport, 'gpus' | 'models'>): ResourceSliceView {
  const devices = publishDevices(device).devices.map(
    ({ name, place, type, uuid, parentUUID, profile, productName }) => {
      // A device without a UUID would be one of a driver that creates slices itself.
      const texts = { type, uuid: uuid ?? place, parentUUID, profile, productName };
      const known = Object.entries(texts).flatMap(([key, string]) => (string === undefined ? [] : [[key, { string }]]));
      return { name: name ?? place, attributes: Object.fromEntries(known) as Record<string, { string: string }> };
    },
  );
  return { spec: { driver: gpuDriver, devices } };
}

function publishGpu(gpu: GpuReport, models: readonly ModelReport[]): readonly PublishedDevice[] {
  const { uuid, product } = gpu;
  if (gpu.mig !== 'Enabled') {
    return [{ name: `gpu-${minorOf(gpu)}`, type: 'gpu', uuid, productName: product, place: userKey(uuid) }];
  }
  const model = models.find((one) => one.product === product);
  return gpu.instances.flatMap((instance) => {
    const [part] = computeInstancesOf(instance);
    if (part === undefined) return [];
    const { profile, start } = instance;
    const id = model?.profiles.find(({ name }) => name === profile)?.id;
    return [
      {
        name: id === undefined ? undefined : `${stemOf(gpu, profile)}-${id}-${start}`,
        type: 'mig' as const,
        uuid: part.uuid,
        parentUUID: uuid,
        profile,
        productName: product,
        place: userKey(uuid, instance),
      },
    ];
  });
}

/** A device of a node, by the driver's name. */
interface NamedDevice {
  readonly gpu: GpuReport;
  /** The instance; absent: the whole GPU. */
  readonly instance?: InstanceReport;
  /** Undefined if the driver gave the instance none. */
  readonly uuid: string | undefined;
}

/** The device of this node that has a name of the driver's; undefined if there is none. */
export function findNamedDevice(name: string, { gpus = [] }: Pick<DeviceReport, 'gpus'>): NamedDevice | undefined {
  for (const gpu of gpus) {
    if (gpu.mig !== 'Enabled' && name === `gpu-${minorOf(gpu)}`) return { gpu, uuid: gpu.uuid };
    const instance = gpu.instances.find((one) => isNamed(name, gpu, one));
    if (instance) return { gpu, instance, uuid: computeInstancesOf(instance)[0]?.uuid };
  }
  return undefined;
}

/** The id of the profile follows from its name, and need not be known. */
function isNamed(name: string, gpu: GpuReport, { profile, start }: InstanceReport): boolean {
  const stem = `${stemOf(gpu, profile)}-`;
  return name.startsWith(stem) && name.endsWith(`-${start}`) && /^\d+-\d+$/.test(name.slice(stem.length));
}

/** A name of a device takes lower case letters, digits and dashes. */
function stemOf(gpu: GpuReport, profile: string): string {
  return `gpu-${minorOf(gpu)}-mig-${profile.replaceAll('.', '').replaceAll(/[^a-z0-9]/g, '-')}`;
}

function minorOf({ index, minor }: GpuReport): number {
  return minor ?? index;
}

function isSplit(instance: InstanceReport): boolean {
  return computeInstancesOf(instance).some(({ profile }) => nameWhole(profile, instance.profile) !== instance.profile);
}
