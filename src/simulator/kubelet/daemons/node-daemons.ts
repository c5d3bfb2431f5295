import type { KubeClient } from '../../../kube/client.ts';
import type { ContainerProblem } from '../pods/container-problem.ts';
import { isSameProblem } from '../pods/container-problem.ts';
import { Daemon } from './daemon.ts';
import { roleOf } from './daemon-role.ts';
import type { DaemonRole } from './daemon-role.ts';
import { readDaemonSettings } from './daemon-settings.ts';
import type { DaemonWork } from './daemon-work.ts';
import { DiscoveryWork } from './discovery-work.ts';
import type { PodObject } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import { PluginWork } from './plugin-work.ts';
import type { KubeletTiming } from '../timing.ts';

export interface DaemonClients {
  readonly kubelet: KubeClient;
  /** Client with the field manager `nfd-master`. */
  readonly nfd: KubeClient;
}

/** A daemon and what its pod's status shows of it. */
export interface PodDaemon {
  readonly daemon: Daemon;
  /** Absent before the first write. */
  shown: { readonly problem: ContainerProblem | undefined } | undefined;
}

/** NVIDIA's programs on one node, by the uid of their pod. */
export class NodeDaemons {
  readonly #machine: Machine;
  readonly #clients: DaemonClients;
  readonly #timing: KubeletTiming;
  readonly #daemons = new Map<string, PodDaemon>();

  constructor(machine: Machine, clients: DaemonClients, timing: KubeletTiming) {
    this.#machine = machine;
    this.#clients = clients;
    this.#timing = timing;
  }

  /** The daemon of a started pod; undefined for other pods, and if the plugin needs no pod. */
  of(pod: PodObject): PodDaemon | undefined {
    const role = roleOf(pod);
    const { uid = '' } = pod.metadata;
    if (role === undefined || this.#machine.node.plugin !== 'pod') return undefined;
    const daemon = this.#daemons.get(uid) ?? { daemon: this.#create(role, pod), shown: undefined };
    this.#daemons.set(uid, daemon);
    return daemon;
  }

  /** The pod is gone. */
  stop(pod: PodObject): void {
    const { uid = '' } = pod.metadata;
    this.#daemons.get(uid)?.daemon.stop();
    this.#daemons.delete(uid);
  }

  #create(role: DaemonRole, pod: PodObject): Daemon {
    const { registration, node } = this.#machine;
    return new Daemon({
      client: this.#clients.kubelet,
      node,
      namespace: pod.metadata.namespace ?? '',
      settings: readDaemonSettings(pod, role),
      work: this.#workOf(role, pod),
      isStuck: () => role === 'device-plugin' && registration.fault === 'NeverReady',
      restartMs: this.#timing.restartMs,
    });
  }

  #workOf(role: DaemonRole, pod: PodObject): DaemonWork {
    switch (role) {
      case 'device-plugin':
        return new PluginWork(this.#machine, pod.metadata.uid ?? '');
      case 'gpu-feature-discovery':
        return new DiscoveryWork(this.#machine, this.#clients.nfd, this.#timing);
    }
  }
}

/** Whether the pod's status shows the current problem. */
export function isShown({ daemon, shown }: PodDaemon): boolean {
  return shown !== undefined && isSameProblem(shown.problem, daemon.problem);
}
