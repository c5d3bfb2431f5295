import { pods } from '../api/resources.ts';
import { ApiError, isConflict, isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { type KubeObject, refOf } from '../kube/resource.ts';

/**
 * Evicts a pod, which respects its disruption budget; a pod is never deleted.
 *
 * @returns the API server's refusal and the pod that it is about; undefined where the pod goes or is gone
 */
export async function evictPod(client: KubeClient, pod: KubeObject): Promise<string | undefined> {
  const { name, namespace = 'default', uid } = pod.metadata;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    // A new pod of the same name is not the one that was looked at.
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await client.createSubresource(refOf(pods, pod, 'eviction'), body);
    return undefined;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    if (!(error instanceof ApiError) || error.code === 0) throw error;
    // A disruption budget is named in the causes alone.
    const causes = (error.details?.causes ?? []).flatMap(({ message }) => message ?? []);
    return `${namespace}/${name}: ${[error.message, ...causes].join(' ')}`;
  }
}
