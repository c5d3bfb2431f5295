// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the keys and values of labels of nodes and names of resources.
import { explainKey, explainLabelValue } from '../text/syntax.ts';
import { memoize } from '../text/json.ts';

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

/** Merges several sets of labels; the last value of a key wins, as in GFD's own merge. */
export function mergeLabels(sets: readonly Labels[]): Labels {
  return Object.fromEntries(sets.flatMap((labels) => Object.entries(labels)));
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
