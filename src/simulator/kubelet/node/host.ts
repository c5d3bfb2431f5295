import type { NodeDaemons } from '../daemons/node-daemons.ts';
import type { servePodResources } from '../pods/pod-resources-server.ts';
import type { Machine } from './machine.ts';

/** A simulated node with all that runs on it. */
export interface Host {
  readonly machine: Machine;
  readonly daemons: NodeDaemons;
  /** Serves who holds what, as the kubelet does; undefined if it does not. */
  readonly server: Awaited<ReturnType<typeof servePodResources>> | undefined;
}
