import { explainKey, explainLabelValue } from '../text/syntax.ts';
import { memoize } from '../text/json.ts';
import type { NodeMetadata, NodeChange } from '../kubernetes/node-patch.ts';
import type { NodeLabels } from './predict-labels.ts';

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

/** `count` of `nvidia.com/gpu.count` and of `nvidia.com/mig-1g.5gb.count`; undefined for any other key. */
export function layoutSuffixOf(key: string): string | undefined {
  if (!changesWithLayout(key)) return undefined;
  return MIG_LABEL_SUFFIXES.find((suffix) => key.endsWith(`.${suffix}`));
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

/** Prefix of the labels that carry this product's own state. */
const OWN_PREFIX = 'gpupartition.dev/';
/** NFD lists here the labels that it owns on a node; an instance name may precede it. */
const NFD_ANNOTATION = /^(?:[^/]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$/;
const NFD_DEFAULT_PREFIX = 'feature.node.kubernetes.io/';

interface LabelChange {
  /** Keys to write, with their values. */
  readonly set: Labels;
  /** Keys to delete (null in a merge patch). */
  readonly remove: readonly string[];
}

/**
 * What to patch so that a node's labels become `wanted`. `managed` is the list of keys that we wrote earlier, kept in an annotation.
 * Keys that are neither managed nor wanted stay. Anyone who may edit nodes can edit the annotation, so keys that can never be ours
 * are left alone even if it names them. No change gives two empty sets.
 */
export function diffLabels(current: Labels, managed: readonly string[], wanted: Labels): LabelChange {
  const set = Object.entries(wanted).filter(([key, value]) => isOwnable(key) && valueOf(current, key) !== value);
  const remove = [...new Set(managed)].filter(
    (key) => isOwnable(key) && Object.hasOwn(current, key) && !Object.hasOwn(wanted, key),
  );
  return { set: Object.fromEntries(set), remove: remove.toSorted() };
}

/** Label keys that NFD owns on a node, from the node's annotations. NFD removes or overwrites them at any time. */
export function nfdOwnedLabelKeys(annotations: Labels): ReadonlySet<string> {
  const keys = Object.entries(annotations)
    .filter(([name]) => NFD_ANNOTATION.test(name))
    .flatMap(([, list]) => list.split(','))
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return new Set(keys.map((key) => (key.includes('/') ? key : NFD_DEFAULT_PREFIX + key)));
}

function isOwnable(key: string): boolean {
  return key.startsWith(OWN_PREFIX) || (isGfdLabelKey(key) && key !== GFD_TIMESTAMP_KEY);
}

function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

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

/** Lists the nvidia.com labels that we wrote on a node, without their prefix, so that we recognise them. */
export const managedLabelsAnnotation = 'gpupartition.dev/managed-labels';

/** Keys of the labels that we wrote on a node. */
export function listManagedLabels({ annotations }: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return (annotations[managedLabelsAnnotation] ?? '')
    .split(',')
    .filter((key) => key !== '')
    .map((key) => NVIDIA_PREFIX + key);
}

/**
 * Keys that are removed from a node without GPU Feature Discovery when they are not wanted: those that we wrote, and all that
 * describe a layout, whoever wrote them: an earlier GFD, a person, another operator. Pods select by them, and nobody else removes
 * them.
 */
export function listPrunableLabels(node: Pick<NodeMetadata, 'annotations' | 'labels'>): readonly string[] {
  // It is unwanted only if it could not be read, which does not justify removing it.
  const mayBeUnread = `${GPU_RESOURCE}.memory`;
  const ofLayout = Object.keys(node.labels).filter((key) => changesWithLayout(key) && key !== mayBeUnread);
  return [...new Set([...listManagedLabels(node), ...ofLayout])];
}

export interface StaleLabel {
  readonly key: string;
  /** The value that is right; undefined: the label must be removed. */
  readonly wanted: string | undefined;
}

/** Every version writes it for GPUs and for slices, so a node without it has not been labelled. */
const alwaysWritten = 'count';

/**
 * What GPU Feature Discovery will write of the layout and has not written yet. Keys that no layout changes tell nothing about it,
 * and which of the others exist depends on the version: `gpu.mode` since v0.16, `vgpu.present` not always.
 */
export function staleLabels(
  { labels, annotations }: Pick<NodeMetadata, 'labels' | 'annotations'>,
  { labels: predicted, undetermined, errors }: NodeLabels,
): readonly StaleLabel[] {
  // In that case it writes no labels and removes none.
  if (errors.length > 0) return [];
  const kept = dropInvalidLabels(predicted);
  const isWritten = writtenBy(labels);
  const differing = Object.entries(kept)
    .filter(([key, value]) => labels[key] !== value && !Object.hasOwn(undetermined, key))
    .filter(([key]) => changesWithLayout(key) && isWritten(key))
    .map(([key, wanted]) => ({ key, wanted }));
  const left = [...nfdOwnedLabelKeys(annotations)]
    .filter((key) => changesWithLayout(key) && Object.hasOwn(labels, key) && !Object.hasOwn(kept, key))
    .map((key) => ({ key, wanted: undefined }));
  return [...differing, ...left];
}

const mostNamed = 3;

/** `nvidia.com/gpu.count should be 7, … and 3 more` */
export function describeStaleLabels(stale: readonly StaleLabel[]): string {
  const named = stale.slice(0, mostNamed).map(({ key, wanted }) => `${key} should be ${wanted ?? 'gone'}`);
  const rest = stale.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/**
 * Whether the version that labels this node writes such a key, for slices or for GPUs: `sharing-strategy` came with v0.15, `product`
 * and `replicas` of slices after v0.3.
 */
function writtenBy(labels: Labels): (key: string) => boolean {
  const seen = new Set(Object.keys(labels).map(kindOf));
  return (key) => {
    const suffix = layoutSuffixOf(key);
    return suffix === undefined || suffix === alwaysWritten || seen.has(kindOf(key));
  };
}

function kindOf(key: string): string | undefined {
  const suffix = layoutSuffixOf(key);
  return suffix === undefined ? undefined : `${migProfileOfLabelKey(key) === undefined ? 'GPU' : 'slice'} ${suffix}`;
}

/** The writer of GPU Feature Discovery's labels on a node: GFD writes and we compare (`Verify`), or we write (`Patch`). */
export type WriterMode = 'Patch' | 'Verify';

export interface WriterEvidence {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The node's previous mode, from its status. */
  readonly before: WriterMode | undefined;
}

/**
 * `Verify` as soon as GFD is seen, and permanently: its labels vanish for minutes when it or NFD restarts, and it would not remove
 * what we write then. We write again only after somebody clears the mode in the status.
 */
export function writerModeOf({ labels, annotations, before }: WriterEvidence): WriterMode {
  const seen =
    before === 'Verify' ||
    Object.hasOwn(labels, GFD_TIMESTAMP_KEY) ||
    [...nfdOwnedLabelKeys(annotations)].some(isGfdLabelKey);
  return seen ? 'Verify' : 'Patch';
}

/**
 * Leaves the labels to GFD: removes the record of ours, and those of our keys that GFD is not going to write and NFD does not own.
 * The values of the others stay, since GFD overwrites them and pods select by them meanwhile.
 *
 * @param predicted keys that GFD will write on the device as it is
 */
export function handOver(node: NodeMetadata, predicted: Iterable<string>): NodeChange {
  if (node.annotations[managedLabelsAnnotation] === undefined) return {};
  const kept = [...predicted, ...nfdOwnedLabelKeys(node.annotations)].filter((key) => Object.hasOwn(node.labels, key));
  const { remove } = diffLabels(node.labels, listManagedLabels(node), Object.fromEntries(kept.map((key) => [key, ''])));
  return {
    labels: Object.fromEntries(remove.map((key) => [key, undefined])),
    annotations: { [managedLabelsAnnotation]: undefined },
  };
}
