import { BlockList, isIP } from 'node:net';
import { omitUndefined } from '../core/text/json.ts';
import type { RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { KubeConfig, type RequestContext, type User, type Cluster } from '@kubernetes/client-node';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { ServerClock } from './request.ts';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { describeCause } from './api-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as kubectl and every Go program read them
 * (golang.org/x/net/http/httpproxy): `NO_PROXY` also takes ranges such as `10.0.0.0/8`, and this machine needs no proxy.
 */
export function findEnvironmentProxy(server: string, env: Environment): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(env, name);
  if (proxy === '') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  const isDirect =
    host === 'localhost' ||
    isLoopback(host) ||
    read(env, 'NO_PROXY')
      .split(',')
      .some((entry) => matches(entry.trim().toLowerCase(), host, port || (protocol === 'https:' ? '443' : '80')));
  if (isDirect) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function read(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `*`, a range, an address, or a domain with its subdomains (`.a.b` and `*.a.b`: the subdomains alone); each but a range with or without a port. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  if (entry.includes('/')) return isInRange(entry, host);
  const { groups } = /^\[?(?<name>.*?)\]?(?::(?<port>\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? {};
  const name = (groups?.['name'] ?? '').replace(/^\*(?=\.)/, '');
  if (groups?.['port'] !== undefined && groups['port'] !== port) return false;
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isInRange(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(host);
  if (family === 0 || family !== isIP(network) || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(bits), type);
  return ranges.check(host, type);
}

/** Everything that one request needs to reach the API server with our identity. */
export interface Credentials {
  /** Base URL without a trailing slash. */
  readonly server: string;
  readonly headers: Headers;
  readonly dispatcher: Dispatcher;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** A user with headers that say for whom they act, beside `as`, which client-node knows. */
type ImpersonatingUser = User & { readonly impersonation?: Headers };

type TlsOptions = RequestOptions & { readonly servername?: string };
type Tls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
interface Pool {
  readonly key: string;
  readonly dispatcher: Agent | ProxyAgent;
}

/**
 * A KubeConfig that reuses its connections. The stock one makes a TLS connection for each request
 * (client-node 2.0.1, `createDispatcher`), which costs 5 to 7 times the CPU.
 */
export class PooledKubeConfig extends KubeConfig {
  /** Compares this machine's clock with the API server's. */
  readonly serverClock = new ServerClock();
  readonly #load: (() => KubeConfig) | undefined;
  #source: KubeConfig | undefined;
  #pool: Pool | undefined;

  /** @param load reads the configuration again; without it, `reload` only forgets cached tokens. */
  constructor(load?: () => KubeConfig) {
    super();
    this.#load = load;
    if (load !== undefined) this.#adopt(load());
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    const { headers, dispatcher } = await this.credentials();
    for (const [name, value] of Object.entries(headers)) context.setHeaderParam(name, String(value));
    context.setDispatcher(dispatcher);
  }

  /**
   * Current headers and connections for a request. Certificate files are read each time and a token file once a minute,
   * so that a rotation is noticed without a restart.
   */
  async credentials(): Promise<Credentials> {
    const cluster = this.getCurrentCluster();
    if (cluster === null) throw new Error('the kubeconfig has no current cluster: set current-context');
    const user: ImpersonatingUser | null = this.getCurrentUser();
    const options: TlsOptions = {};
    await (this.#source ?? this).applyToHTTPSOptions(options);
    return {
      server: cluster.server.replace(/\/+$/, ''),
      headers: { ...headersOf(options), ...user?.impersonation },
      dispatcher: this.#connect(options),
    };
  }

  /**
   * Reads the configuration again and forgets cached tokens: call it after a 401. If the configuration cannot be read
   * (it is just being written), the old one stays.
   */
  reload(): void {
    try {
      this.#adopt(this.#load?.() ?? copyOf(this));
    } catch {
      // The next 401 tries again.
    }
  }

  /**
   * Makes later requests use new connections: call it when one went silent, since the others to the same server are
   * then dead too. Requests in flight are left to their own time limits.
   */
  renewConnections(): void {
    const pool = this.#pool;
    this.#pool = undefined;
    void pool?.dispatcher.close().catch(() => undefined);
  }

  /** Closes the connections, including those in use. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.dispatcher.destroy();
  }

  #adopt(source: KubeConfig): void {
    this.loadFromOptions(copyOf(source));
    this.#source = source;
  }

  #connect(options: TlsOptions): Dispatcher {
    const key = [options.ca, options.cert, options.key, options.rejectUnauthorized, options.servername]
      .map(String)
      .join('\0');
    if (this.#pool?.key === key) return this.#pool.dispatcher;
    // Requests in flight end on the old connections; new ones must not use the old certificates.
    this.renewConnections();
    this.#pool = { key, dispatcher: createDispatcher(tlsOf(options), this.getCurrentCluster()?.proxyUrl) };
    return this.#pool.dispatcher;
  }
}

function createDispatcher(tls: Tls, proxyUrl: string | undefined): Agent | ProxyAgent {
  // HTTP/2 is off: aborting a watch would only reset its stream, and the next request would go to the same dead
  // connection and hang (measured with undici 8). bodyTimeout is off: a quiet watch is not an error, and the callers
  // have their own limits.
  const common = { allowH2: false, bodyTimeout: 0, keepAliveTimeout: 30_000 };
  const connect = { ...tls, timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000, allowH2: false };
  if (proxyUrl === undefined || proxyUrl === '') return new Agent({ ...common, connect });
  return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connect });
}

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: TlsOptions): Tls {
  return omitUndefined({ ca, cert, key, rejectUnauthorized, servername });
}

function copyOf(config: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({
    clusters: config.clusters,
    users: config.users,
    contexts: config.contexts,
    currentContext: config.currentContext,
  });
  return copy;
}

function headersOf(options: TlsOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim();
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  return headers;
}

interface KubeConfigOptions {
  /** Path of a kubeconfig file; takes precedence over everything else. */
  readonly kubeconfig?: string | undefined;
  /** Name of the context to use instead of the current one. */
  readonly context?: string | undefined;
  /** A file with a bearer token, used instead of the user's own credentials and read again once a minute. */
  readonly tokenFile?: string | undefined;
}

/** What we read of a kubeconfig ourselves: client-node does not know these fields of a user. */
interface OwnFields {
  readonly tokenFile?: string;
  readonly 'as-groups'?: string[] | null;
  readonly 'as-uid'?: string;
  readonly 'as-user-extra'?: Readonly<Record<string, string[]>> | null;
}

interface KubeconfigFile {
  readonly users: readonly ({ readonly name: string; readonly user?: OwnFields } | null)[];
}

/** `exec` of a user in a kubeconfig, which client-node does not describe. */
interface PluginConfig {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly provideClusterInfo?: boolean;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
}

/** No usable configuration was found. The message says where it was searched for, and what to do. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';
  readonly code = 'KUBECONFIG_UNUSABLE';
}

const inClusterTokenFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * Finds the cluster: the given file, else `$KUBECONFIG`, else the pod's service account, else `~/.kube/config`.
 * A pod's account comes before the home directory's file, as in client-go: images often have a home.
 * @throws KubeConfigError when nothing is found or it names no usable cluster.
 */
export function loadKubeConfig(options: KubeConfigOptions = {}, env: Environment = process.env): PooledKubeConfig {
  return new PooledKubeConfig(() => readKubeConfig(options, env));
}

function readKubeConfig(options: KubeConfigOptions, env: Environment): KubeConfig {
  const config = readSource(options, env);
  if (options.context !== undefined) config.setCurrentContext(options.context);
  if (config.getContextObject(config.currentContext) === null) {
    const known = config.contexts.map((context) => context.name).join(', ');
    throw new KubeConfigError(
      config.currentContext
        ? `unknown context "${config.currentContext}"; known: ${known}`
        : `no current context is set; known: ${known}. Choose one with --context, or kubectl config use-context`,
    );
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(`context "${config.currentContext}" names an unknown cluster, or one without a server`);
  requireAddress(cluster.name, 'server', cluster.server);
  const reached = reachable(cluster, env);
  if (reached.proxyUrl) {
    const field = cluster.proxyUrl ? 'proxy-url' : 'proxy of the environment';
    // It may have a password.
    requireAddress(cluster.name, field, reached.proxyUrl.replace(/\/\/.*@/, '//'));
  }
  config.users = config.users.map((user) => withExecInfo(user, cluster));
  config.clusters = config.clusters.map((one) => (one === cluster ? reached : one));
  if (options.tokenFile !== undefined) {
    requireFile(options.tokenFile, 'token file');
    config.loadFromClusterAndUser(reached, withTokenFile({ name: 'token-file' }, options.tokenFile));
  }
  return config;
}

function readSource({ kubeconfig }: KubeConfigOptions, env: Environment): KubeConfig {
  if (kubeconfig !== undefined) return readFiles([kubeconfig]);
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return readFiles(existing(listed));
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined && existsSync(inClusterTokenFile)) {
    const config = new KubeConfig();
    config.loadFromCluster();
    return config;
  }
  const home = join(env['HOME'] ?? '', '.kube', 'config');
  if (existsSync(home)) return readFiles([home]);
  throw new KubeConfigError(
    `no cluster is configured: not in a pod, $KUBECONFIG is not set and ${home} does not exist; use --kubeconfig`,
  );
}

/** Picks the files that exist: kubectl passes over the others. */
function existing(files: readonly string[]): readonly string[] {
  const found = files.filter((file) => existsSync(file));
  if (found.length === 0)
    throw new KubeConfigError(`none of the kubeconfig files in $KUBECONFIG exists: ${files.join(', ')}`);
  return found;
}

/** Merges files as kubectl does: the first that names a thing wins. */
function readFiles(files: readonly string[]): KubeConfig {
  const merged = new KubeConfig();
  for (const file of files) {
    requireFile(file, 'kubeconfig');
    const config = new KubeConfig();
    try {
      const content: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'error', merge: true });
      // As JSON, which is YAML: one reader for what client-node reads and for our own fields. kubectl cares only for what it uses.
      config.loadFromString(JSON.stringify(content), { onInvalidEntry: 'filter' });
      config.makePathsAbsolute(dirname(file));
      const own = readOwnFields(content);
      config.users = config.users.map((user) => withOwnFields(user, own.get(user.name) ?? {}, dirname(file)));
    } catch (cause) {
      // Without its other lines, which quote the file and its tokens, and without the cause, which a program would log.
      const [why = ''] = describeCause(cause).split('\n', 1);
      throw new KubeConfigError(`${file} is not a kubeconfig file: ${why}`);
    }
    merged.currentContext ||= config.currentContext;
    merged.clusters.push(...config.clusters.filter(({ name }) => merged.getCluster(name) === null));
    merged.users.push(...config.users.filter(({ name }) => merged.getUser(name) === null));
    merged.contexts.push(...config.contexts.filter(({ name }) => merged.getContextObject(name) === null));
  }
  // Other YAML and JSON is read as a kubeconfig without anything.
  if (merged.contexts.length === 0)
    throw new KubeConfigError(`${files.join(', ')}: no context is in it; is it a kubeconfig?`);
  return merged;
}

function readOwnFields(content: unknown): ReadonlyMap<string, OwnFields> {
  const { users: given } = (content ?? {}) as Partial<KubeconfigFile>;
  const users = Array.isArray(given) ? (given as KubeconfigFile['users']) : [];
  return new Map(users.flatMap((one) => (one?.user ? [[one.name, one.user]] : [])));
}

/** Paths are relative to the kubeconfig, but a plain command is looked for in `PATH`. */
function withOwnFields(user: User, own: OwnFields, folder: string): ImpersonatingUser {
  const exec = user.exec as PluginConfig | null | undefined;
  const { command } = exec ?? {};
  const impersonation = {
    ...(own['as-groups'] && { 'impersonate-group': own['as-groups'] }),
    ...(own['as-uid'] && { 'impersonate-uid': own['as-uid'] }),
    ...Object.fromEntries(
      Object.entries(own['as-user-extra'] ?? {}).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
        values,
      ]),
    ),
  };
  return {
    ...withTokenFile(user, own.tokenFile && resolve(folder, own.tokenFile)),
    ...(command?.includes('/') === true && { exec: { ...exec, command: resolve(folder, command) } }),
    impersonation,
  };
}

/** Adds to a cluster the proxy that the environment names, as kubectl does; the kubeconfig's own comes first. */
function reachable(cluster: Cluster, env: Environment): Cluster {
  const { server } = cluster;
  const proxyUrl = cluster.proxyUrl || findEnvironmentProxy(server, env);
  return {
    ...cluster,
    ...(proxyUrl !== undefined && { proxyUrl }),
    // client-node refuses plain HTTP (`kubectl proxy`) where TLS is to be verified, and there is none to be.
    ...(/^http:/i.test(server) && { skipTLSVerify: true }),
  };
}

function withTokenFile(user: User, tokenFile: string | undefined): User {
  if (!tokenFile) return user;
  const { token: _token, ...rest } = user;
  return { ...rest, authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

/** Tells a credential plugin what client-go tells it, and client-node does not: some refuse to work without it. */
function withExecInfo(user: User, cluster: Cluster): User {
  const exec = user.exec as PluginConfig | null | undefined;
  if (!exec) return user;
  const known = {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'certificate-authority-data': cluster.caData,
    'proxy-url': cluster.proxyUrl,
  };
  const spec = { interactive: false, ...(exec.provideClusterInfo === true && { cluster: known }) };
  const value = JSON.stringify({ apiVersion: exec.apiVersion, kind: 'ExecCredential', spec });
  return { ...user, exec: { ...exec, env: [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value }] } };
}

function requireAddress(cluster: string, field: string, address: string): void {
  if (/^https?:\/\//i.test(address)) return;
  throw new KubeConfigError(`the ${field} ${address} of cluster "${cluster}" must begin with http:// or https://`);
}

function requireFile(file: string, what: string): void {
  if (!existsSync(file)) throw new KubeConfigError(`the ${what} ${file} does not exist or cannot be read`);
}

/**
 * Hides the kubeconfig that client-node's `loadFromDefault` would find, until the returned function is called. The
 * Operator's constructor always loads it, and throws on a `$KUBECONFIG` that names a missing file or on a `~/.kube/config`
 * without a current context, even if the user gave another file. If it finds nothing, it falls back to a cluster that
 * nobody ever calls. Do not await anything between the two calls.
 */
export function hideDefaultConfig(): () => void {
  const { KUBECONFIG, HOME } = process.env;
  delete process.env['KUBECONFIG'];
  process.env['HOME'] = '/nonexistent';
  return () => {
    restore('KUBECONFIG', KUBECONFIG);
    restore('HOME', HOME);
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
