import type { DeviceReport, GpuPartitionPolicy } from '../../../api/types.ts';
import type { NodeChange } from '../../metadata/node-change.ts';
import { listPrunableLabels } from '../../nvidia/feature-discovery/managed-labels.ts';
import { type WriterMode, writerModeOf } from '../../nvidia/feature-discovery/writer-mode.ts';
import { changesWithLayout } from '../../nvidia/labels/label-key.ts';
import { dropInvalidLabels } from '../../nvidia/labels/label-value.ts';
import type { NodeLabels } from '../../nvidia/labels/node-labels.ts';
import { type StaleLabel, staleLabels } from '../../nvidia/feature-discovery/stale-labels.ts';
import { sharingOf } from '../../nvidia/plugin-config/managed-config.ts';
import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { explainOffer } from '../../nvidia/resources/offer.ts';
import { backendOf } from '../backend.ts';
import { gpuLabels } from '../node-marks.ts';
import { metadataOf } from '../node-view.ts';
import type { Situation } from '../outcome.ts';
import { type Prediction, predictDevice } from './prediction.ts';

/** What NVIDIA's tools make of the device under the policy's settings. */
export function predict(situation: Situation, { spec }: GpuPartitionPolicy): Prediction {
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
  { node, partition }: Situation,
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

/** Who writes the nvidia.com labels of a node. The previous writer is in the status, which outlives us. */
export function writerModeFor({ node, partition }: Pick<Situation, 'node' | 'partition'>): WriterMode {
  const { labels = {}, annotations = {} } = node.metadata;
  return writerModeOf({ labels, annotations, before: partition.status?.writerMode });
}

/**
 * Labels that describe a node's device as it is, whether it matches the wish or not. None if GPU Feature Discovery writes them, or
 * if the device is unknown: missing labels for that reason must never be read as "remove all labels".
 *
 * @param predicted what GPU Feature Discovery would write of the device
 */
export function layoutLabels(situation: Situation, predicted: NodeLabels): NodeChange {
  const device = situation.partition.status?.device;
  if (writerModeFor(situation) !== 'Patch' || !isKnown(device) || predicted.errors.length > 0) return {};
  return gpuLabels(metadataOf(situation.node), dropInvalidLabels(predicted.labels));
}

/** Removes the labels that describe a layout, if they are ours to write and the device is unknown. */
export function withoutLayoutLabels(situation: Pick<Situation, 'node' | 'partition'>): NodeChange {
  if (writerModeFor(situation) !== 'Patch') return {};
  const keys = listPrunableLabels(metadataOf(situation.node)).filter(changesWithLayout);
  return { labels: Object.fromEntries(keys.map((key) => [key, undefined])) };
}

/** Labels of the layout that GPU Feature Discovery has not updated yet; none if the labels are ours. */
export function listStaleLabels(situation: Situation, predicted: NodeLabels): readonly StaleLabel[] {
  return writerModeFor(situation) === 'Patch' ? [] : staleLabels(metadataOf(situation.node), predicted);
}

function isKnown(device: DeviceReport | undefined): boolean {
  const { gpus, step } = device ?? {};
  return gpus !== undefined && step !== 'Unknown';
}
