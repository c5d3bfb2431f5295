import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterState } from '../../core/plan/cluster-state.ts';
import { listReportedPods } from '../../core/pods/reported-pods.ts';
import { CliError } from '../exit.ts';
import { snapshotCommand } from './snapshot-file.ts';

/**
 * A snapshot made without `-A`, or without policies, would show pods as gone that run, or give nodes to the wrong policy.
 *
 * @throws CliError if something in the snapshot shows that
 */
export function demandComplete(cluster: ClusterState, given: readonly GpuPartitionPolicy[]): void {
  demandNamespaces(cluster);
  const known = new Set([...cluster.policies, ...given].map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of cluster.partitions) {
    const served = spec.policy?.name;
    if (served === undefined || known.has(served)) continue;
    throw new CliError(
      `node ${metadata.name} serves policy ${served}, which is neither in the snapshot nor given with -f; make the snapshot with: ${snapshotCommand}`,
    );
  }
}

/** In a cluster with GPUs, at least the device plugin's pods are of another namespace than users' pods. */
function demandNamespaces({ pods, partitions }: ClusterState): void {
  const [only, ...others] = new Set(pods.map(({ metadata }) => metadata.namespace ?? 'default'));
  if (only === undefined || others.length > 0) return;
  for (const partition of partitions) {
    const pod = holdersOn(partition).find((name) => !name.startsWith(`${only}/`));
    if (pod === undefined) continue;
    throw new CliError(
      `all pods of the snapshot are of namespace ${only}, but the agent of node ${partition.metadata.name} reports pod ${pod}; make it with: ${snapshotCommand}`,
    );
  }
}

function holdersOn({ status }: GpuNodePartition): readonly string[] {
  return listReportedPods(status?.device).holders;
}
