import { disruptionBudgets, nodePartitions, nodes, pods, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterPod, ClusterState } from '../../core/plan/cluster-state.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import type { BudgetView } from '../../core/pods/disruption-budget.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { listAll } from '../cluster/connection.ts';

/** The cluster as its API server reports it now. @throws CliError if it does not */
export async function readCluster(client: KubeClient, now: number): Promise<ClusterState> {
  // Pods last: one that the agents saw may have gone by now, and one that is new is not in their reports yet.
  const [allNodes, partitions, allPolicies] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
  ]);
  const [allPods, budgets] = await Promise.all([
    listAll<ClusterPod & KubeObject>(client, pods),
    listAll<BudgetView & KubeObject>(client, disruptionBudgets),
  ]);
  return { now, nodes: allNodes, partitions, policies: allPolicies, pods: allPods, budgets };
}
