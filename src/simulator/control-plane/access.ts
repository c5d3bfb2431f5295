import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { ControlPlaneError } from './run.ts';

/**
 * Users with a fixed token for the API server. All are administrators, as the programs that they stand for effectively
 * are; separate names let the audit log tell them apart.
 */
const users = {
  admin: 'admin',
  controllerManager: 'system:kube-controller-manager',
  scheduler: 'system:kube-scheduler',
  kubelet: 'simulated-kubelet',
} as const;

export type Identity = keyof typeof users;

export type Identities = Awaited<ReturnType<typeof createIdentities>>;

export async function createIdentities(folder: string) {
  const tokens: Record<Identity, string> = {
    admin: newToken(),
    controllerManager: newToken(),
    scheduler: newToken(),
    kubelet: newToken(),
  };
  // An elliptic-curve key takes a millisecond to generate, an RSA key up to a second.
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const files = {
    tokenFile: join(folder, 'tokens.csv'),
    serviceAccountKey: join(folder, 'service-account.key'),
    serviceAccountPublicKey: join(folder, 'service-account.pub'),
  };
  const lines = (Object.keys(users) as Identity[]).map(
    (one) => `${tokens[one]},${users[one]},${users[one]},"system:masters"\n`,
  );
  await Promise.all([
    writeSecret(files.tokenFile, lines.join('')),
    writeSecret(files.serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' })),
    writeSecret(files.serviceAccountPublicKey, publicKey.export({ type: 'spki', format: 'pem' })),
  ]);
  return { tokens, ...files };
}

export async function writeSecret(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
}

function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** A kubeconfig file as JSON, which is also YAML. It embeds the certificate, so that the file is self-contained. */
export function formatKubeconfig(about: {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}): string {
  const cluster = { server: about.server, 'certificate-authority-data': Buffer.from(about.ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'local', user: { token: about.token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'local' } }],
    'current-context': 'local',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

interface ControlPlaneRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query: `/api/v1/nodes?limit=1`. */
  readonly path: string;
  readonly body?: unknown;
  /** Content type of the body; JSON if absent. A PATCH needs one of the API's patch types. */
  readonly contentType?: string;
  readonly token?: string;
}

/** `body` is the parsed JSON, or the text if it is not JSON. */
interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Raw calls to one API server: no retries, and every status is a response. */
export interface ApiClient {
  send(call: ControlPlaneRequest): Promise<ApiResponse>;
  /** Sends a call like `send`, for the body of a successful response. @throws ControlPlaneError `RequestFailed` unless it is 2xx. */
  demand(call: ControlPlaneRequest): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens one connection pool, with HTTP/1.1, since a dead HTTP/2 connection goes unnoticed for a minute. */
export function createApiClient(server: string, ca: string, token: string): ApiClient {
  const agent = new Agent({ allowH2: false, connect: { ca }, keepAliveTimeout: 10_000 });
  const send = async (call: ControlPlaneRequest): Promise<ApiResponse> => {
    const answer = await request(`${server}${call.path}`, {
      method: call.method ?? 'GET',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${call.token ?? token}`,
        ...(call.body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    });
    return { status: answer.statusCode, body: parseBody(await answer.body.text()) };
  };
  return {
    send,
    demand: async (call) => {
      const { status, body } = await send(call);
      if (status >= 200 && status < 300) return body;
      const what = `${call.method ?? 'GET'} ${call.path}`;
      throw new ControlPlaneError('RequestFailed', `${what} was answered ${status}: ${JSON.stringify(body)}`);
    },
    close: () => agent.destroy(),
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Follows a path of names into parsed JSON; undefined if it does not exist. */
export function pick(body: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return Object.entries(at).find(([key]) => key === name)?.[1];
  }, body);
}

export function pickText(body: unknown, ...path: readonly string[]): string | undefined {
  const found = pick(body, ...path);
  return typeof found === 'string' ? found : undefined;
}

export interface TokenOptions {
  /** The Node that the token is bound to: its claims then name it. */
  readonly bound?: { readonly node: string };
  /** Seconds until the token expires, at least 600; if absent, the API server's default of one hour. */
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
