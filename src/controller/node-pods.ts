import { pods } from '../api/resources.ts';
import type { ClientPodView } from '../core/pods/holder-pods.ts';
import type { PluginSetup } from '../core/nvidia/plugin-config/plugin-settings.ts';
import type { OwnerPodView } from '../core/owners/owner-pod.ts';
import type { PluginPodView } from '../core/pods/plugin-pods.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';

/** A pod as far as anything here looks at it. */
export type NodePod = KubeObject & OwnerPodView & ClientPodView & PluginPodView & PluginSetup;

/** The pods of one node, afresh and not from a cache. */
export async function listNodePods(client: KubeClient, node: string): Promise<readonly NodePod[]> {
  const { items } = await client.list<NodePod>(pods, { fieldSelector: `spec.nodeName=${node}` });
  return items;
}
