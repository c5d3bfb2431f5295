import { listVersions } from './served.ts';
import { projectWorkload } from '../core/projection/project-workload.ts';
import type {
  ClusterQueue,
  KueueFacts,
  KueueReading,
  KueueWorkload,
  LocalQueue,
  ResourceFlavor,
} from '../core/supply/kueue.ts';
import { ApiError, isNotFound } from './api-error.ts';
import type { KubeClient } from './client.ts';
import type { KubeObject } from './resource.ts';

/** Those whose fields are known here, the newest first. */
const knownVersions = ['v1beta2', 'v1beta1'];

/** @throws ApiError for what may pass */
export async function readKueue(client: KubeClient): Promise<KueueReading> {
  try {
    const served = await listVersions(client, 'kueue.x-k8s.io');
    if (served.length === 0)
      return { trouble: 'this cluster has no Kueue: the API server does not serve kueue.x-k8s.io' };
    const version = knownVersions.find((one) => served.includes(one));
    if (version === undefined)
      return { trouble: `Kueue serves ${served.join(', ')}, and this release reads ${knownVersions.join(' and ')}` };
    return await listAll(client, version);
  } catch (error) {
    // 500: Kueue itself converts objects of another version, and does not answer.
    if (isNotFound(error) || (error instanceof ApiError && [403, 500].includes(error.code)))
      return { trouble: `the objects of Kueue cannot be read: ${error.message}` };
    throw error;
  }
}

async function listAll(client: KubeClient, version: string): Promise<KueueFacts> {
  const list = async <T>(
    plural: string,
    kind: string,
    project?: (object: never) => KubeObject,
  ): Promise<readonly T[]> => {
    const resource = { group: 'kueue.x-k8s.io', version, plural, kind };
    const { items } = await client.list<T & KubeObject>(resource, {}, { ...(project && { project }) });
    return items;
  };
  const [workloads, localQueues, clusterQueues, flavors] = await Promise.all([
    // Of those that have ended, Kueue may keep many.
    list<KueueWorkload>('workloads', 'Workload', projectWorkload),
    list<LocalQueue>('localqueues', 'LocalQueue'),
    list<ClusterQueue>('clusterqueues', 'ClusterQueue'),
    list<ResourceFlavor>('resourceflavors', 'ResourceFlavor'),
  ]);
  return { workloads, localQueues, clusterQueues, flavors };
}
