import type { GpuNodePartition } from '../../api/types.ts';
import { driverUpgradeLabel, isDriverReplaced } from '../nvidia/driver-upgrade.ts';
import { hasStartupTaint, isUnfinished, type NodeView, pickLabels } from './node-view.ts';

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
