import type { DeviceReport, GpuPartitionPolicy } from '../../../api/types.ts';
import { type Prediction, predictDevice } from '../../nvidia/predict.ts';
import {
  type Labels,
  changesWithLayout,
  dropInvalidLabels,
  GFD_TIMESTAMP_KEY,
  GPU_RESOURCE,
  isGfdLabelKey,
  layoutPartOf,
} from '../../nvidia/labels.ts';
import { type DevicePluginConfig, managedConfig, type Sharing } from '../../nvidia/plugin-config.ts';
import { explainOffer } from '../offer.ts';
import { type NodeChange, type NodeMetadata, metadataOf } from '../node-patch.ts';
import { backendOf, type NodeSnapshot } from '../snapshot.ts';
import type { RuleInput } from '../commands.ts';

/** What GPU Feature Discovery makes of a device. */
type PredictedLabels = Omit<Prediction, 'offer'>;

/** What NVIDIA's tools make of the device under the policy's settings. */
export function predict(situation: RuleInput, { spec }: GpuPartitionPolicy): Prediction {
  const device = situation.partition.status?.device ?? {};
  // Sharing in force was accepted with a ConfigMap: the plugin keeps its file when the controller is restarted without one.
  if (backendOf(situation) === 'DRA') return predictDevice(device, spec.strategy, undefined);
  const config =
    situation.settings.pluginConfigMap || spec.sharing
      ? managedConfig(spec).config
      : administratorsSharing(situation, predictDevice(device, spec.strategy, undefined).offer.resources);
  return predictDevice(device, spec.strategy, config);
}

/** How the node's device plugin shares its devices under settings that are not ours; undefined if it does not, or if that is unknown. */
function administratorsSharing(
  { node, partition }: RuleInput,
  expected: Readonly<Record<string, number>>,
): DevicePluginConfig | undefined {
  const { labels = {} } = node.metadata;
  const offer = explainOffer(
    {
      allocatable: node.status?.allocatable ?? {},
      advertised: partition.status?.device?.advertised,
      labels,
    },
    expected,
  );
  if (offer.kind !== 'Shared') return undefined;
  // If nothing was shared before, what is offered of an unreadable GPU is not a second share of another one.
  const isRead = (partition.status?.device?.gpus ?? []).every(({ error }) => error === undefined);
  const wasShared = offer.sharing.resources.every(
    ({ name, replicas }) => labels[`${name}.replicas`] === String(replicas),
  );
  return isRead || wasShared ? { sharing: offer.sharing } : undefined;
}

/** Tells who writes the nvidia.com labels of a node. The previous writer is in the status, which outlives us. */
export function writerModeFor({ node, partition }: Pick<NodeSnapshot, 'node' | 'partition'>): WriterMode {
  const { labels = {}, annotations = {} } = node.metadata;
  return writerModeOf({ labels, annotations, before: partition?.status?.writerMode });
}

/**
 * Labels that describe a node's device as it is, whether it matches the wish or not. None if GPU Feature Discovery writes them, or
 * if the device is unknown: missing labels for that reason must never be read as "remove all labels".
 *
 * @param predicted what GPU Feature Discovery would write of the device
 */
export function layoutLabels(situation: RuleInput, predicted: PredictedLabels): NodeChange {
  const device = situation.partition.status?.device;
  if (writerModeFor(situation) !== 'Patch' || !isKnown(device) || predicted.errors.length > 0) return {};
  return gpuLabels(metadataOf(situation.node), dropInvalidLabels(predicted.labels));
}

/** Removes the labels that describe a layout, if they are ours to write and the device is unknown. */
export function withoutLayoutLabels(situation: Pick<RuleInput, 'node' | 'partition'>): NodeChange {
  if (writerModeFor(situation) !== 'Patch') return {};
  const keys = listPrunableLabels(metadataOf(situation.node)).filter(changesWithLayout);
  return { labels: Object.fromEntries(keys.map((key) => [key, undefined])) };
}

/** How the labels of a layout have to be written, and which of them are wrong. */
interface LabelJudgement {
  /** The labels to write now, if they are ours. */
  readonly labels: NodeChange;
  /** What to write when the node opens: those, or that GPU Feature Discovery has them. */
  readonly atOpening: NodeChange;
  /** The labels that GPU Feature Discovery has not updated yet, in words; undefined if there is none, or if the labels are ours. */
  readonly stale: string | undefined;
}

/** Judges a node's labels by what its device has become. @param predicted what GPU Feature Discovery writes of it */
export function judgeLabels(situation: RuleInput, predicted: PredictedLabels): LabelJudgement {
  const node = metadataOf(situation.node);
  const labels = layoutLabels(situation, predicted);
  if (writerModeFor(situation) === 'Patch') return { labels, atOpening: labels, stale: undefined };
  const stale = staleLabels(node, predicted);
  return {
    labels,
    atOpening: handOver(node, Object.keys(dropInvalidLabels(predicted.labels))),
    stale: stale.length === 0 ? undefined : describeStaleLabels(stale),
  };
}

function isKnown(device: DeviceReport | undefined): boolean {
  const { gpus, step } = device ?? {};
  return gpus !== undefined && step !== 'Unknown';
}

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

/** Of the labels that NVIDIA's tools write, and we in their place. */
const nvidiaPrefix = 'nvidia.com/';
/** Lists the nvidia.com labels that we wrote on a node, without their prefix, so that we recognise them. */
export const managedLabelsAnnotation = 'gpupartition.dev/managed-labels';

/** Keys of the labels that we wrote on a node. */
export function listManagedLabels({ annotations }: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return (annotations[managedLabelsAnnotation] ?? '')
    .split(',')
    .filter((key) => key !== '')
    .map((key) => nvidiaPrefix + key);
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

interface StaleLabel {
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
  { labels: predicted, undetermined, errors }: PredictedLabels,
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
    const suffix = layoutPartOf(key)?.suffix;
    return suffix === undefined || suffix === alwaysWritten || seen.has(kindOf(key));
  };
}

function kindOf(key: string): string | undefined {
  const part = layoutPartOf(key);
  return part && `${part.of} ${part.suffix}`;
}

/** How a node's resources are shared by its labels; undefined if they say that none is. */
export function sharingByLabels(labels: Labels): Sharing | undefined {
  const resources = Object.entries(labels)
    .filter(([key, value]) => layoutPartOf(key)?.suffix === 'replicas' && Number(value) >= 2)
    .map(([key, value]) => ({ name: key.slice(0, -'.replicas'.length), replicas: Number(value) }));
  const [first] = resources;
  if (first === undefined) return undefined;
  const isMps = labels[`${first.name}.sharing-strategy`] === 'mps';
  return {
    strategy: isMps ? 'mps' : 'time-slicing',
    renameByDefault: labels[`${first.name}.product`]?.endsWith('-SHARED') !== true,
    failRequestsGreaterThanOne: isMps,
    resources,
  };
}

/** The writer of GPU Feature Discovery's labels on a node: GFD writes and we compare (`Verify`), or we write (`Patch`). */
type WriterMode = 'Patch' | 'Verify';

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

/**
 * Writes exactly these labels of GPU Feature Discovery, if it does not run, and removes the previous ones: ours, and any that
 * describe slices that are gone.
 */
export function gpuLabels(node: NodeMetadata, wanted: Readonly<Record<string, string>>): NodeChange {
  const { set, remove } = diffLabels(node.labels, listPrunableLabels(node), wanted);
  const keys = Object.keys(wanted).map((key) => key.slice(nvidiaPrefix.length));
  return {
    labels: { ...set, ...Object.fromEntries(remove.map((key) => [key, undefined])) },
    annotations: { [managedLabelsAnnotation]: keys.sort().join(',') },
  };
}
