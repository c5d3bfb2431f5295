import { KubeConfig } from '@kubernetes/client-node';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject, ObjectRef, Resource } from '../../src/kube/watch.ts';
import type { Term } from '../../src/kube/election.ts';
import { uniqueName, type ControlPlane } from '../support/cluster.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };

export interface ConnectOptions {
  /** A proxy's address instead of the cluster's own. */
  readonly server?: string;
  readonly token?: string;
  readonly fieldManager?: string;
  readonly term?: Term;
}

/** Connects to a cluster as its administrator, or as the bearer of a token. */
export function connect(cluster: ControlPlane, options: ConnectOptions = {}): KubeClient {
  const { server = cluster.server, token = cluster.adminToken, fieldManager = 'test', term } = options;
  return new KubeClient(new PooledKubeConfig(() => configFor(cluster, server, token)), fieldManager, term);
}

function configFor(cluster: ControlPlane, server: string, token: string): KubeConfig {
  const config = new KubeConfig();
  const isPlain = server.startsWith('http:');
  config.loadFromClusterAndUser(
    { name: 'test', server, skipTLSVerify: isPlain, ...(isPlain ? {} : { caFile: cluster.caFile }) },
    { name: 'test', token },
  );
  return config;
}

/** A ConfigMap to be created. */
export function aConfigMap(namespace: string, name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  return { metadata: { namespace, name }, data };
}

export function configMapRef(namespace: string, name: string): ObjectRef {
  return { resource: configMaps, namespace, name };
}

/** Makes a namespace for ConfigMaps. Unlike `createNamespace` it does not wait until pods can be made in it. */
export async function makeNamespace(client: KubeClient): Promise<string> {
  const resource: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace' };
  const { metadata } = await client.create(resource, { metadata: { name: uniqueName('kube') } });
  return metadata.name;
}
