import { isNotFound } from './api-error.ts';
import type { KubeClient } from './client.ts';

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
