import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { describeCause } from './api-error.ts';
import { PooledKubeConfig } from './kubeconfig.ts';

export interface KubeConfigOptions {
  /** Path of a kubeconfig file; takes precedence over everything else. */
  readonly kubeconfig?: string | undefined;
  /** Name of the context to use instead of the current one. */
  readonly context?: string | undefined;
  /** A file with a bearer token, used instead of the user's own credentials and read again once a minute. */
  readonly tokenFile?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

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
  if (cluster === null) throw new KubeConfigError(`context "${config.currentContext}" names an unknown cluster`);
  requireAddress(cluster.name, 'server', cluster.server);
  if (cluster.proxyUrl !== undefined && cluster.proxyUrl !== '') {
    // It may have a password.
    requireAddress(cluster.name, 'proxy-url', cluster.proxyUrl.replace(/\/\/.*@/, '//'));
  }
  if (options.tokenFile !== undefined) {
    requireFile(options.tokenFile, 'token file');
    const user = { name: 'token-file', authProvider: { name: 'tokenFile', config: { tokenFile: options.tokenFile } } };
    config.loadFromClusterAndUser(cluster, user);
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
      config.loadFromFile(file);
    } catch (cause) {
      // Further lines quote the file, which may have tokens.
      const [why = ''] = describeCause(cause).split('\n', 1);
      throw new KubeConfigError(`${file} is not a kubeconfig file: ${why}`, { cause });
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

function requireAddress(cluster: string, field: string, address: string): void {
  if (/^https?:\/\//i.test(address)) return;
  throw new KubeConfigError(`the ${field} ${address} of cluster "${cluster}" must begin with http:// or https://`);
}

function requireFile(file: string, what: string): void {
  if (!existsSync(file)) throw new KubeConfigError(`the ${what} ${file} does not exist or cannot be read`);
}
