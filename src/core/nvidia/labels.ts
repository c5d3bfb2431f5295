// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the keys and values of labels, names of resources, and the labels that GPU Feature Discovery gives to a node.
import { toProductLabel } from '../gpu/geometry.ts';
import { explainKey, explainLabelValue } from '../text/syntax.ts';
import { memoize } from '../text/json.ts';
import type { DevicePluginConfig, Sharing } from './plugin-config.ts';

/**
 * What must be known of a node to compute its labels and resources: the answers that NVIDIA's tools get from NVML, sysfs and DMI.
 * The shape is that of the `node` of a label vector.
 */
export interface NodeDescription {
  /** Driver version as NVML gives it: `550.54.15` or `535.54`. */
  readonly driverVersion: string;
  /** CUDA version that the driver supports: `[12, 4]`. Absent if it was not read; its labels are then left out. */
  readonly cudaDriverVersion?: readonly [major: number, minor: number];
  /** `/sys/class/dmi/id/product_name`, unchanged. Absent if it cannot be read; GFD then writes `unknown`. */
  readonly machine?: string;
  /** GPUs in the order of their index. */
  readonly gpus: readonly GpuDescription[];
  /** `<cluster UUID>.<clique id>` of the NVLink fabric; absent on nodes outside of a fabric. */
  readonly clique?: string;
}

export interface GpuDescription {
  /** Product name as NVML and nvidia-smi print it: `NVIDIA A100-SXM4-40GB`. */
  readonly name: string;
  /** Whole memory in MiB. */
  readonly memoryMiB: number;
  readonly computeCapability: readonly [major: number, minor: number];
  readonly migCapable: boolean;
  /** The current mode, not the pending one. */
  readonly migEnabled: boolean;
  /** PCI class as sysfs prints it: `0x030200`. Absent if it was not read; `gpu.mode` is then left out. */
  readonly pciClass?: string;
  /** MIG devices in NVML's order. Empty unless MIG is enabled. */
  readonly migDevices: readonly MigDeviceDescription[];
}

/** A MIG device: a compute instance with its GPU instance. */
export interface MigDeviceDescription {
  /** Name as NVML gives it: `1g.5gb`, `1g.10gb+me`, `1c.3g.20gb`. */
  readonly profile: string;
  readonly attributes: MigAttributes;
}

export const MIG_ATTRIBUTE_NAMES = [
  /** MiB. Driver versions report different numbers for one profile, so it is read, never derived. */
  'memory',
  'multiprocessors',
  'slices.gi',
  'slices.ci',
  'engines.copy',
  'engines.decoder',
  'engines.encoder',
  'engines.jpeg',
  'engines.ofa',
] as const;

/** `nvmlDeviceGetAttributes` of a MIG device, under the names that GFD uses in labels. */
export type MigAttributes = Readonly<Record<(typeof MIG_ATTRIBUTE_NAMES)[number], number>>;

export const NVIDIA_PREFIX = 'nvidia.com/';
export const GPU_RESOURCE = 'nvidia.com/gpu';

/** Written only by GFD, at each start; its presence shows that GFD runs. We never write it. */
export const GFD_TIMESTAMP_KEY = 'nvidia.com/gfd.timestamp';
/** Selects the device plugin's config file: a key of its ConfigMap. */
export const devicePluginConfigLabel = 'nvidia.com/device-plugin.config';

/** Suffixes of the keys that GFD writes per MIG profile under strategy mixed; 13 of them. */
const MIG_LABEL_SUFFIXES = ['product', 'count', 'replicas', 'sharing-strategy', ...MIG_ATTRIBUTE_NAMES] as const;

const STABLE_KEYS: ReadonlySet<string> = new Set(
  [
    'gfd.timestamp',
    ...['major', 'minor', 'rev'].map((part) => `cuda.driver.${part}`),
    ...['major', 'minor'].map((part) => `cuda.runtime.${part}`),
    ...['major', 'minor', 'revision', 'full'].map((part) => `cuda.driver-version.${part}`),
    ...['major', 'minor', 'full'].map((part) => `cuda.runtime-version.${part}`),
    ...['machine', 'mode', 'family', 'compute.major', 'compute.minor'].map((part) => `gpu.${part}`),
    ...['clique', 'imex-domain'].map((part) => `gpu.${part}`),
    ...['present', 'host-driver-version', 'host-driver-branch'].map((part) => `vgpu.${part}`),
    'mig.capable',
    'mps.capable',
  ].map((name) => NVIDIA_PREFIX + name),
);

/**
 * What differs between two layouts of the same GPUs, besides the keys of each profile; a test derives the table from all vectors.
 * Under strategy single a slice takes the place of the GPU, so the per-profile suffixes follow `gpu.` too. On nodes with GPUs of
 * several models, `gpu.family` and `gpu.compute.*` follow the model that stays whole: they are left out, since they describe no
 * slices, and families differ between versions of GFD.
 */
const LAYOUT_KEYS: ReadonlySet<string> = new Set([
  'nvidia.com/mig.strategy',
  ...MIG_LABEL_SUFFIXES.map((suffix) => `${GPU_RESOURCE}.${suffix}`),
]);

const MIG_KEY_PREFIX = 'nvidia.com/mig-';
/**
 * A profile as labels spell it, NVML's name with `.` for `+` (`2g.48gb-me` keeps its dash), and the suffix after it: the longest
 * that fits, since the keys of `1g.10gb.me` also begin with `mig-1g.10gb.`. Each decision applies this to all labels of its node.
 */
const PROFILE_KEY = new RegExp(
  `^${MIG_KEY_PREFIX}((?:\\d+c\\.)?\\d+g\\.\\d+gb(?:[.-][a-z]+)*?)\\.(?:${MIG_LABEL_SUFFIXES.join('|').replaceAll('.', '\\.')})$`,
);

/**
 * Whether GPU Feature Discovery writes this key (any version up to v0.20). Without a GFD these keys are ours, except {@link
 * GFD_TIMESTAMP_KEY}. Not included, and never ours: `gpu.present`, `gpu.deploy.*`, `gpu.workload.config`, `mig.config`,
 * `mig.config.state`, `device-plugin.config`, `gpu-driver-upgrade-state`.
 */
export function isGfdLabelKey(key: string): boolean {
  return STABLE_KEYS.has(key) || changesWithLayout(key);
}

/** Whether a new layout or strategy may change the key's value: a policy must not select its nodes by such a key. */
export function changesWithLayout(key: string): boolean {
  return LAYOUT_KEYS.has(key) || migProfileOfLabelKey(key) !== undefined;
}

/** The profile of a per-profile key, as labels spell it: `1g.10gb.me` of `nvidia.com/mig-1g.10gb.me.count`; undefined for any other key. */
export function migProfileOfLabelKey(key: string): string | undefined {
  return key.startsWith(MIG_KEY_PREFIX) ? PROFILE_KEY.exec(key)?.[1] : undefined;
}

/** `GPU` and `count` of `nvidia.com/gpu.count`, `slice` and `count` of `nvidia.com/mig-1g.5gb.count`; undefined for any other key. */
export function layoutPartOf(key: string): { readonly of: 'GPU' | 'slice'; readonly suffix: string } | undefined {
  const suffix = changesWithLayout(key) ? MIG_LABEL_SUFFIXES.find((one) => key.endsWith(`.${one}`)) : undefined;
  return suffix && { of: migProfileOfLabelKey(key) === undefined ? 'GPU' : 'slice', suffix };
}

/** Resource name of a profile under strategy mixed, without `.shared`: `nvidia.com/mig-1g.10gb.me`. */
export function migResourceName(profile: string): string {
  return MIG_KEY_PREFIX + labelProfile(profile);
}

/** A profile as labels and resources spell it, where `+` is not allowed: `1g.10gb+me` becomes `1g.10gb.me`. */
export function labelProfile(profile: string): string {
  return profile.replaceAll('+', '.');
}

export type Labels = Readonly<Record<string, string>>;

interface InvalidLabel {
  readonly key: string;
  readonly value: string;
  readonly reason: string;
}

/** Finds labels that the API server would refuse. A patch that contains one is refused as a whole. */
export function invalidLabels(labels: Labels): readonly InvalidLabel[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const reason = explainKey(key) ?? explainLabelValue(value);
    return reason === undefined ? [] : [{ key, value, reason }];
  });
}

/**
 * The labels that reach the node. NFD silently drops each invalid label
 * (NVIDIA/k8s-device-plugin#1876): `NVIDIA-RTX-PRO-6000-…-MIG-1g.24gb.me.all-SHARED` is longer than 63 characters, so such a node
 * has no `gpu.product`. A writer without NFD must leave them out itself. Each decision needs those of a prediction.
 */
export const dropInvalidLabels = memoize((labels: Labels): Labels => {
  const lost = new Set(invalidLabels(labels).map(({ key }) => key));
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !lost.has(key)));
});

/** How the device plugin advertises MIG devices; the same word configures GPU Feature Discovery. */
export const MIG_STRATEGIES = ['none', 'single', 'mixed'] as const;
export type MigStrategy = (typeof MIG_STRATEGIES)[number];

export function isMigStrategy(value: unknown): value is MigStrategy {
  return MIG_STRATEGIES.some((strategy) => strategy === value);
}

/**
 * The strategy that a node's labels show; undefined if they do not. GPU Feature Discovery writes none under strategy `none`, nor
 * before it has labelled the node.
 *
 * @param isComplete the node has all labels: no label means `none`
 */
export function strategyByLabels(
  labels: Readonly<Record<string, string>>,
  isComplete: boolean,
): MigStrategy | undefined {
  const value = labels['nvidia.com/mig.strategy'];
  if (isMigStrategy(value)) return value;
  return value === undefined && isComplete && 'nvidia.com/gpu.count' in labels ? 'none' : undefined;
}

/** How a resource is shared, in the terms of its labels. */
interface Replication {
  /** 0: not handed out at all (a GPU in MIG mode); 1: not shared. */
  readonly replicas: number;
  readonly strategy: Sharing['strategy'] | 'none';
  /** Whether the product label ends in `-SHARED`. */
  readonly marked: boolean;
}

/** GFD labels a GPU in MIG mode as unavailable, even if strategy none hands it out and shares it. */
const PARENT_REPLICATION: Replication = { replicas: 0, strategy: 'none', marked: false };

/** GFD's view of a resource: the first entry with its name decides. */
function replicationOf(resource: string, sharing: Sharing | undefined): Replication {
  const entry = sharing?.resources.find(({ name }) => name === resource);
  if (sharing === undefined || entry === undefined) return { replicas: 1, strategy: 'none', marked: false };
  return { replicas: entry.replicas, strategy: sharing.strategy, marked: !sharing.renameByDefault };
}

/** Merges several sets of labels; the last value of a key wins, as in GFD's own merge. */
function mergeLabels(sets: readonly Labels[]): Labels {
  return Object.fromEntries(sets.flatMap((labels) => Object.entries(labels)));
}

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

/** A failure that NVIDIA's own tools would show on such a node. */
interface UpstreamError {
  /** Upstream's message, verbatim (device plugin v0.20), so that it can be found in their logs. */
  readonly message: string;
  /** A sentence: what to change to avoid it. */
  readonly advice: string;
}
