import type { KubeClient } from '../../../kube/client.ts';
import type { ContainerProblem } from '../pods/container-problem.ts';
import { isSameProblem } from '../pods/container-problem.ts';
import { Daemon } from './daemon.ts';
import { roleOf } from './daemon-role.ts';
import type { DaemonRole } from './daemon-role.ts';
import { readDaemonSettings } from './daemon-settings.ts';
import { driverWork } from './driver-work.ts';
import { discoveryWork } from './discovery-work.ts';
import type { PodObject } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import { pluginWork } from './plugin-work.ts';
import type { KubeletTiming } from '../timing.ts';

export interface DaemonClients {
  readonly kubelet: KubeClient;
  /** Client with the field manager `nfd-master`. */
  readonly nfd: KubeClient;
  /** Client with the field manager of the DRA driver. */
  readonly driver: KubeClient;
}

/** A daemon and what its pod's status shows of it. */
export interface PodDaemon {
  readonly daemon: Daemon;
  readonly role: DaemonRole;
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
    const daemon = this.#daemons.get(uid) ?? { daemon: this.#create(role, pod), role, shown: undefined };
    this.#daemons.set(uid, daemon);
    return daemon;
  }

  /** SIGHUP to the DRA driver of the node: it ends with exit code 0, and its container starts again. */
  hangUpDriver(): void {
    for (const { daemon, role } of this.#daemons.values()) if (role === 'dra-driver') daemon.end();
  }

  /** The pod is gone. */
  stop(pod: PodObject): void {
    const { uid = '' } = pod.metadata;
    this.#daemons.get(uid)?.daemon.stop();
    this.#daemons.delete(uid);
  }

  #create(role: DaemonRole, pod: PodObject): Daemon {
    const machine = this.#machine;
    const { kubelet: client, nfd, driver } = this.#clients;
    const { uid = '', namespace = '' } = pod.metadata;
    const settings = readDaemonSettings(pod, role);
    const about = { client, node: machine.node, namespace, settings, restartMs: this.#timing.restartMs };
    switch (role) {
      case 'device-plugin': {
        const isStuck = (): boolean => machine.registration.fault === 'NeverReady';
        return new Daemon({ ...about, work: pluginWork(machine, uid), isStuck });
      }
      case 'gpu-feature-discovery':
        return new Daemon({ ...about, work: discoveryWork(machine, nfd, this.#timing), isStuck: () => false });
      case 'dra-driver': {
        const isStuck = (): boolean => machine.driver.fault === 'NeverReady';
        return new Daemon({ ...about, work: driverWork(machine, driver, pod), isStuck });
      }
    }
  }
}

/** Whether the pod's status shows the current problem. */
export function isShown({ daemon, shown }: PodDaemon): boolean {
  return shown !== undefined && isSameProblem(shown.problem, daemon.problem);
}
