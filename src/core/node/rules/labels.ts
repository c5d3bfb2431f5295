import type { DeviceReport, GpuPartitionPolicy } from '../../../api/types.ts';
import { describeReport, computeLabels, type NodeLabels, readParts } from '../../nvidia/predict-labels.ts';
import {
  type MigStrategy,
  listPrunableLabels,
  type WriterMode,
  writerModeOf,
  changesWithLayout,
  dropInvalidLabels,
  type StaleLabel,
  staleLabels,
} from '../../nvidia/labels.ts';
import type { DevicePluginConfig } from '../../nvidia/plugin-config.ts';
import { computeResources, explainOffer } from '../../nvidia/resources.ts';
import { deepEqual } from '../../text/json.ts';
import type { NodeChange } from '../../kubernetes/node-patch.ts';
import { sharingOf } from '../../nvidia/managed-config.ts';
import { backendOf } from '../snapshot.ts';
import { gpuLabels } from '../marks.ts';
import { metadataOf } from '../../kubernetes/node.ts';
import type { RuleInput } from '../commands.ts';

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

/** What NVIDIA's tools make of the device under the policy's settings. */
export function predict(situation: RuleInput, { spec }: GpuPartitionPolicy): Prediction {
  const device = situation.partition.status?.device ?? {};
  // Sharing in force was accepted with a ConfigMap: the plugin keeps its file when the controller is restarted without one.
  if (backendOf(situation) === 'DRA') return predictDevice(device, spec.strategy, undefined);
  const config =
    situation.settings.pluginConfigMap || spec.sharing
      ? sharingOf(spec)
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
export function writerModeFor({ node, partition }: Pick<RuleInput, 'node' | 'partition'>): WriterMode {
  const { labels = {}, annotations = {} } = node.metadata;
  return writerModeOf({ labels, annotations, before: partition.status?.writerMode });
}

/**
 * Labels that describe a node's device as it is, whether it matches the wish or not. None if GPU Feature Discovery writes them, or
 * if the device is unknown: missing labels for that reason must never be read as "remove all labels".
 *
 * @param predicted what GPU Feature Discovery would write of the device
 */
export function layoutLabels(situation: RuleInput, predicted: NodeLabels): NodeChange {
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

/** Labels of the layout that GPU Feature Discovery has not updated yet; none if the labels are ours. */
export function listStaleLabels(situation: RuleInput, predicted: NodeLabels): readonly StaleLabel[] {
  return writerModeFor(situation) === 'Patch' ? [] : staleLabels(metadataOf(situation.node), predicted);
}

function isKnown(device: DeviceReport | undefined): boolean {
  const { gpus, step } = device ?? {};
  return gpus !== undefined && step !== 'Unknown';
}
