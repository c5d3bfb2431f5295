import { group } from '../../api/names.ts';
import type { DeviceReport, GpuNodePartition, Grant } from '../../api/types.ts';
import { combine, type NodeChange } from '../metadata/node-change.ts';
import { type JsonPatchOperation, patchNode } from '../metadata/node-patch.ts';
import { listManagedLabels, listPrunableLabels } from '../nvidia/feature-discovery/managed-labels.ts';
import { writerModeOf } from '../nvidia/feature-discovery/writer-mode.ts';
import { changesWithLayout } from '../nvidia/labels/label-key.ts';
import { dropInvalidLabels } from '../nvidia/labels/label-value.ts';
import { strategyByLabels } from '../nvidia/labels/mig-strategy.ts';
import { sharingByLabels } from '../nvidia/plugin-config/labelled-sharing.ts';
import { timeText } from '../text/duration.ts';
import { releaseNode } from './node-marks.ts';
import { isUnfinished, metadataOf, type NodeView } from './node-view.ts';
import { isUnanswered } from './observed-epoch.ts';
import { predictDevice } from './rules/prediction.ts';

/** What becomes of a node that no controller manages any more. */
export type NodeRelease =
  /** It has no marks of ours. */
  | { readonly state: 'Clean' }
  /** Its agent may be changing the GPUs until then: it stays closed. */
  | { readonly state: 'Busy'; readonly until: string }
  | {
      readonly state: 'Marked';
      readonly patch: readonly JsonPatchOperation[];
      /** It was closed for a change that was never finished: what it offers may be outdated. */
      readonly wasChanging: boolean;
    };

/**
 * What must be removed from a node when the operator is uninstalled: our taint, labels and annotations, and what was borrowed. Layouts
 * stay, and so do the labels that describe them.
 */
export function planRelease(node: NodeView, found: GpuNodePartition | undefined, now: number): NodeRelease {
  const partition = found?.spec.nodeUID === node.metadata.uid ? found : undefined;
  const patch = patchNode(metadataOf(node), combine(releaseNode(), forgetNode(node, partition)));
  if (patch.length === 0) return { state: 'Clean' };
  const { granted } = partition?.spec ?? {};
  const end = partition !== undefined && granted !== undefined && isUnanswered(partition) ? endOf(granted) : -Infinity;
  if (now < end) return { state: 'Busy', until: timeText(end) };
  return { state: 'Marked', patch, wasChanging: isUnfinished(node) };
}

/** Without a controller nobody takes the grant back: its agent may see it at the deadline, and act on it for its whole time. */
function endOf({ deadline, seconds = 0 }: Grant): number {
  return Date.parse(deadline) + seconds * 1000;
}

/** What only a controller that comes back would need, and labels that would never be corrected. */
function forgetNode(node: NodeView, partition: GpuNodePartition | undefined): NodeChange {
  const annotations = Object.keys(node.metadata.annotations ?? {}).filter((key) => key.startsWith(`${group}/`));
  return { annotations: removeAll(annotations), labels: removeAll(listOutdatedLabels(node, partition)) };
}

function removeAll(keys: readonly string[]): Readonly<Record<string, undefined>> {
  return Object.fromEntries(keys.map((key) => [key, undefined]));
}

/**
 * Keys of labels that do not describe the device as its agent last reported it, and of all that a layout changes if what it is now is
 * unknown. None on an open node, whose labels follow its device, nor where GPU Feature Discovery writes them.
 */
function listOutdatedLabels(node: NodeView, partition: GpuNodePartition | undefined): readonly string[] {
  const { labels, annotations } = metadataOf(node);
  const mode = writerModeOf({ labels, annotations, before: partition?.status?.writerMode });
  if (!isUnfinished(node) || mode === 'Verify') return [];
  const isOurs = listManagedLabels({ annotations }).length > 0;
  const strategy = strategyByLabels(labels, isOurs) ?? partition?.spec.strategy ?? 'mixed';
  const sharing = sharingByLabels(labels);
  const device = partition === undefined ? undefined : knownDevice(node, partition);
  const predicted = device && predictDevice(device, strategy, sharing && { sharing });
  const right = dropInvalidLabels(predicted?.labels ?? {});
  return listPrunableLabels({ labels, annotations })
    .filter(changesWithLayout)
    .filter((key) => labels[key] !== right[key] && predicted?.undetermined[key] === undefined);
}

/** What the agent has reported, if nothing can have changed since. */
function knownDevice(node: NodeView, partition: GpuNodePartition): DeviceReport | undefined {
  const { device } = partition.status ?? {};
  const isKnown = device?.gpus !== undefined && device.step !== 'Unknown' && device.step !== 'Applying';
  const isThisBoot = device?.bootID === node.status?.nodeInfo?.bootID;
  return isKnown && isThisBoot && !isUnanswered(partition) ? device : undefined;
}
