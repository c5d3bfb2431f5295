import type { ControlPlane } from '../support/cluster.ts';

export interface Attempt {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** `merge` unless told; of a PATCH. */
  readonly patch?: 'merge' | 'json' | 'apply' | 'strategic';
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** Tries a request with somebody's token. @returns empty where it was allowed, else the words of the refusal */
export async function attempt(cluster: ControlPlane, token: string, wish: Attempt): Promise<string> {
  const { method = wish.body === undefined ? 'GET' : 'PATCH', path, body, patch = 'merge' } = wish;
  const contentType = method === 'PATCH' ? { contentType: patchTypes[patch] } : {};
  const answer = await cluster.client.send({
    method,
    path,
    token,
    ...(body === undefined ? {} : { body }),
    ...contentType,
  });
  if (answer.status >= 200 && answer.status < 300) return '';
  const { message } = answer.body as { readonly message?: string };
  return `${answer.status} ${message ?? String(answer.body)}`;
}
