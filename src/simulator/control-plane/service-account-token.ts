import { ControlPlaneError } from './errors.ts';
import { pickText } from './request.ts';
import type { ApiClient } from './request.ts';

export interface TokenOptions {
  /** The Node that the token is bound to: its claims then name it. */
  readonly bound?: { readonly node: string };
  /** At least 600; if absent, the API server's default of one hour. */
  readonly expirationSeconds?: number;
}

/**
 * Requests a token as the kubelet does for a pod's projected volume (TokenRequest).
 *
 * @throws ControlPlaneError `RequestFailed`, for example if the ServiceAccount or the Node does not exist.
 */
export async function requestToken(
  client: ApiClient,
  namespace: string,
  name: string,
  { bound, expirationSeconds }: TokenOptions,
): Promise<string> {
  const spec = {
    ...(bound !== undefined && { boundObjectRef: await referTo(client, bound.node) }),
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const token = pickText(await client.demand({ method: 'POST', path, body }), 'status', 'token');
  if (token === undefined) throw new ControlPlaneError('RequestFailed', `${path} gave no token`);
  return token;
}

async function referTo(client: ApiClient, node: string): Promise<object> {
  const uid = pickText(await client.demand({ path: `/api/v1/nodes/${node}` }), 'metadata', 'uid');
  return { kind: 'Node', apiVersion: 'v1', name: node, uid };
}
