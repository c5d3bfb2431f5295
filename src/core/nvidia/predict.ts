// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the labels and resources that a device, or a node, gets from them, and whether a kubelet offers what a device is.
import type { DeviceReport, GpuReport, InstanceReport, ModelReport, Strategy } from '../../api/types.ts';
import { computeInstancesOf } from '../gpu/device-state.ts';
import { computeInstanceSlices, nameWhole } from '../gpu/profiles.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import { deepEqual, omitUndefined } from '../text/json.ts';
import {
  computeLabels,
  GPU_RESOURCE,
  type GpuDescription,
  invalidLabels,
  type Labels,
  MIG_ATTRIBUTE_NAMES,
  type MigDeviceDescription,
  migResourceName,
  type MigStrategy,
  type NodeDescription,
  type NodeLabels,
} from './labels.ts';
import { type DevicePluginConfig, MPS_ON_MIG_REASON, parseDevicePluginConfig, type Sharing } from './plugin-config.ts';

type UpstreamError = NodeLabels['errors'][number];

/** What GPU Feature Discovery and the device plugin make of a device. */
export interface Prediction extends NodeLabels {
  readonly offer: ReturnType<typeof computeResources>;
}

interface Known {
  readonly strategy: MigStrategy;
  readonly config: DevicePluginConfig | undefined;
  readonly prediction: Prediction;
}

/** Maximum number of kinds of devices, and of settings of each, whose predictions are kept. */
const mostKinds = 64;
const mostSettings = 8;
type Kinds = Map<string, Known[]>;
/** Predictions by what they depend on: that is the same on most nodes of a fleet. By the table of models first, which these share. */
const kindsOf = new WeakMap<object, Kinds>();
const noModels = {};
/** A decision needs the same prediction several times. */
let last: { readonly device: DeviceReport; readonly known: Known[] } | undefined;

export function predictDevice(
  device: DeviceReport,
  strategy: MigStrategy,
  config: DevicePluginConfig | undefined,
): Prediction {
  const known = last?.device === device ? last.known : recall(device);
  last = { device, known };
  const same = known.find((one) => one.strategy === strategy && deepEqual(one.config, config));
  if (same) return same.prediction;
  const description = describeReport(device);
  const prediction = {
    ...computeLabels(description, strategy, config),
    offer: computeResources(description, strategy, config),
  };
  if (known.length >= mostSettings) known.length = 0;
  known.push({ strategy, config, prediction });
  return prediction;
}

function recall(device: DeviceReport): Known[] {
  const { models = [], ...parts } = readParts(device);
  // Nearly all nodes have one model, of which the fleet shares the table; the lists of them are each node's own.
  const tables = models.length > 1 ? models : (models[0] ?? noModels);
  const kinds: Kinds = kindsOf.get(tables) ?? new Map();
  kindsOf.set(tables, kinds);
  const text = JSON.stringify(parts);
  const known = kinds.get(text) ?? [];
  if (kinds.size >= mostKinds) kinds.clear();
  kinds.set(text, known);
  return known;
}

/**
 * The device plugin's view of a resource: its final name and the weight of one device. Of several entries with one name the greatest
 * wins, because the plugin numbers replicas from 0 and the numbers of the entries overlap.
 */
export function advertisedAs(
  resource: string,
  sharing: Sharing | undefined,
): { readonly name: string; readonly replicas: number } {
  const entries = sharing?.resources.filter(({ name }) => name === resource) ?? [];
  if (sharing === undefined || entries.length === 0) return { name: resource, replicas: 1 };
  return {
    name: sharing.renameByDefault ? `${resource}.shared` : resource,
    replicas: Math.max(...entries.map(({ replicas }) => replicas)),
  };
}

type Counts = Readonly<Record<string, number>>;

interface Replicas {
  /** Resources that are shared, sorted by name. */
  readonly resources: Sharing['resources'];
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

type ReadInstance = Pick<InstanceReport, 'profile' | 'computeInstances'>;

type ReadGpu = Pick<
  GpuReport,
  'product' | 'memoryMiB' | 'computeCapability' | 'migCapable' | 'mig' | 'pciClass' | 'error'
> & { readonly instances: readonly ReadInstance[] };

/** The parts of a report on which labels and resources depend: none that tells nodes of one kind apart, but for GPUs that are split further. */
type ReadDevice = Pick<DeviceReport, 'driverVersion' | 'cudaVersion' | 'machine' | 'models'> & {
  readonly gpus?: readonly ReadGpu[];
};

function readParts({ driverVersion, cudaVersion, machine, models, gpus }: ReadDevice): ReadDevice {
  return omitUndefined({ driverVersion, cudaVersion, machine, models, gpus: gpus?.map(readGpu) });
}

function readGpu(gpu: ReadGpu): ReadGpu {
  const { product, memoryMiB, computeCapability, migCapable, mig, pciClass, error } = gpu;
  const instances = gpu.instances.map(({ profile, computeInstances }) => omitUndefined({ profile, computeInstances }));
  return omitUndefined({ product, memoryMiB, computeCapability, migCapable, mig, pciClass, error, instances });
}

/**
 * What an agent reported, in the terms of GPU Feature Discovery: it determines the labels and resources that the node gets once
 * NVIDIA's tools have read the device. A lost GPU is left out: NVML does not enumerate it either.
 */
export function describeReport(device: ReadDevice): NodeDescription {
  // An agent may report whatever its driver printed.
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(device.cudaVersion ?? '') ?? [];
  return {
    driverVersion: device.driverVersion ?? '',
    ...(major === undefined ? {} : { cudaDriverVersion: [Number(major), Number(minor)] }),
    ...(device.machine === undefined ? {} : { machine: device.machine }),
    gpus: (device.gpus ?? []).filter(({ error }) => error === undefined).map((gpu) => describeGpu(gpu, device.models)),
  };
}

function describeGpu(gpu: ReadGpu, models: readonly ModelReport[] = []): GpuDescription {
  const model = models.find(({ product }) => product === gpu.product);
  const [major = 0, minor = 0] = (gpu.computeCapability ?? '').split('.').map(Number);
  return {
    name: gpu.product,
    memoryMiB: gpu.memoryMiB ?? 0,
    computeCapability: [major, minor],
    migCapable: gpu.migCapable ?? false,
    migEnabled: gpu.mig === 'Enabled',
    ...(gpu.pciClass === undefined ? {} : { pciClass: gpu.pciClass }),
    migDevices: gpu.mig === 'Enabled' ? gpu.instances.flatMap((one) => describeInstance(one, model)) : [],
  };
}

function describeInstance(instance: ReadInstance, model: ModelReport | undefined): readonly MigDeviceDescription[] {
  const gpuSlices = slicesOf(instance.profile);
  const whole = model?.profiles.find(({ name }) => name === instance.profile);
  return computeInstancesOf(instance).map((part) => {
    const { profile } = part;
    const { memoryMiB = 0, multiprocessors = 0, engines = [] } = instance.computeInstances ? part : (whole ?? {});
    const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines;
    return {
      // NVML gives the full name of a whole one, and so does GFD.
      profile: nameWhole(profile, instance.profile),
      attributes: {
        memory: memoryMiB,
        multiprocessors,
        'slices.gi': gpuSlices,
        'slices.ci': computeInstanceSlices(profile, gpuSlices),
        'engines.copy': copy,
        'engines.decoder': decoder,
        'engines.encoder': encoder,
        'engines.jpeg': jpeg,
        'engines.ofa': ofa,
      },
    };
  });
}

function slicesOf(profile: string): number {
  return Number(/(\d)g\./.exec(profile)?.[1] ?? 0);
}

/** What a node shows to Kubernetes once NVIDIA's tools have run on it. */
interface LabelsAndResources {
  readonly labels: Labels;
  readonly resources: Readonly<Record<string, number>>;
  /** Upstream's messages, verbatim: those for the config file alone, else GFD's, then the device plugin's. */
  readonly errors: readonly string[];
  /** What they do not say: settings of the config file without effect, and labels that never reach the node. */
  readonly warnings: readonly string[];
}

/**
 * Labels and resources of a node.
 *
 * @param config the device plugin's config file as a YAML parser returns it, unchecked, and its name; a file that upstream refuses stops
 * both tools, with one error
 */
export function predictNode(
  node: NodeDescription,
  strategy: MigStrategy,
  config?: { readonly file: string; readonly value: unknown },
): LabelsAndResources {
  const parsed = parseDevicePluginConfig(config?.value);
  const findings = parsed.findings.map(({ path, message }) => `${path === '' ? '' : `${path} `}${message}`);
  const ofFile = (texts: readonly string[]) => texts.map((text) => `${config?.file}: ${text}`);
  if (!parsed.ok) {
    const error = parsed.findings.find(({ severity }) => severity === 'error');
    const errors = [error?.upstream ?? error?.message ?? 'invalid config file'];
    return { labels: {}, resources: {}, errors, warnings: ofFile(findings) };
  }
  const { labels, errors: gfdErrors } = computeLabels(node, strategy, parsed.config);
  const { resources, errors: pluginErrors } = computeResources(node, strategy, parsed.config);
  const { migStrategy = strategy } = parsed.config;
  const warnings = [
    ...findings,
    ...(migStrategy === strategy ? [] : [`flags.migStrategy is ${migStrategy}, but ${strategy} was asked for`]),
    ...findUnusedSharing(node, strategy, parsed.config).map(
      (resource) => `sharing names ${resource}, which this node does not have under strategy ${strategy}`,
    ),
  ];
  return {
    labels,
    resources,
    errors: [...gfdErrors, ...pluginErrors].map(({ message }) => message),
    warnings: [
      ...ofFile(warnings),
      ...invalidLabels(labels).map(({ key, reason }) => `label ${key} never reaches the node: ${reason}`),
    ],
  };
}

/** Whether a kubelet offers what a device is, and nothing of what it was: the device plugin has followed a change. */
export function followsDevice(
  advertised: NonNullable<DeviceReport['advertised']>,
  device: DeviceReport,
  strategy: Strategy,
): boolean {
  const { resources, errors } = computeResources(describeReport(device), strategy);
  return advertised.stale === 0 && errors.length === 0 && offersDevices(advertised.resources ?? {}, resources);
}
