import { ApiError, isNotFound } from './api-error.ts';
import type { KubeClient } from './client.ts';
import type { Resource } from './resource.ts';

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

/**
 * Asks the API server for the kind of a resource.
 * @throws ApiError; NotFound when it has no such resource, which for ours means that its CRD is not installed.
 */
export async function discoverResource(
  client: KubeClient,
  group: string,
  version: string,
  plural: string,
): Promise<Resource> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  // The server's own answer, in its fixed format.
  const list = (await client.request({ method: 'GET', path })) as ResourceList;
  const found = list.resources.find(({ name }) => name === plural);
  if (found === undefined) {
    const text = `the API server has no ${plural}: is the CustomResourceDefinition ${plural}.${group} installed?`;
    throw new ApiError({ request: `GET ${path}`, code: 404, reason: 'NotFound', text });
  }
  return { group, version, plural, kind: found.kind };
}

interface GroupVersions {
  readonly versions: readonly { readonly version: string }[];
}

/** The versions in which the API server serves a group; none if it does not serve it. */
export async function listVersions(client: KubeClient, group: string): Promise<readonly string[]> {
  try {
    const found = (await client.request({ method: 'GET', path: `/apis/${group}` })) as GroupVersions;
    return found.versions.map(({ version }) => version);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
