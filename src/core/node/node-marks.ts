import {
  layoutLabel,
  migConfigStateLabel,
  policyLabel,
  repartitioningTaint,
  restartedValue,
  stateLabel,
  startupTaintKeys,
} from '../../api/names.ts';
import type { GpuReport } from '../../api/types.ts';
import { diffLabels } from '../nvidia/labels/label-diff.ts';
import { layoutLabelValue } from '../policy/layout-text.ts';
import { listPrunableLabels, managedLabelsAnnotation } from '../nvidia/feature-discovery/managed-labels.ts';
import { devicePluginConfigLabel, NVIDIA_PREFIX } from '../nvidia/labels/label-key.ts';
import { holdersAnnotation } from '../pods/holder-pods.ts';
import { combine, type NodeChange, type NodeMetadata } from '../metadata/node-change.ts';
import { refreshedAnnotation } from './refresh-mark.ts';

/** The values of a node's state label, with what tools that read mig-manager's state label see for each. */
const migConfigStates = {
  ready: 'success',
  updating: 'pending',
  waiting: 'pending',
  failed: 'failed',
} as const satisfies Readonly<Record<string, string>>;

export type StateMark = keyof typeof migConfigStates;

/** Marks the node's state on it. mig-manager's label is not ours: it is borrowed. */
export function markState(state: StateMark): NodeChange {
  return { labels: { [stateLabel]: state }, borrow: { [migConfigStateLabel]: migConfigStates[state] } };
}

/** Closes the node for new pods while its GPUs change. */
export function closeNode(): NodeChange {
  return combine(markState('updating'), { addTaints: [repartitioningTaint] });
}

/** Closes a restarted node until its layout is restored. */
export function fenceRestart(): NodeChange {
  return combine(markState('updating'), { addTaints: [{ ...repartitioningTaint, value: restartedValue }] });
}

/** Opens a closed node whose device does not match the wish. */
export function reopenNode(state: StateMark | undefined): NodeChange {
  const marks =
    state === undefined ? { labels: { [stateLabel]: undefined }, giveBack: [migConfigStateLabel] } : markState(state);
  return combine(marks, { removeTaints: [repartitioningTaint.key] });
}

/**
 * Removes the marks of a policy's control, and of a change, and restores what was borrowed; the layout and its labels stay. The plugin's settings are
 * restored only if there were others before: without any the plugin might run with a strategy that does not fit the layout.
 */
export function releaseNode(): NodeChange {
  return {
    labels: { [policyLabel]: undefined, [stateLabel]: undefined, [layoutLabel]: undefined },
    giveBack: (key, { was }) => key !== devicePluginConfigLabel || was !== null,
    annotations: { [refreshedAnnotation]: undefined, [holdersAnnotation]: undefined },
    removeTaints: [repartitioningTaint.key],
  };
}

/** Marks a node whose device matches the policy, and opens it. */
export function readyNode(policy: string, gpus: readonly GpuReport[]): NodeChange {
  return combine(markState('ready'), {
    labels: { [policyLabel]: policy, [layoutLabel]: layoutLabelValue(gpus) },
    removeTaints: [repartitioningTaint.key, ...startupTaintKeys],
  });
}

/**
 * Opens a node that advertises nothing, for the pod of a device plugin that does not tolerate our taints: as long as nothing is
 * advertised, no pod that asks for a GPU can come. The same write records the change.
 */
export function fenceByZero(mark: string): NodeChange {
  return {
    annotations: { [refreshedAnnotation]: mark },
    removeTaints: [repartitioningTaint.key, ...startupTaintKeys],
  };
}

/**
 * Writes exactly these labels of GPU Feature Discovery, if it does not run, and removes the previous ones: ours, and any that
 * describe slices that are gone.
 */
export function gpuLabels(node: NodeMetadata, wanted: Readonly<Record<string, string>>): NodeChange {
  const { set, remove } = diffLabels(node.labels, listPrunableLabels(node), wanted);
  const keys = Object.keys(wanted).map((key) => key.slice(NVIDIA_PREFIX.length));
  return {
    labels: { ...set, ...Object.fromEntries(remove.map((key) => [key, undefined])) },
    annotations: { [managedLabelsAnnotation]: keys.sort().join(',') },
  };
}
