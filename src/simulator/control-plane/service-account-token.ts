import { ControlPlaneError } from './errors.ts';
import { pickText } from './request.ts';
import type { ApiClient } from './request.ts';

/** The object that a token is bound to; its claims then name the node (for a pod, the pod's node). */
export type BoundObject = { readonly node: string } | { readonly pod: string };

export interface TokenOptions {
  readonly bound?: BoundObject;
  /** At least 600; if absent, the API server's default of one hour. */
  readonly expirationSeconds?: number;
}

/**
 * Requests a token as the kubelet does for a pod's projected volume (TokenRequest).
 *
 * @throws ControlPlaneError `RequestFailed`, for example if the ServiceAccount or the bound object does not exist.
 */
export async function requestToken(
  client: ApiClient,
  namespace: string,
  name: string,
  { bound, expirationSeconds }: TokenOptions,
): Promise<string> {
  const spec = {
    ...(bound !== undefined && { boundObjectRef: await referTo(client, namespace, bound) }),
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const token = pickText(await client.demand({ method: 'POST', path, body }), 'status', 'token');
  if (token === undefined) throw new ControlPlaneError('RequestFailed', `${path} gave no token`);
  return token;
}

async function referTo(client: ApiClient, namespace: string, bound: BoundObject): Promise<object> {
  const [kind, name, path] =
    'node' in bound
      ? ['Node', bound.node, `/api/v1/nodes/${bound.node}`]
      : ['Pod', bound.pod, `/api/v1/namespaces/${namespace}/pods/${bound.pod}`];
  const uid = pickText(await client.demand({ path }), 'metadata', 'uid');
  return { kind, apiVersion: 'v1', name, uid };
}
