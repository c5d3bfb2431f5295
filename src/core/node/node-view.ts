import type { ObjectMeta } from '../metadata/object-meta.ts';
import { repartitioningTaint, restartedValue, startupTaintKeys, stateLabel } from '../../api/names.ts';
import type { NodeMetadata, Taint } from '../metadata/node-change.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { driverUpgradeLabel, isDriverReplaced } from '../nvidia/driver-upgrade.ts';

/** The parts of a Node that are read, in the API's own shape. */
export interface NodeView {
  readonly metadata: ObjectMeta & {
    /** Some of its labels, where that takes less time than all. */
    pick?(keys: readonly string[]): Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly nodeInfo?: { readonly bootID?: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export function metadataOf(node: NodeView): NodeMetadata {
  return {
    labels: node.metadata.labels ?? {},
    annotations: node.metadata.annotations ?? {},
    taints: node.spec?.taints ?? [],
  };
}

/** Whether its kubelet is alive. */
export function isReadyNode({ status }: NodeView): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
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

/** Some of a node's labels: for questions that are asked of thousands of nodes in one turn. */
export function pickLabels({ metadata }: NodeView, keys: readonly string[]): Readonly<Record<string, string>> {
  return metadata.pick?.(keys) ?? metadata.labels ?? {};
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
