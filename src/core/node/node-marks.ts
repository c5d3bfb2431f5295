import {
  layoutLabel,
  migConfigStateLabel,
  policyLabel,
  repartitioningTaint,
  stateLabel,
  startupTaintKeys,
} from '../../api/names.ts';
import type { GpuReport } from '../../api/types.ts';
import { diffLabels } from '../nvidia/labels/label-diff.ts';
import { NVIDIA_PREFIX } from '../nvidia/labels/label-key.ts';
import { layoutLabelValue } from '../status/layout-text.ts';
import { listPrunableLabels, managedLabelsAnnotation } from '../nvidia/feature-discovery/managed-labels.ts';
import type { NodeChange, NodeMetadata } from '../metadata/node-patch.ts';
import { refreshedAnnotation } from './refresh-mark.ts';

/** Closes the node for new pods while its GPUs change. */
export function closeNode(): NodeChange {
  return {
    labels: { [stateLabel]: 'updating', [migConfigStateLabel]: 'pending' },
    addTaints: [repartitioningTaint],
  };
}

/** Opens a node that was closed and whose device did not change after all. */
export function reopenNode(state: 'waiting' | 'failed' | undefined): NodeChange {
  return {
    labels: { [stateLabel]: state, [migConfigStateLabel]: state === 'failed' ? 'failed' : undefined },
    removeTaints: [repartitioningTaint.key],
  };
}

/** Takes away what says that a policy decides over the node; the layout and its labels stay. */
export function releaseNode(): NodeChange {
  return {
    labels: { [policyLabel]: undefined, [stateLabel]: undefined, [layoutLabel]: undefined },
    removeTaints: [repartitioningTaint.key],
  };
}

/** Marks of a node whose device is as the policy says; opens it. */
export function readyNode(policy: string, gpus: readonly GpuReport[]): NodeChange {
  return {
    labels: {
      [policyLabel]: policy,
      [stateLabel]: 'ready',
      [layoutLabel]: layoutLabelValue(gpus),
      [migConfigStateLabel]: 'success',
    },
    removeTaints: [repartitioningTaint.key, ...startupTaintKeys],
  };
}

/**
 * Opens a node that advertises nothing, for the pod of a device plugin that does not tolerate our taints: as long as nothing
 * is advertised, no pod that asks for a GPU can come. The same write says for which change that was.
 */
export function fenceByZero(mark: string): NodeChange {
  return {
    annotations: { [refreshedAnnotation]: mark },
    removeTaints: [repartitioningTaint.key, ...startupTaintKeys],
  };
}

/**
 * Writes exactly these labels of GPU Feature Discovery, where it does not run, and takes away those of before: ours, and whoever's tell of
 * slices that are gone.
 */
export function gpuLabels(node: NodeMetadata, wanted: Readonly<Record<string, string>>): NodeChange {
  const { set, remove } = diffLabels(node.labels, listPrunableLabels(node), wanted);
  const keys = Object.keys(wanted).map((key) => key.slice(NVIDIA_PREFIX.length));
  return {
    labels: { ...set, ...Object.fromEntries(remove.map((key) => [key, undefined])) },
    annotations: { [managedLabelsAnnotation]: keys.sort().join(',') },
  };
}

/** Both changes in one write. */
export function combine(...changes: readonly NodeChange[]): NodeChange {
  return {
    labels: Object.assign({}, ...changes.map(({ labels }) => labels)) as NonNullable<NodeChange['labels']>,
    annotations: Object.assign({}, ...changes.map(({ annotations }) => annotations)) as NonNullable<
      NodeChange['annotations']
    >,
    addTaints: changes.flatMap(({ addTaints }) => addTaints ?? []),
    removeTaints: changes.flatMap(({ removeTaints }) => removeTaints ?? []),
  };
}
