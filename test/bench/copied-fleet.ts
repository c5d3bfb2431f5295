import { nodePartitions, policies } from '../../src/api/resources.ts';
import { collectionPath, type KubeObject } from '../../src/kube/watch.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { askEtcd } from '../support/etcd.ts';
import { agentPod } from './fleet/daemon-pods.ts';
import { fleetLayout, fleetNode, fleetPartition, fleetPolicy, fleetReport } from './fleet-objects.ts';
import { inLanes } from './lanes.ts';

/** Names of the same length as all others: in a copy nothing moves, whatever the encoding. */
const modelId = '9'.repeat(12);
const model = `fleet-${modelId}`;
/** One object of the model node, as etcd has it. */
interface StoredObject {
  readonly key: string;
  /** Read as Latin-1: a character is a byte. */
  readonly bytes: string;
  readonly uid: string;
}

/** Makes the model node with its partition, report and agent, and the policy that it is in line with but for labels and statuses. */
export async function makeModelNode({ client }: ControlPlane): Promise<void> {
  const post = (path: string, body: unknown) => client.demand({ method: 'POST', path, body });
  const patchStatus = (path: string, status: object) =>
    client.demand({
      method: 'PATCH',
      path: `${path}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });
  const partitions = collectionPath(nodePartitions);
  const { metadata } = (await post('/api/v1/nodes', fleetNode(model))) as KubeObject;
  await post(partitions, fleetPartition(model, metadata.uid ?? ''));
  await patchStatus(`${partitions}/${model}`, { device: fleetReport(model) });
  const pod = agentPod(model);
  const pods = `/api/v1/namespaces/${pod.metadata.namespace}/pods`;
  await post(pods, pod);
  await patchStatus(`${pods}/${pod.metadata.name}`, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  await post(collectionPath(policies), fleetPolicy(fleetLayout));
}

/**
 * Copies the model node, as the controller has left it, from and to etcd: through the API server 10,000 nodes would take an hour. The
 * objects are what the API server has stored, managed fields included; only names, ids and uids differ. A transaction writes one object
 * of a kind: those of one revision may be apart in a list of the API server, and a watch that follows it never brings the rest.
 *
 * @param from number of copies that are there already
 */
export async function copyModelNode(controlPlane: ControlPlane, from: number, to: number): Promise<void> {
  const stored = await readModel(controlPlane);
  const uids = stored.map(({ uid }) => uid);
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  await inLanes(numbers, async (number) => {
    const id = String(number).padStart(modelId.length, '0');
    const success = stored.map((object) => ({ requestPut: copyOf(object, uids, id) }));
    await askEtcd(controlPlane, 'txn', { success });
  });
}

async function readModel(controlPlane: ControlPlane): Promise<readonly StoredObject[]> {
  const pod = agentPod(model).metadata;
  const paths = {
    [`/registry/minions/${model}`]: `/api/v1/nodes/${model}`,
    [`/registry/pods/${pod.namespace}/${pod.name}`]: `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`,
    [`/registry/${nodePartitions.group}/${nodePartitions.plural}/${model}`]: `${collectionPath(nodePartitions)}/${model}`,
  };
  const objects = await Promise.all(
    Object.entries(paths).map(async ([key, path]) => {
      const { metadata } = (await controlPlane.client.demand({ path })) as KubeObject;
      const { kvs = [] } = await askEtcd(controlPlane, 'range', { key: btoa(key) });
      const [found] = kvs;
      if (found?.value === undefined || metadata.uid === undefined) throw new Error(`etcd has no ${key}`);
      return { key, bytes: atob(found.value), uid: metadata.uid };
    }),
  );
  return objects;
}

/** @param uids of all objects of the model: they refer to each other */
function copyOf(
  { key, bytes }: StoredObject,
  uids: readonly string[],
  id: string,
): { readonly key: string; readonly value: string } {
  const copy = (text: string): string => text.replaceAll(modelId, id);
  const value = uids.reduce((text, uid) => text.replaceAll(uid, uid.slice(0, -id.length) + id), bytes);
  return { key: btoa(copy(key)), value: btoa(copy(value)) };
}
