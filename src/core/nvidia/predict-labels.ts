// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the labels that GPU Feature Discovery gives to a device.
import { toProductLabel } from '../gpu/geometry.ts';
import {
  GPU_RESOURCE,
  invalidLabels,
  mergeLabels,
  type Labels,
  type GpuDescription,
  labelProfile,
  migResourceName,
  type MigStrategy,
  MIG_ATTRIBUTE_NAMES,
  type MigDeviceDescription,
  type NodeDescription,
} from './labels.ts';
import {
  PARENT_REPLICATION,
  replicationOf,
  type Replication,
  type Sharing,
  type DevicePluginConfig,
  parseDevicePluginConfig,
} from './plugin-config.ts';
import type { DeviceReport, GpuReport, InstanceReport, ModelReport, Strategy } from '../../api/types.ts';
import { computeInstancesOf } from '../gpu/device-state.ts';
import { omitUndefined } from '../text/json.ts';
import { computeInstanceSlices, nameWhole } from '../gpu/profiles.ts';
import { computeResources, findUnusedSharing, offersDevices } from './resources.ts';

/** Labels of the whole GPUs of a node. */
interface GpuLabels {
  readonly labels: Labels;
  /**
   * Keys whose value GFD picks at random, with the values that it may pick: on a node with several models the model visited last wins,
   * and Go visits a map in random order. No single value can be required for them.
   */
  readonly undetermined: Readonly<Record<string, readonly string[]>>;
}

/**
 * `nvidia.com/gpu.*` as GFD writes it from whole GPUs, MIG parents included. Models with a GPU out of MIG mode override models that
 * only have GPUs in MIG mode.
 */
function computeGpuLabels(gpus: readonly GpuDescription[], sharing: Sharing | undefined): GpuLabels {
  const ofModel = Map.groupBy(gpus, ({ name }) => name);
  const byModel = (enabled: boolean) =>
    [...new Map(gpus.filter((gpu) => gpu.migEnabled === enabled).map((gpu) => [gpu.name, gpu])).values()].map((gpu) =>
      labelGpu(
        gpu,
        ofModel.get(gpu.name)?.length ?? 0,
        enabled ? PARENT_REPLICATION : replicationOf(GPU_RESOURCE, sharing),
      ),
    );
  const parents = byModel(true);
  const whole = byModel(false);
  const rivals = whole.length > 0 ? whole : parents;
  return { labels: mergeLabels([...parents, ...whole]), undetermined: disagreements(rivals) };
}

/** Product, count, replicas and sharing strategy of a resource, which GFD writes for GPUs and MIG devices alike. */
function labelResource(
  resource: string,
  productParts: readonly string[],
  count: number,
  replication: Replication,
): Labels {
  const parts = productParts.map(toProductLabel);
  return {
    [`${resource}.product`]: [...parts, ...(replication.marked ? ['SHARED'] : [])].join('-'),
    [`${resource}.count`]: String(count),
    [`${resource}.replicas`]: String(replication.replicas),
    [`${resource}.sharing-strategy`]: replication.strategy,
  };
}

function labelGpu(gpu: GpuDescription, count: number, replication: Replication): Labels {
  const [major, minor] = gpu.computeCapability;
  return {
    ...labelResource(GPU_RESOURCE, [gpu.name], count, replication),
    ...(gpu.memoryMiB === 0 ? {} : { [`${GPU_RESOURCE}.memory`]: String(gpu.memoryMiB) }),
    ...(major === 0
      ? {}
      : {
          [`${GPU_RESOURCE}.family`]: nameFamily(major, minor),
          [`${GPU_RESOURCE}.compute.major`]: String(major),
          [`${GPU_RESOURCE}.compute.minor`]: String(minor),
        }),
  };
}

/** GFD's names for architectures by major compute capability (v0.20; older versions know fewer). */
const families: Readonly<Record<number, string>> = {
  1: 'tesla',
  2: 'fermi',
  3: 'kepler',
  5: 'maxwell',
  6: 'pascal',
  9: 'hopper',
  10: 'blackwell',
  12: 'blackwell',
  13: 'rubin',
};

function nameFamily(major: number, minor: number): string {
  if (major === 7) return minor < 5 ? 'volta' : 'turing';
  if (major === 8) return minor < 9 ? 'ampere' : 'ada-lovelace';
  return families[major] ?? 'undefined';
}

function disagreements(rivals: readonly Labels[]): Readonly<Record<string, readonly string[]>> {
  const keys = new Set(rivals.flatMap((labels) => Object.keys(labels)));
  const found: Record<string, readonly string[]> = {};
  for (const key of keys) {
    const values = new Set(rivals.flatMap((labels) => labels[key] ?? []));
    if (values.size > 1) found[key] = [...values];
  }
  return found;
}

/** All MIG devices of one profile on a node. GFD takes model and attributes from the first one that it encounters. */
interface MigGroup {
  readonly model: string;
  readonly first: MigDeviceDescription;
  readonly count: number;
}

/** What the strategy adds to the labels of the whole GPUs, or overrides in them (`internal/lm/mig-strategy.go`). */
function computeMigLabels(
  gpus: readonly GpuDescription[],
  strategy: MigStrategy,
  sharing: Sharing | undefined,
): Labels {
  switch (strategy) {
    case 'none':
      return {};
    case 'single':
      return { 'nvidia.com/mig.strategy': 'single', ...labelSingle(gpus, sharing) };
    case 'mixed':
      return { 'nvidia.com/mig.strategy': 'mixed', ...labelMixed(gpus, sharing) };
  }
}

function labelSingle(gpus: readonly GpuDescription[], sharing: Sharing | undefined): Labels {
  const parents = gpus.filter((gpu) => gpu.migEnabled);
  const [parent] = parents;
  if (parent === undefined) return {};
  const [group, ...others] = groupByProfile(gpus);
  const isEmpty = parents.some((gpu) => gpu.migDevices.length === 0);
  if (group === undefined || others.length > 0 || isEmpty || parents.length < gpus.length) return labelInvalid(parent);
  return labelGroup(GPU_RESOURCE, group, sharing);
}

function labelMixed(gpus: readonly GpuDescription[], sharing: Sharing | undefined): Labels {
  const groups = groupByProfile(gpus);
  return mergeLabels(groups.map((group) => labelGroup(migResourceName(group.first.profile), group, sharing)));
}

/** The state known to users as MIG-INVALID: strategy single on a node that does not have one profile throughout. */
function labelInvalid(parent: GpuDescription): Labels {
  return {
    ...labelResource(GPU_RESOURCE, [parent.name, 'MIG', 'INVALID'], 0, PARENT_REPLICATION),
    // Empty, not "none": GFD writes this in this state and in no other.
    [`${GPU_RESOURCE}.sharing-strategy`]: '',
    [`${GPU_RESOURCE}.memory`]: '0',
  };
}

function labelGroup(resource: string, group: MigGroup, sharing: Sharing | undefined): Labels {
  const { profile, attributes } = group.first;
  const product = [group.model, 'MIG', labelProfile(profile)];
  return {
    ...labelResource(resource, product, group.count, replicationOf(resource, sharing)),
    ...Object.fromEntries(MIG_ATTRIBUTE_NAMES.map((name) => [`${resource}.${name}`, String(attributes[name])])),
  };
}

function groupByProfile(gpus: readonly GpuDescription[]): readonly MigGroup[] {
  const groups = new Map<string, MigGroup>();
  for (const gpu of gpus) {
    for (const device of gpu.migDevices) {
      const known = groups.get(device.profile);
      const group = known ?? { model: gpu.name, first: device, count: 0 };
      groups.set(device.profile, { ...group, count: group.count + 1 });
    }
  }
  return [...groups.values()];
}

/** Labels that GPU Feature Discovery writes on a node. */
export interface NodeLabels {
  /** Every label, sorted by key; `gfd.timestamp` is left out. Empty if GFD fails. Values may be too long for Kubernetes. */
  readonly labels: Labels;
  /** Keys with a random value, with the values that GFD may pick (nodes with several GPU models). */
  readonly undetermined: Readonly<Record<string, readonly string[]>>;
  /** Why GFD writes no labels at all; empty if it works. */
  readonly errors: readonly UpstreamError[];
}

/** No GPU: GFD stops before all its other labelers. */
const BARE_LABELS: Labels = { 'nvidia.com/vgpu.present': 'false' };

/** The labels that GPU Feature Discovery v0.20 writes on a node. */
export function computeLabels(node: NodeDescription, strategy: MigStrategy, config?: DevicePluginConfig): NodeLabels {
  if (node.gpus.length === 0) return { labels: BARE_LABELS, undetermined: {}, errors: [] };
  const error = findGfdError(node, config);
  if (error !== undefined) return { labels: {}, undetermined: {}, errors: [error] };
  const whole = computeGpuLabels(node.gpus, config?.sharing);
  const mig = computeMigLabels(node.gpus, strategy, config?.sharing);
  const labels: Labels = {
    'nvidia.com/gpu.machine': toProductLabel(node.machine?.trim() ?? 'unknown'),
    ...labelVersions(node),
    'nvidia.com/mig.capable': String(node.gpus.some((gpu) => gpu.migCapable)),
    'nvidia.com/mps.capable': String(config?.sharing?.strategy === 'mps'),
    ...whole.labels,
    ...mig,
    ...labelMode(node.gpus),
    ...(node.clique === undefined ? {} : { 'nvidia.com/gpu.clique': node.clique }),
    ...BARE_LABELS,
  };
  return {
    labels: sortByKey(labels),
    undetermined: Object.fromEntries(Object.entries(whole.undetermined).filter(([key]) => !Object.hasOwn(mig, key))),
    errors: [],
  };
}

function findGfdError(node: NodeDescription, config: DevicePluginConfig | undefined): UpstreamError | undefined {
  if (!/^[^.]*(?:\.[^.]*){1,2}$/.test(node.driverVersion)) {
    return {
      message:
        'error creating labeler: failed to construct version labeler: error getting driver version: ' +
        `Version "${node.driverVersion}" does not match format "X.Y[.Z]"`,
      advice: 'Give the driver version as the driver prints it, such as 550.54.15.',
    };
  }
  if (config?.sharing?.strategy === 'mps' && node.gpus.some((gpu) => gpu.migEnabled)) {
    return {
      message:
        'error creating labeler: error creating sharing labeler: failed to check MPS-capable: ' +
        'MPS sharing is not supported for mig devices',
      advice: 'Take sharing.mps out of the config of this node, or share slices with sharing.timeSlicing.',
    };
  }
  return undefined;
}

function labelVersions(node: NodeDescription): Labels {
  const [major = '', minor = '', revision = ''] = node.driverVersion.split('.');
  return {
    // The names without "-version" are deprecated upstream, but still written.
    'nvidia.com/cuda.driver.major': major,
    'nvidia.com/cuda.driver.minor': minor,
    'nvidia.com/cuda.driver.rev': revision,
    'nvidia.com/cuda.driver-version.major': major,
    'nvidia.com/cuda.driver-version.minor': minor,
    'nvidia.com/cuda.driver-version.revision': revision,
    'nvidia.com/cuda.driver-version.full': node.driverVersion,
    ...(node.cudaDriverVersion === undefined ? {} : labelCuda(node.cudaDriverVersion)),
  };
}

function labelCuda([major, minor]: readonly [number, number]): Labels {
  return {
    'nvidia.com/cuda.runtime.major': String(major),
    'nvidia.com/cuda.runtime.minor': String(minor),
    'nvidia.com/cuda.runtime-version.major': String(major),
    'nvidia.com/cuda.runtime-version.minor': String(minor),
    'nvidia.com/cuda.runtime-version.full': `${major}.${minor}`,
  };
}

/** `gpu.mode` from the PCI class, whose last byte (programming interface) does not count. */
function labelMode(gpus: readonly GpuDescription[]): Labels {
  const classes = new Set(gpus.map((gpu) => gpu.pciClass?.toLowerCase().slice(0, 6)));
  if (classes.has(undefined)) return {};
  const [only] = classes;
  if (classes.size === 1 && only === '0x0302') return { 'nvidia.com/gpu.mode': 'compute' };
  if (classes.size === 1 && only === '0x0300') return { 'nvidia.com/gpu.mode': 'graphics' };
  return { 'nvidia.com/gpu.mode': 'unknown' };
}

function sortByKey(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
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

export function readParts({ driverVersion, cudaVersion, machine, models, gpus }: ReadDevice): ReadDevice {
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

/** What a node shows to Kubernetes once NVIDIA's tools have run on it; the output of `gpu-partition labels`. */
interface LabelsAndResources {
  readonly labels: Labels;
  readonly resources: Readonly<Record<string, number>>;
  /** Upstream's messages, verbatim: those for the config file alone, else GFD's, then the device plugin's. */
  readonly errors: readonly string[];
}

/**
 * Labels and resources of a node. `configFile` is the device plugin's config file as a YAML parser returns it, unchecked; a file
 * that upstream refuses stops both tools, with one error.
 */
export function predictNode(node: NodeDescription, strategy: MigStrategy, configFile?: unknown): LabelsAndResources {
  const parsed = parseDevicePluginConfig(configFile);
  if (!parsed.ok) {
    const error = parsed.findings.find(({ severity }) => severity === 'error');
    return { labels: {}, resources: {}, errors: [error?.upstream ?? error?.message ?? 'invalid config file'] };
  }
  const { labels, errors: gfdErrors } = computeLabels(node, strategy, parsed.config);
  const { resources, errors: pluginErrors } = computeResources(node, strategy, parsed.config);
  return { labels, resources, errors: [...gfdErrors, ...pluginErrors].map(({ message }) => message) };
}

/**
 * What NVIDIA's tools do not say of such a node: settings of the config file without effect, and labels that never reach it.
 * @param config the device plugin's config file, and its name
 */
export function warnOfNode(
  node: NodeDescription,
  strategy: MigStrategy,
  labels: Labels,
  config?: { readonly file: string; readonly value: unknown },
): readonly string[] {
  return [
    ...(config === undefined
      ? []
      : warnOfConfig(node, strategy, config.value).map((text) => `${config.file}: ${text}`)),
    ...invalidLabels(labels).map(({ key, reason }) => `label ${key} never reaches the node: ${reason}`),
  ];
}

function warnOfConfig(node: NodeDescription, strategy: MigStrategy, value: unknown): readonly string[] {
  const parsed = parseDevicePluginConfig(value);
  const findings = parsed.findings.map(({ path, message }) => `${path === '' ? '' : `${path} `}${message}`);
  if (!parsed.ok) return findings;
  const { migStrategy = strategy } = parsed.config;
  return [
    ...findings,
    ...(migStrategy === strategy ? [] : [`flags.migStrategy is ${migStrategy}, but ${strategy} was asked for`]),
    ...findUnusedSharing(node, strategy, parsed.config).map(
      (resource) => `sharing names ${resource}, which this node does not have under strategy ${strategy}`,
    ),
  ];
}

/** A failure that NVIDIA's own tools would show on such a node. */
export interface UpstreamError {
  /** Upstream's message, verbatim (device plugin v0.20), so that it can be found in their logs. */
  readonly message: string;
  /** A sentence: what to change to avoid it. */
  readonly advice: string;
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
