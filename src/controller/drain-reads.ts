import { definedOnly } from '../core/text/defined-fields.ts';
import { daemonSets, disruptionBudgets } from '../api/resources.ts';
import type { BudgetView } from '../core/pods/disruption-budget.ts';
import { claimedDaemonSet } from '../core/pods/eviction.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { PodView } from '../core/pods/pod-view.ts';

/** The disruption budgets of these namespaces. */
export async function listBudgets(client: KubeClient, namespaces: readonly string[]): Promise<readonly BudgetView[]> {
  const lists = await Promise.all(
    namespaces.map((namespace) =>
      client.list<BudgetView & KubeObject>(disruptionBudgets, { namespace }, { project: projectBudget }),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

/** UIDs of DaemonSets that pods name as their owners and that do not exist. */
export async function listMissingOwners(client: KubeClient, pods: readonly PodView[]): Promise<ReadonlySet<string>> {
  const claims = new Map(
    pods.flatMap((pod) => {
      const { name, uid = '' } = claimedDaemonSet(pod) ?? {};
      const { namespace = 'default' } = pod.metadata;
      return name === undefined ? [] : [[`${namespace}/${name}/${uid}`, { namespace, name, uid }] as const];
    }),
  );
  const found = await Promise.all(
    [...claims.values()].map(async ({ namespace, name, uid }) => {
      const known = await client.find<KubeObject>({ resource: daemonSets, namespace, name });
      return known?.metadata.uid === uid ? [] : [uid];
    }),
  );
  return new Set(found.flat());
}

/** Anybody may write budgets into a namespace of theirs: one with a longer selector is left to the API server, which enforces it. */
const longestSelector = 4096;

export function projectBudget({ metadata, spec, status }: BudgetView & KubeObject): BudgetView & KubeObject {
  const { name, namespace, generation } = metadata;
  return {
    metadata: definedOnly({ name, namespace, generation }),
    ...(spec && JSON.stringify(spec).length <= longestSelector && { spec }),
    ...(status && { status }),
  };
}
