import { KubeClient } from '../../kube/client.ts';
import { FleetLoop } from './fleet-loop.ts';
import type { Host } from './node/host.ts';
import { Machine } from './node/machine.ts';
import { type DaemonClients, NodeDaemons } from './daemons/node-daemons.ts';
import type { DriverFault } from './daemons/driver-registration.ts';
import type { PluginFault } from './daemons/plugin-registration.ts';
import type { PodObject } from './node/kube-objects.ts';
import type { PodProgram } from './pods/pod-program.ts';
import { encodeAllocatable, encodeList } from './pods/pod-resources.ts';
import type { StartedPodHolding } from './pods/pod-resources.ts';
import { servePodResources } from './pods/pod-resources-server.ts';
import type { SimulatedNode } from './node/simulated-node.ts';
import { StateWatch } from './node/state-watch.ts';
import { usualKubeletTiming } from './timing.ts';
import type { KubeletTiming } from './timing.ts';

export interface KubeletFleetOptions {
  /** Its identity may write Nodes, Leases, ResourceSlices and the status of pods, delete pods, and read ConfigMaps and claims. */
  readonly client: KubeClient;
  readonly timing?: Partial<KubeletTiming>;
  /**
   * The real program that a pod stands for, if any: the pod is ready while it runs. After it has started or
   * ended, call `wakeNode`.
   */
  readonly programOf?: (pod: PodObject) => PodProgram | undefined;
}

/**
 * Simulates the kubelets, device plugins and DRA drivers of many nodes: registers and renews the Nodes, shows the GPUs of their
 * simulated nvidia-smi as resources or in ResourceSlices, starts the pods bound to them and terminates those that are deleted.
 */
export class KubeletFleet implements AsyncDisposable {
  readonly #clients: DaemonClients;
  readonly #timing: KubeletTiming;
  readonly #hosts = new Map<string, Host>();
  readonly #states = new StateWatch();
  readonly #loop: FleetLoop;

  constructor({ client, timing, programOf = () => undefined }: KubeletFleetOptions) {
    this.#clients = {
      kubelet: client,
      nfd: new KubeClient(client.config, 'nfd-master'),
      driver: new KubeClient(client.config, 'gpu-kubelet-plugin'),
    };
    this.#timing = { ...usualKubeletTiming, ...timing };
    this.#loop = new FleetLoop({ client, timing: this.#timing, hosts: this.#hosts, programOf });
  }

  async start(): Promise<void> {
    await this.#loop.start();
  }

  /**
   * Boots a node; it registers itself soon. An existing Node is taken over unchanged.
   *
   * @throws UnknownGpuError, RangeError; the error of the operating system if its socket cannot be created
   */
  async addNode(node: SimulatedNode): Promise<void> {
    const { name, podResourcesSocket: socket } = node;
    const machine = new Machine(node);
    const daemons = new NodeDaemons(machine, this.#clients, this.#timing);
    const answers = {
      '/v1.PodResourcesLister/List': () => encodeList(this.listHoldings(name)),
      '/v1.PodResourcesLister/GetAllocatableResources': () => encodeAllocatable(machine.advertised.deviceIds),
    };
    const server = socket === undefined ? undefined : await servePodResources(socket, answers);
    this.#hosts.set(name, { machine, daemons, server });
    this.#states.add(node.stateFile, () => this.#loop.wakeNode(name));
    this.#loop.wakeAll(name);
  }

  /** Removes a node; its Node object is left to whoever scales the pool down. */
  async removeNode(name: string): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    await host.server?.close();
    this.#states.remove(host.machine.node.stateFile);
    this.#hosts.delete(name);
  }

  /** Reconciles a node and its pods with what runs there. */
  wakeNode(name: string): void {
    this.#loop.wakeAll(name);
  }

  /** Disconnects a node: nothing of it is renewed, started or terminated until `resumeNode`. */
  pauseNode(name: string): void {
    this.#machineOf(name).isRunning = false;
  }

  resumeNode(name: string): void {
    this.#machineOf(name).isRunning = true;
    this.#loop.wakeAll(name);
  }

  /**
   * Breaks the device plugin of a node in mode `pod`, for pods that start from now on. Without a fault, a plugin that never
   * became ready continues, and the next pod reads the devices again.
   */
  setPluginFault(name: string, fault: PluginFault | undefined): void {
    this.#machineOf(name).registration.fault = fault;
    this.#loop.wakeAll(name);
  }

  /** Breaks the DRA driver of a node, for processes that start from now on; without a fault, one that never became ready continues. */
  setDriverFault(name: string, fault: DriverFault | undefined): void {
    this.#machineOf(name).driver.fault = fault;
    this.#loop.wakeAll(name);
  }

  /** SIGHUP to the DRA driver of a node, which ends it: the container starts again after `restartMs`. */
  hangUpDriver(name: string): void {
    this.#hostOf(name).daemons.hangUpDriver();
    this.#loop.wakeAll(name);
  }

  /** Reboots a node: its kubelet reports again, its containers' processes lose their state, and pods with devices fail. */
  rebootNode(name: string, bootId: string): void {
    const host = this.#hostOf(name);
    host.machine.bootId = bootId;
    host.machine.isRegistered = false;
    for (const pod of this.#loop.bound.on(name).values()) {
      host.daemons.stop(pod);
      host.machine.losePod(pod);
    }
    this.#loop.wakeAll(name);
  }

  /** Pods that have started on a node and not ended, with their devices. */
  listHoldings(name: string): readonly StartedPodHolding[] {
    const machine = this.#machineOf(name);
    return [...this.#loop.bound.on(name).values()].flatMap(({ metadata }) => {
      const { namespace = '', uid = '' } = metadata;
      const containers = machine.allocationOf(uid);
      return containers === undefined ? [] : [{ namespace, name: metadata.name, uid, containers }];
    });
  }

  /** Device ids that a node's plugin advertises now, by resource. */
  listAdvertised(name: string): ReadonlyMap<string, readonly string[]> {
    return this.#machineOf(name).advertised.deviceIds;
  }

  async stop(): Promise<void> {
    for (const name of this.#hosts.keys()) await this.removeNode(name);
    await this.#loop.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #machineOf(name: string): Machine {
    return this.#hostOf(name).machine;
  }

  #hostOf(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined)
      throw new Error(`no node ${name} in this fleet; it has ${[...this.#hosts.keys()].join(', ')}`);
    return host;
  }
}
