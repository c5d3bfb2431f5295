// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the resources that the device plugin advertises of a device, by name and count.
import {
  MPS_ON_MIG_REASON,
  type SharedResource,
  advertisedAs,
  type DevicePluginConfig,
  type Sharing,
} from './plugin-config.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import {
  GPU_RESOURCE,
  migResourceName,
  type MigStrategy,
  MIG_ATTRIBUTE_NAMES,
  type GpuDescription,
  type MigDeviceDescription,
  type NodeDescription,
} from './labels.ts';
import type { UpstreamError } from './predict-labels.ts';

type Counts = Readonly<Record<string, number>>;

interface Replicas {
  /** Resources that are shared, sorted by name. */
  readonly resources: readonly SharedResource[];
  /** Shared resources have `.shared` appended to their names: all or none, as the plugin does it. */
  readonly isRenamed: boolean;
}

/**
 * Finds by how much each resource is shared if exactly these devices are offered: a whole number of times, each resource under one name.
 * Undefined if that does not explain what is offered.
 *
 * @param offered GPU resources only
 */
export function findReplicas(offered: Counts, devices: Counts): Replicas | undefined {
  const found = Object.keys(offered).filter((name) => offered[name] !== 0);
  const wanted = Object.keys(devices).filter((name) => devices[name] !== 0);
  const names = new Map(wanted.map((name) => [name, found.filter((one) => one === name || one === `${name}.shared`)]));
  if (found.length !== wanted.length || [...names.values()].some(({ length }) => length !== 1)) return undefined;
  const all = wanted.toSorted().map((name) => {
    const offeredAs = names.get(name)?.[0] ?? name;
    return { name, isRenamed: offeredAs !== name, replicas: (offered[offeredAs] ?? 0) / (devices[name] ?? 0) };
  });
  const shared = all.filter(({ replicas, isRenamed }) => replicas !== 1 || isRenamed);
  const isRenamed = shared.some((one) => one.isRenamed);
  const isUniform = shared.every((one) => one.isRenamed === isRenamed);
  if (!isUniform || !shared.every(({ replicas }) => Number.isInteger(replicas) && replicas >= 2)) return undefined;
  return { resources: shared.map(({ name, replicas }) => ({ name, replicas })), isRenamed };
}

/**
 * Whether a kubelet offers these devices and no others, shared or not: time-slicing multiplies each count and may add `.shared` to
 * the name.
 */
export function offersDevices(
  offered: Readonly<Record<string, number>>,
  devices: Readonly<Record<string, number>>,
): boolean {
  const gpus = Object.fromEntries(Object.entries(offered).filter(([name]) => isGpuResource(name)));
  return findReplicas(gpus, devices) !== undefined;
}

/** Resources that the device plugin offers on a node. */
interface NodeResources {
  /** Resource name to count, replicas multiplied in, sorted by name; empty if the plugin fails. */
  readonly resources: Readonly<Record<string, number>>;
  /** Why the plugin exits, which removes the node's whole GPU capacity; empty if it works. */
  readonly errors: readonly UpstreamError[];
}

const DEVICE_MAP =
  'failed to construct resource managers: error building device map: error building device map from config.resources: ';
// go-nvlib and the plugin each wrap an error once for every loop that it leaves.
const EACH_MIG_DEVICE =
  'error visiting devices: error visiting device: error visiting device: error visiting MIG device: error visiting MIG device: ';

/** The resources that the device plugin v0.20 advertises on a node, or the error with which it exits. */
export function computeResources(
  node: NodeDescription,
  strategy: MigStrategy,
  config?: DevicePluginConfig,
): NodeResources {
  const sharing = config?.sharing;
  const error = findPluginError(node.gpus, strategy, sharing);
  if (error !== undefined) return { resources: {}, errors: [error] };
  const counts = new Map<string, number>();
  for (const device of listDevices(node.gpus, strategy)) {
    const { name, replicas } = advertisedAs(device, sharing);
    counts.set(name, (counts.get(name) ?? 0) + replicas);
  }
  return { resources: Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))), errors: [] };
}

/** Resource name of each device that is handed out, before sharing. */
function listDevices(gpus: readonly GpuDescription[], strategy: MigStrategy): readonly string[] {
  switch (strategy) {
    case 'none':
      return gpus.map(() => GPU_RESOURCE);
    case 'single':
      return gpus.flatMap((gpu) => (gpu.migEnabled ? gpu.migDevices.map(() => GPU_RESOURCE) : [GPU_RESOURCE]));
    case 'mixed':
      return gpus.flatMap((gpu) =>
        gpu.migEnabled ? gpu.migDevices.map(({ profile }) => migResourceName(profile)) : [GPU_RESOURCE],
      );
  }
}

/** The first error in the order of the plugin's own checks: flags, then devices, then sharing. */
function findPluginError(
  gpus: readonly GpuDescription[],
  strategy: MigStrategy,
  sharing: Sharing | undefined,
): UpstreamError | undefined {
  switch (strategy) {
    case 'none':
      return undefined;
    case 'single':
      return findSingleError(gpus, sharing);
    case 'mixed':
      return findMixedError(gpus, sharing);
  }
}

function findMixedError(gpus: readonly GpuDescription[], sharing: Sharing | undefined): UpstreamError | undefined {
  if (sharing?.strategy === 'mps') {
    return pluginError(
      'unable to validate flags: using --mig-strategy=mixed is not supported with MPS',
      'Use strategy none on nodes that share whole GPUs with MPS, or share slices with sharing.timeSlicing.',
    );
  }
  // The plugin registers one resource per GPU instance profile and none for a part of its compute slices
  // (NVIDIA/k8s-device-plugin#192). One such device brings the whole plugin down.
  const split = gpus.flatMap((gpu) => gpu.migDevices).find(({ profile }) => /^\d+c\./.test(profile));
  if (split === undefined) return undefined;
  return pluginError(
    `${DEVICE_MAP}error building MIG device map: ${EACH_MIG_DEVICE}` +
      `MIG profile '${split.profile}' does not match any resource patterns`,
    'Give each GPU instance one compute instance over all of it, or use strategy single.',
  );
}

function findSingleError(gpus: readonly GpuDescription[], sharing: Sharing | undefined): UpstreamError | undefined {
  const empty = gpus.findIndex((gpu) => gpu.migEnabled && gpu.migDevices.length === 0);
  if (empty >= 0) {
    return pluginError(
      `${DEVICE_MAP}invalid MIG configuration: at least one device with migEnabled=true was not configured correctly: ` +
        `error visiting device: device ${empty} has no MIG devices configured`,
      `Create MIG devices on GPU ${empty}, or disable MIG on it and on all others.`,
    );
  }
  const devices = gpus.flatMap((gpu) => gpu.migDevices);
  const [first] = devices;
  if (first === undefined) return undefined;
  if (devices.some((device) => !hasSameAttributes(device, first))) {
    return pluginError(
      `${DEVICE_MAP}invalid MIG configuration: ${EACH_MIG_DEVICE}more than one MIG device type present on node`,
      'Use one profile on all GPUs of the node, or strategy mixed.',
    );
  }
  if (gpus.some((gpu) => !gpu.migEnabled)) {
    return pluginError(
      `${DEVICE_MAP}all devices on the node must be configured with the same migEnabled value`,
      'Enable MIG on all GPUs of the node or on none, or use strategy mixed.',
    );
  }
  if (sharing?.strategy !== 'mps') return undefined;
  return pluginError(
    `failed to create plugin: ${MPS_ON_MIG_REASON}`,
    'Share slices with sharing.timeSlicing, or use smaller slices.',
  );
}

/** The plugin compares numbers while GFD compares names, so one name with two sets of numbers fails only here. */
function hasSameAttributes(a: MigDeviceDescription, b: MigDeviceDescription): boolean {
  return MIG_ATTRIBUTE_NAMES.every((name) => a.attributes[name] === b.attributes[name]);
}

function pluginError(message: string, advice: string): UpstreamError {
  return { message, advice };
}

/**
 * Shared resources that the node does not have, so that their replicas have no effect: upstream does not report them. Often
 * `nvidia.com/gpu` under strategy mixed, which does not affect slices.
 */
export function findUnusedSharing(
  node: NodeDescription,
  strategy: MigStrategy,
  config: DevicePluginConfig,
): readonly string[] {
  const { resources, errors } = computeResources(node, strategy);
  if (errors.length > 0) return [];
  const names = config.sharing?.resources.map(({ name }) => name) ?? [];
  return [...new Set(names)].filter((name) => !Object.hasOwn(resources, name));
}
