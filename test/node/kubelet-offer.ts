import { PodResourcesClient } from '../../src/kubelet/pod-resources.ts';

/** Devices by resource. */
export type Counts = Readonly<Record<string, number>>;

const kubelet = new PodResourcesClient({ socket: '/var/lib/kubelet/pod-resources/kubelet.sock' });

/** What the node's kubelet gives at this moment, by PodResources. @throws KubeletError while it does not answer */
export async function readKubeletOffer(): Promise<Counts> {
  const offered = await kubelet.listAllocatable();
  return Object.fromEntries([...offered].map(([resource, ids]) => [resource, ids.length]));
}
