import { Machine } from './machine.ts';
import { NodeDaemons } from '../daemons/node-daemons.ts';
import type { DaemonClients } from '../daemons/node-daemons.ts';
import { encodeAllocatable, encodeList } from '../pods/pod-resources.ts';
import type { StartedPodHolding } from '../pods/pod-resources.ts';
import { servePodResources } from '../pods/pod-resources-server.ts';
import type { PodResourcesServer } from '../pods/pod-resources-server.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { KubeletTiming } from '../timing.ts';
import type { Logger } from '../../../process/logger.ts';

/** A simulated node with all that runs on it. */
export interface Host {
  readonly machine: Machine;
  readonly daemons: NodeDaemons;
  /** Serves who holds what, as the kubelet does; absent if it does not. */
  readonly server?: PodResourcesServer | undefined;
}

export interface SimulatedHostOptions {
  readonly clients: DaemonClients;
  readonly logger: Logger;
  readonly timing: KubeletTiming;
  /** Pods of the node that have started, with their devices. */
  readonly listHoldings: () => readonly StartedPodHolding[];
}

/** @throws UnknownGpuError, RangeError; the error of the operating system if the node's socket cannot be created */
export async function bootHost(node: SimulatedNode, options: SimulatedHostOptions): Promise<Host> {
  const { clients, logger, timing, listHoldings } = options;
  const machine = new Machine(node, logger);
  const daemons = new NodeDaemons(machine, clients, timing);
  if (node.podResourcesSocket === undefined) return { machine, daemons };
  const server = await servePodResources(node.podResourcesSocket, {
    '/v1.PodResourcesLister/List': () => encodeList(listHoldings()),
    '/v1.PodResourcesLister/GetAllocatableResources': () => encodeAllocatable(machine.advertised.deviceIds),
  });
  return { machine, daemons, server };
}
