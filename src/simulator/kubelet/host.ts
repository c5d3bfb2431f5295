import type { Machine } from './machine.ts';
import type { NodeDaemons } from './node-daemons.ts';
import type { PodResourcesServer } from './pod-resources-server.ts';

/** A simulated node with all that runs on it. */
export interface Host {
  readonly machine: Machine;
  readonly daemons: NodeDaemons;
  /** Where the kubelet tells who holds what; nowhere if absent. */
  readonly server?: PodResourcesServer | undefined;
}
