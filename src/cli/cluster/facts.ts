import {
  deviceClasses,
  disruptionBudgets,
  nodePartitions,
  nodes,
  pods,
  policies,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
} from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { NodeSlice } from '../../core/explain/claim-device.ts';
import type { ClaimTemplate, RequestedClaim } from '../../core/explain/claim-request.ts';
import type { DeviceClassView } from '../../core/explain/device-request.ts';
import type { ClusterFacts } from '../../core/explain/cluster-facts.ts';
import type { WorkloadPod } from '../../core/explain/workload.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import type { BudgetView } from '../../core/pods/disruption-budget.ts';
import type { WeighedPod } from '../../core/pods/pod-fate.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Terminal } from '../terminal.ts';
import { readSnapshot, type SavedCluster } from '../plan/snapshot-file.ts';
import { listAll, listAllowed } from './connection.ts';

/** The current cluster; without pods and claims if the user may not list them. */
export async function readFacts(client: KubeClient): Promise<ClusterFacts> {
  const [allNodes, partitions, allPolicies, allPods, budgets, classes, claims, templates, slices] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
    listAllowed<WorkloadPod & WeighedPod & KubeObject>(client, pods),
    listAllowed<BudgetView & KubeObject>(client, disruptionBudgets),
    listAllowed<DeviceClassView & KubeObject>(client, deviceClasses),
    listAllowed<RequestedClaim & KubeObject>(client, resourceClaims),
    listAllowed<ClaimTemplate & KubeObject>(client, resourceClaimTemplates),
    listAllowed<NodeSlice & KubeObject>(client, resourceSlices),
  ]);
  return {
    now: Date.now(),
    nodes: allNodes,
    partitions,
    policies: allPolicies,
    pods: allPods,
    budgets,
    classes,
    claims,
    templates,
    slices,
  };
}

/** A saved cluster, with all that is read of its pods. */
export type SavedFacts = SavedCluster & { readonly pods: readonly (WorkloadPod & WeighedPod)[] };

/** A saved cluster. @param files saved at the same time */
export async function readSavedFacts(files: readonly string[], terminal: Terminal): Promise<SavedFacts> {
  const saved = await readSnapshot(files, Date.now(), terminal);
  return { ...saved, pods: saved.pods as readonly unknown[] as readonly (WorkloadPod & WeighedPod)[] };
}
