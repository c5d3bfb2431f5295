import { ifNotFound } from './api-error.ts';
import type { ListOptions, Selection } from './call-options.ts';
import type { KubeClient } from './client.ts';
import type { KubeObject, Resource } from './resource.ts';

interface GroupVersions {
  readonly versions: readonly { readonly version: string }[];
}

/** The versions in which the API server serves a group; none if it does not serve it. */
export async function listVersions(client: KubeClient, group: string): Promise<readonly string[]> {
  const found = await client.request({ method: 'GET', path: `/apis/${group}` }).catch(ifNotFound({ versions: [] }));
  return (found as GroupVersions).versions.map(({ version }) => version);
}

/** All objects of a kind that the cluster may not have: none then. */
export async function listServed<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[]> {
  return (await client.list<T>(resource, selection, options).catch(ifNotFound({ items: [] }))).items;
}
