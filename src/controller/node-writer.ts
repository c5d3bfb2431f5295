import { nodes } from '../api/resources.ts';
import { patchNode, type NodeChange, type NodeMetadata } from '../core/metadata/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import { type NodeObject, stripNode } from './cluster-objects.ts';

/**
 * Changes labels, annotations and taints of a node in one write, or none if nothing has to change.
 * @returns the version after the write; undefined if nothing had to change
 * @throws ApiError 422 where somebody else changed the taints meanwhile; the caller tries again on a newer node
 */
export async function changeNode(
  client: KubeClient,
  node: NodeObject,
  change: NodeChange,
): Promise<string | undefined> {
  const patch = patchNode(metadataOf(node), change);
  if (patch.length === 0) return undefined;
  const written = await client.patch({ resource: nodes, name: node.metadata.name }, patch, { metadataOnly: true });
  return written.metadata.resourceVersion;
}

/** The node as the API server has it now, for where the watch may be behind. */
export async function readNode(client: KubeClient, name: string): Promise<NodeObject> {
  return stripNode(await client.get<NodeObject>({ resource: nodes, name }));
}

export function metadataOf(node: NodeObject): NodeMetadata {
  return {
    labels: node.metadata.labels ?? {},
    annotations: node.metadata.annotations ?? {},
    taints: node.spec?.taints ?? [],
  };
}
