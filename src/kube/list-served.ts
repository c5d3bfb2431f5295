import { isNotFound } from './api-error.ts';
import type { KubeClient } from './client.ts';
import type { ListOptions, Selection } from './call-options.ts';
import type { KubeObject, Resource } from './resource.ts';

/** All objects of a kind that the cluster may not have: none then. */
export async function listServed<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[]> {
  return (await findServed<T>(client, resource, selection, options)) ?? [];
}

/** All objects of a kind; undefined if the API server does not serve it. */
export async function findServed<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[] | undefined> {
  try {
    return (await client.list<T>(resource, selection, options)).items;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
