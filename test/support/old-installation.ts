import { readFile } from 'node:fs/promises';
import { parseAllDocuments, stringify } from 'yaml';
import type { ControlPlane } from './cluster.ts';
import { eventually } from './eventually.ts';

const folder = 'test/fixtures/install-0.1.0';
const partitions = '/apis/gpupartition.dev/v1alpha1/gpunodepartitions';
const policies = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';

interface OldObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
  readonly status: Readonly<Record<string, unknown>>;
}

interface OldObjects {
  readonly policy: OldObject;
  readonly partition: OldObject;
  readonly node: object;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Removes everything that the manifests created, except the accounts and their namespaces: running programs use their tokens.
 * @param text manifests as YAML
 */
export async function removeManifests(cluster: ControlPlane, text: string): Promise<void> {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  const going = objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'ServiceAccount');
  await demand(
    cluster,
    ['delete', '--ignore-not-found', '--wait', '-f', '-'],
    going.map((one) => stringify(one)).join('---\n'),
  );
}

/** Installs the manifests of 0.1.0, and what its programs left in the API for one node. */
export async function installOld(
  cluster: ControlPlane,
  node: { readonly uid: string; readonly bootId: string },
): Promise<void> {
  await demand(cluster, ['apply', '-f', `${folder}/manifests.yaml`]);
  await eventually(async () => Promise.all([policies, partitions].map((path) => cluster.client.demand({ path }))));
  const text = await readFile(`${folder}/objects.json`, 'utf8');
  const filled = text.replaceAll('NODE_UID', node.uid).replaceAll('BOOT_ID', node.bootId);
  const { policy, partition, node: marks } = JSON.parse(filled) as OldObjects;
  const { status: _ours, ...written } = policy;
  await demand(cluster, ['apply', '-f', '-'], JSON.stringify(written));
  await applyStatus(cluster, policies, policy, policy.status, 'gpu-partition-controller');
  const body = { ...partition, status: undefined };
  await cluster.client.demand({ method: 'POST', path: `${partitions}?fieldManager=gpu-partition-controller`, body });
  const { device, ...rest } = partition.status;
  await applyStatus(cluster, partitions, partition, rest, 'gpu-partition-controller');
  await applyStatus(cluster, partitions, partition, { device }, 'gpu-partition-agent');
  const path = `/api/v1/nodes/${partition.metadata.name}?fieldManager=gpu-partition-controller`;
  await cluster.client.demand({ method: 'PATCH', path, body: marks, contentType: 'application/merge-patch+json' });
}

async function applyStatus(
  cluster: ControlPlane,
  collection: string,
  { apiVersion, kind, metadata: { name } }: OldObject,
  status: object,
  fieldManager: string,
): Promise<void> {
  await cluster.client.demand({
    method: 'PATCH',
    path: `${collection}/${name}/status?fieldManager=${fieldManager}`,
    body: { apiVersion, kind, metadata: { name }, status },
    contentType: 'application/apply-patch+yaml',
  });
}

async function demand(cluster: ControlPlane, args: readonly string[], input?: string): Promise<void> {
  const { code, stdout, stderr } = await cluster.kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr || stdout}`);
}
