import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { describeCause } from './api-error.ts';
import { type Environment, findEnvironmentProxy } from './environment-proxy.ts';
import { type ImpersonatingUser, PooledKubeConfig } from './kubeconfig.ts';

export interface KubeConfigOptions {
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

/** Of several files, those that exist: kubectl passes over the others. */
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
      // kubectl cares only for what it uses.
      config.loadFromFile(file, { onInvalidEntry: 'filter' });
      const own = readOwnFields(file);
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

function readOwnFields(file: string): ReadonlyMap<string, OwnFields> {
  const content = parse(readFileSync(file, 'utf8'), { logLevel: 'error' }) as Partial<KubeconfigFile> | null;
  const users = Array.isArray(content?.users) ? (content.users as KubeconfigFile['users']) : [];
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

/** With the proxy that the environment names, as for kubectl; the kubeconfig's own comes first. */
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
