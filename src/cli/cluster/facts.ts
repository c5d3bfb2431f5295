import {
  deviceClasses,
  disruptionBudgets,
  namespaces,
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
import type { ClusterState } from '../../core/plan/cluster-state.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import type { PodView } from '../../core/pods/pod-view.ts';
import type { BudgetView } from '../../core/pods/disruption-budget.ts';
import type { NamespaceLabels } from '../../core/supply/pod-demand.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Terminal } from '../terminal.ts';
import { readSnapshot } from '../plan/snapshot-file.ts';
import { connect, type ConnectionOptions, listAll, listAllowed } from './connection.ts';

/** A saved cluster if there is one, else the current one. */
export async function readSavedOrLive(
  options: ConnectionOptions & { readonly snapshot?: readonly string[] },
  terminal: Terminal,
): Promise<ClusterFacts> {
  const { snapshot } = options;
  return snapshot === undefined ? readFacts(connect(options)) : readSnapshot(snapshot, terminal);
}

/** The current cluster; without pods and claims if the user may not list them. */
export async function readFacts(client: KubeClient): Promise<ClusterFacts> {
  const [allNodes, partitions, allPolicies, allPods, budgets, classes, claims, templates, slices] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
    listAllowed<PodView & KubeObject>(client, pods),
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
    namespaces: await readNamespaces(client, allPolicies),
    classes,
    claims,
    templates,
    slices,
  };
}

/** Where a demand says whose pods count; undefined if none does, or the user may not list them. */
async function readNamespaces(
  client: KubeClient,
  written: readonly GpuPartitionPolicy[],
): Promise<NamespaceLabels | undefined> {
  if (!written.some(({ spec }) => spec.demand?.namespaceSelector)) return undefined;
  const found = await listAllowed<KubeObject>(client, namespaces);
  return found && new Map(found.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

/** What a plan of a cluster goes by, all of it. @throws CliError if the user may not read something */
export async function readCluster(client: KubeClient): Promise<ClusterState> {
  const now = Date.now();
  // Pods last: one that the agents saw may have gone by now, and one that is new is not in their reports yet.
  const [allNodes, partitions, allPolicies] = await Promise.all([
    listAll<NodeView & KubeObject>(client, nodes),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
  ]);
  const [allPods, budgets] = await Promise.all([
    listAll<PodView & KubeObject>(client, pods),
    listAll<BudgetView & KubeObject>(client, disruptionBudgets),
  ]);
  return {
    now,
    nodes: allNodes,
    partitions,
    policies: allPolicies,
    pods: allPods,
    budgets,
    namespaces: await readNamespaces(client, allPolicies),
  };
}
