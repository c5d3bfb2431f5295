import { events, nodePartitions, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { EventView } from '../../core/metadata/event-view.ts';
import { type NodeHistory, viewHistory } from '../../core/view/node-timeline.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CliError } from '../exit.ts';
import { type SavedCluster, snapshotCommand } from '../plan/snapshot-file.ts';
import { find, listAllowed } from './connection.ts';

type Policy = GpuPartitionPolicy & KubeObject;

/** The last change of a node and its Events; without Events if the user may not list them. @throws CliError if there is no such node */
export async function readHistory(client: KubeClient, node: string): Promise<NodeHistory> {
  const ref = { resource: nodePartitions, name: node };
  const partition = await find<GpuNodePartition & KubeObject>(client, `GpuNodePartition ${node}`, ref);
  if (!partition) throw new CliError(`there is no GpuNodePartition ${node}`);
  const name = partition.spec.policy?.name;
  const [policy, found] = await Promise.all([
    name === undefined ? undefined : find<Policy>(client, `policy ${name}`, { resource: policies, name }),
    listAllowed<EventView & KubeObject>(client, events, { fieldSelector: `involvedObject.name=${node}` }),
  ]);
  if (found === undefined) return { ...viewHistory(partition, policy, []), noEvents: 'you may not list Events' };
  return viewHistory(partition, policy, found);
}

/** The same of a saved cluster. @throws CliError if there is no such node */
export function savedHistory({ partitions, policies: all, events: found }: SavedCluster, node: string): NodeHistory {
  const partition = partitions.find(({ metadata }) => metadata.name === node);
  if (!partition) throw new CliError(`the snapshot has no GpuNodePartition ${node}`);
  const policy = all.find(({ metadata }) => metadata.name === partition.spec.policy?.name);
  const own = found.filter(({ involvedObject = {} }) => involvedObject.name === node);
  if (found.length > 0) return viewHistory(partition, policy, own);
  const noEvents = `the snapshot has no Events: ${snapshotCommand.replace(' -A', ',events -A')} saves them too`;
  return { ...viewHistory(partition, policy, []), noEvents };
}
