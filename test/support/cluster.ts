import { randomBytes } from 'node:crypto';

import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../src/simulator/control-plane/start.ts';
import { borrowCluster, type Use } from './cluster-pool.ts';
import { eventually } from './eventually.ts';

export type { ControlPlane } from '../../src/simulator/control-plane/start.ts';

/** Timeout of a `before` hook that starts a cluster: a cold build of the programs, on a slow machine, and the start. */
export const clusterTimeoutMs = 1_800_000;

/** A cluster for tests that kill the API server or need other options. The caller stops it (`await using`). */
export async function ownCluster(options: Omit<ControlPlaneOptions, 'binaries'> = {}): Promise<ControlPlane> {
  const binaries = await findControlPlane({
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  return startControlPlane({ binaries, ...options });
}

/**
 * Registers the hooks of a suite that shares a cluster with others: `const cluster = useSharedCluster();` in a describe. It has all parts,
 * the audit log, CRDs and RBAC. A test must use names of its own for objects ({@link uniqueName}, {@link createNamespace}).
 */
export function useSharedCluster(): () => ControlPlane {
  return useBorrowedCluster('shared');
}

/** As {@link useSharedCluster}, with nothing of other suites in it. */
export function useClusterAlone(): () => ControlPlane {
  return useBorrowedCluster('alone');
}

function useBorrowedCluster(use: Use): () => ControlPlane {
  let cluster: ControlPlane | undefined;
  before(async function () {
    this.timeout(clusterTimeoutMs);
    cluster = await borrowCluster(use);
  });
  after(async () => cluster?.stop());
  return () => started(cluster);
}

/** Registers the hooks of a suite with its own cluster. */
export function useOwnCluster(options: Omit<ControlPlaneOptions, 'binaries'> = {}): () => ControlPlane {
  let cluster: ControlPlane | undefined;
  before(async function () {
    this.timeout(clusterTimeoutMs);
    cluster = await ownCluster(options);
  });
  after(async () => cluster?.stop());
  return () => started(cluster);
}

/**
 * For suites that need the controllers: default ServiceAccounts, taints, scheduling, disruption budgets.
 *
 * @throws Error that says where to get them, if the user's KUBEBUILDER_ASSETS lacks them
 */
export function requireControllers(cluster: ControlPlane): void {
  const running = cluster.pids();
  const missing = ['kube-controller-manager', 'kube-scheduler'].filter((name) => running[name] === undefined);
  if (missing.length === 0) return;
  throw new Error(
    `This suite needs ${missing.join(' and ')}, which ${cluster.binaries.folder} lacks: put them there (each Kubernetes release ` +
      'offers them for download), or unset KUBEBUILDER_ASSETS to build them with Go.',
  );
}

/** `prefix-1f0c2a9b`: valid as the name of any object. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** Creates a namespace in which pods can be created: its default ServiceAccount exists. */
export async function createNamespace(cluster: ControlPlane, prefix = 'test'): Promise<string> {
  const name = uniqueName(prefix);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await cluster.client.demand({ method: 'POST', path: '/api/v1/namespaces', body });
  if (cluster.binaries.kubeControllerManager !== undefined) {
    const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(
      async () => (await cluster.client.send({ path })).status,
      (status) => status === 200,
      { what: `the default ServiceAccount of ${name}` },
    );
  }
  return name;
}

/** A client of our own, as the administrator if no token is given. */
export async function createKubeClient(
  cluster: ControlPlane,
  { token, fieldManager = 'test' }: { readonly token?: string; readonly fieldManager?: string } = {},
): Promise<KubeClient> {
  const kubeconfig = await cluster.kubeconfigFile(token === undefined ? {} : { token });
  return new KubeClient(loadKubeConfig({ kubeconfig }), fieldManager);
}

function started(cluster: ControlPlane | undefined): ControlPlane {
  if (cluster === undefined) throw new Error('the cluster is there only within tests and hooks of the suite');
  return cluster;
}
