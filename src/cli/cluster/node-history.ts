import { events, nodePartitions, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { type EventView, type NodeHistory, viewHistory } from '../../core/view/node-timeline.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { ask, listAllowed } from './connection.ts';

/** The last change of a node and its Events; without Events if the user may not list them. @throws Error if there is no such node */
export async function readHistory(client: KubeClient, node: string): Promise<NodeHistory> {
  const partition = await ask(`GpuNodePartition ${node}`, () =>
    client.find<GpuNodePartition & KubeObject>({ resource: nodePartitions, name: node }),
  );
  if (!partition) throw new Error(`there is no GpuNodePartition ${node}`);
  const name = partition.spec.policy?.name;
  const [policy, found] = await Promise.all([
    name === undefined ? undefined : findPolicy(client, name),
    listAllowed<EventView & KubeObject>(client, events, { fieldSelector: `involvedObject.name=${node}` }),
  ]);
  return viewHistory(partition, policy, found ?? []);
}

async function findPolicy(client: KubeClient, name: string): Promise<GpuPartitionPolicy | undefined> {
  return ask(`policy ${name}`, () => client.find<GpuPartitionPolicy & KubeObject>({ resource: policies, name }));
}
