import { stringify } from 'yaml';
import type { ClusterState } from '../../src/core/plan/change.ts';

/** A cluster as `kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml` prints it: one List, what nobody here reads left out. */
export function listOf({ nodes, partitions, policies, pods, budgets, namespaces = new Map() }: ClusterState): object {
  const items = [
    ...nodes.map((node) => ({ apiVersion: 'v1', kind: 'Node', ...node })),
    ...partitions,
    ...policies,
    ...pods.map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod })),
    ...[...namespaces].map(([name, labels]) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })),
    ...budgets.map((budget) => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...budget })),
  ];
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}

export function snapshotYaml(cluster: ClusterState): string {
  return stringify(listOf(cluster), { aliasDuplicateObjects: false });
}
