import { devicePluginConfigLabel } from '../../core/nvidia/labels.ts';
import { KubeClient } from '../../kube/client.ts';
import { WorkQueue, type ReconcileResult } from '../../kube/queue.ts';
import { Reflector } from '../../kube/reflector.ts';
import { refOf, type Change } from '../../kube/watch.ts';
import { silentLogger } from '../../process/log.ts';
import { roleOf } from './daemon-config.ts';
import { type Host, type DriverFault, type PluginFault, StateWatch } from './gpu-devices.ts';
import { nodes as nodesResource, pods as podsResource } from '../../api/resources.ts';
import { type KubeletNode, type PodObject, syncLease, syncNode, type SimulatedNode } from './node.ts';
import { Machine } from './machine.ts';
import { PodIndex, type PodProgram, releasePod, syncPod, type KubeletTiming, usualKubeletTiming } from './pods.ts';
import { type DaemonClients, NodeDaemons } from './daemons.ts';
import { encodeAllocatable, encodeList, type StartedPodHolding, servePodResources } from './allocation.ts';

interface FleetLoopOptions {
  readonly client: KubeClient;
  readonly timing: KubeletTiming;
  /** The existing nodes, by name; changed by others. */
  readonly hosts: ReadonlyMap<string, Host>;
  /** The real program that a pod stands for; most have none. */
  readonly programOf: (pod: PodObject) => PodProgram | undefined;
}

/** Watches the Nodes and pods of a fleet, and reconciles each with its machine. */
class FleetLoop {
  /** Pods by node. */
  readonly bound = new PodIndex();
  readonly #options: FleetLoopOptions;
  /** The label of each node that chooses the config file of its daemons. */
  readonly #configLabels = new Map<string, string | undefined>();
  readonly #queue: WorkQueue;
  readonly #nodes: Reflector<KubeletNode>;
  readonly #pods: Reflector<PodObject>;
  #kubeletVersion = '';

  constructor(options: FleetLoopOptions) {
    const { client } = options;
    this.#options = options;
    this.#queue = new WorkQueue({
      reconcile: (key) => this.#reconcile(key),
      logger: silentLogger,
      concurrency: 8,
      backoff: { baseMs: 50, maxMs: 5_000 },
    });
    this.#nodes = new Reflector<KubeletNode>({
      client,
      logger: silentLogger,
      resource: nodesResource,
      trim: ({ metadata, status }) => ({ metadata: { ...metadata, managedFields: [] }, ...(status && { status }) }),
      onChange: ({ key, object }) => this.#onNode(key, object),
    });
    this.#pods = new Reflector<PodObject>({
      client,
      logger: silentLogger,
      resource: podsResource,
      fieldSelector: 'spec.nodeName!=',
      onChange: (change) => this.#onPod(change),
    });
  }

  async start(): Promise<void> {
    this.#kubeletVersion = readVersion(await this.#options.client.request({ method: 'GET', path: '/version' }));
    this.#nodes.start();
    this.#pods.start();
    await Promise.all([this.#nodes.waitForSync(), this.#pods.waitForSync()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#queue.stop(), this.#nodes.stop(), this.#pods.stop()]);
  }

  /** Schedules a reconcile of a Node with its machine. */
  wakeNode(name: string): void {
    if (this.#options.hosts.has(name)) this.#queue.add(`node/${name}`);
  }

  /** A Node and all pods that are bound to it. */
  wakeAll(name: string): void {
    this.wakeNode(name);
    for (const key of this.bound.on(name).keys()) this.#queue.add(`pod/${key}`);
  }

  /** Keys name what to reconcile: `node/NAME`, `lease/NAME`, `pod/NAMESPACE/NAME`. */
  async #reconcile(key: string): Promise<ReconcileResult> {
    const [kind = ''] = key.split('/', 1);
    const name = key.slice(kind.length + 1);
    if (kind === 'pod') return this.#reconcilePod(name);
    const machine = this.#options.hosts.get(name)?.machine;
    if (machine === undefined || !machine.isRunning) return {};
    return kind === 'lease' ? this.#reconcileLease(machine) : this.#reconcileNode(machine);
  }

  async #reconcileNode(machine: Machine): Promise<ReconcileResult> {
    const { name } = machine.node;
    const shown = this.#nodes.store.get(name);
    if (shown !== undefined) this.#queue.add(`lease/${name}`);
    const { client, timing } = this.#options;
    return syncNode(machine, { client, shown, timing, kubeletVersion: this.#kubeletVersion });
  }

  async #reconcileLease(machine: Machine): Promise<ReconcileResult> {
    const uid = this.#nodes.store.get(machine.node.name)?.metadata.uid;
    if (uid === undefined) return {};
    const { client, timing } = this.#options;
    return syncLease(machine, uid, { client, leaseMs: timing.leaseMs });
  }

  async #reconcilePod(key: string): Promise<ReconcileResult> {
    const { client, timing, hosts, programOf } = this.#options;
    const pod = this.#pods.store.get(key);
    const name = pod?.spec?.nodeName ?? '';
    const host = hosts.get(name);
    if (pod === undefined || host === undefined || !host.machine.isRunning) return {};
    const before = host.machine.advertised;
    const goneBefore = host.machine.driver.goneAtMs;
    const labels = this.#nodes.store.get(name)?.metadata.labels ?? {};
    const result = await syncPod(host, pod, refOf(podsResource, pod), {
      client,
      timing,
      labels,
      program: programOf(pod),
      isGone: () => this.#pods.store.get(key)?.metadata.uid !== pod.metadata.uid,
    });
    if (host.machine.advertised !== before || host.machine.driver.goneAtMs !== goneBefore) this.wakeNode(name);
    return result;
  }

  #onNode(name: string, { metadata }: KubeletNode): void {
    this.wakeNode(name);
    const label = metadata.labels?.[devicePluginConfigLabel];
    if (label === this.#configLabels.get(name)) return;
    this.#configLabels.set(name, label);
    for (const [key, pod] of this.bound.on(name)) {
      if (roleOf(pod) !== undefined) this.#queue.add(`pod/${key}`);
    }
  }

  #onPod(change: Change<PodObject>): void {
    const { object: pod, key } = change;
    const name = pod.spec?.nodeName ?? '';
    const host = this.#options.hosts.get(name);
    this.bound.follow(change);
    if (host === undefined) return;
    if (change.type === 'delete') {
      releasePod(host, pod);
      this.wakeNode(name);
    } else {
      this.#queue.add(`pod/${key}`);
    }
  }
}

function readVersion(answer: unknown): string {
  const isVersion = typeof answer === 'object' && answer !== null && 'gitVersion' in answer;
  return isVersion ? String(answer.gitVersion) : 'v0.0.0';
}

interface KubeletFleetOptions {
  /** A client whose identity may write Nodes, Leases, ResourceSlices and the status of pods, delete pods, and read ConfigMaps and claims. */
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
