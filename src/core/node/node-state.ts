import { type NodeView, type Taint, pickLabels } from '../kubernetes/node.ts';
import { repartitioningTaint, startupTaintKeys, restartedValue, stateLabel } from '../../api/names.ts';
import type { GpuNodePartition } from '../../api/types.ts';

/** gpu-operator's upgrade controller records a node's progress here (NVIDIA/k8s-operator-libs `pkg/upgrade/consts.go`). */
const driverUpgradeLabel = 'nvidia.com/gpu-driver-upgrade-state';

/** Value that k8s-driver-manager gives deploy labels from before it unloads a driver until the new one is loaded. */
export const pausedForDriverUpgrade = 'paused-for-driver-upgrade';

// `upgrade-required` only means that the driver is old: nothing happens to the node until its upgrade starts.
const idle: readonly string[] = ['', 'upgrade-done', 'upgrade-required'];

/**
 * True right before the upgrade controller opens the node again: the new driver runs and has been validated. Not earlier: the
 * driver's own pods, and those that validate it, do not tolerate our taint, and the upgrade would wait for them forever.
 */
export function isDriverReplaced(labels: Readonly<Record<string, string>>): boolean {
  return labels[driverUpgradeLabel] === 'uncordon-required';
}

/** What to wait for if the node's driver is being replaced, undefined if it is not. MIG changes before or after, never during. */
export function driverUpgrade(labels: Readonly<Record<string, string>>): string | undefined {
  const state = labels[driverUpgradeLabel] ?? '';
  if (state === 'upgrade-failed') {
    return (
      `the driver upgrade of this node failed (${driverUpgradeLabel}=upgrade-failed): repair it, ` +
      `then set the label to upgrade-required to retry; waiting until it is upgrade-done`
    );
  }
  if (!idle.includes(state)) {
    return `gpu-operator is upgrading the driver of this node (${driverUpgradeLabel}=${state}); waiting until it is upgrade-done`;
  }
  const paused = Object.keys(labels)
    .filter((key) => key.startsWith('nvidia.com/gpu.deploy.') && labels[key] === pausedForDriverUpgrade)
    .sort();
  if (paused.length === 0) return undefined;
  return (
    `k8s-driver-manager is replacing the driver of this node (${pausedForDriverUpgrade}: ${paused.join(', ')}); ` +
    `waiting until it restores ${paused.length === 1 ? 'this label' : 'these labels'}`
  );
}

/** Whether its kubelet is alive. */
export function isReadyNode({ status }: NodeView): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** Why a node is left alone by whoever has a choice: it takes no new pods for reasons that are not ours. */
interface SetAside {
  readonly kind: 'Leaving' | 'NotReady' | 'Cordoned';
  /** About the node, as `it is cordoned`. */
  readonly message: string;
}

/** A node that is going, or whose kubelet does not report, or that somebody has cordoned; undefined for others. */
export function setAside(node: NodeView): SetAside | undefined {
  const { metadata, spec, status } = node;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'Leaving', message: 'it is being deleted' };
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isSilent = ready !== undefined && ready.status !== 'True';
  if (isSilent)
    return { kind: 'NotReady', message: `its kubelet is not ready${ready.message ? `: ${ready.message}` : ''}` };
  const leaving = leavingTaintOf(spec?.taints);
  if (leaving !== undefined) return { kind: 'Leaving', message: `it is being removed (taint ${leaving})` };
  return spec?.unschedulable === true
    ? { kind: 'Cordoned', message: 'it is cordoned; kubectl uncordon opens it' }
    : undefined;
}

/**
 * Taints by which others say that a node goes, whoever tolerates them: Cluster Autoscaler's, Karpenter's (v1 and before), that of
 * KEP-2268 for a node that is switched off, GKE's before it maintains or preempts a machine, and that of AWS' termination handler for a spot
 * instance.
 */
const leavingTaints: readonly string[] = [
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'node.kubernetes.io/out-of-service',
  'cloud.google.com/impending-node-termination',
  'aws-node-termination-handler/spot-itn',
];

/** The key of the taint with which a node is being removed; undefined if it is not. */
export function leavingTaintOf(taints: readonly Taint[] = []): string | undefined {
  return taints.find(({ key, effect }) => leavingTaints.includes(key) && effect !== 'PreferNoSchedule')?.key;
}

/** Whether new pods are kept from a node until somebody opens it, or it is gone. */
export function isCordoned({ spec }: NodeView): boolean {
  return spec?.unschedulable === true || leavingTaintOf(spec?.taints) !== undefined;
}

/** Closed by us while its GPUs change. */
export function isClosed(node: NodeView): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

/** Closed by its node pool until its first layout is verified. */
export function hasStartupTaint(node: NodeView): boolean {
  return node.spec?.taints?.some(({ key }) => startupTaintKeys.includes(key)) ?? false;
}

/** Closed whatever we do: making it available disrupts nobody. */
export function isClosedAnyway(node: NodeView): boolean {
  const isRestarted = ({ key, value }: Taint): boolean => key === repartitioningTaint.key && value === restartedValue;
  return hasStartupTaint(node) || (node.spec?.taints?.some(isRestarted) ?? false);
}

/** Closed, or open only for the device plugin: what it offers now does not match its device. */
export function isUnfinished(node: NodeView): boolean {
  return isClosed(node) || pickLabels(node, [stateLabel])[stateLabel] === 'updating';
}

/** A taint of ours, or one of the node pool that we remove. */
export function isOwnTaint({ key }: Pick<Taint, 'key'>): boolean {
  return key === repartitioningTaint.key || startupTaintKeys.includes(key);
}

/** Whether a node is out of service, or must be closed before a pod gets a device that no longer exists: it goes before others. */
export function isUrgentNode(node: NodeView, partition: GpuNodePartition | undefined): boolean {
  return (
    isUnfinished(node) ||
    hasStartupTaint(node) ||
    isReadBeforeBoot(node, partition) ||
    isDriverReplaced(pickLabels(node, [driverUpgradeLabel]))
  );
}

/** Whether the node has restarted since its agent last read the GPUs; false if either boot is unknown. */
export function isReadBeforeBoot({ status }: NodeView, partition: GpuNodePartition | undefined): boolean {
  const booted = status?.nodeInfo?.bootID ?? '';
  const read = partition?.status?.device?.bootID ?? 'unknown';
  return booted !== '' && read !== 'unknown' && read !== booted;
}
