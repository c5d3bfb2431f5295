import { devicePluginConfigLabel } from '../../core/labels/label-key.ts';
import { KubeClient } from '../../kube/client.ts';
import { WorkQueue } from '../../kube/queue.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import { Reflector } from '../../kube/reflector.ts';
import { refOf } from '../../kube/resource.ts';
import type { Change } from '../../kube/store.ts';
import { silentLogger } from '../../process/logger.ts';
import type { Logger } from '../../process/logger.ts';
import { roleOf } from './daemon-role.ts';
import { bootHost } from './host.ts';
import type { Host } from './host.ts';
import { nodesResource, podsResource } from './kube-objects.ts';
import type { NodeObject, PodObject } from './kube-objects.ts';
import { syncLease } from './lease.ts';
import type { Machine } from './machine.ts';
import { syncNode } from './node-sync.ts';
import type { PluginFault } from './plugin-registration.ts';
import { PodIndex } from './pod-index.ts';
import type { PodHolding } from './pod-resources.ts';
import { releasePod, syncPod } from './pod-sync.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { StateWatch } from './state-watch.ts';
import { usualKubeletTiming } from './timing.ts';
import type { KubeletTiming } from './timing.ts';

export interface KubeletFleetOptions {
  /** Of an identity that may write Nodes, Leases and the status of pods, delete pods, and read ConfigMaps. */
  readonly client: KubeClient;
  readonly logger?: Logger;
  readonly timing?: Partial<KubeletTiming>;
}

/**
 * Plays the kubelets and device plugins of many nodes: registers and renews the Nodes, shows the GPUs of their simulated
 * nvidia-smi as resources, starts the pods that are bound to them and ends those that are deleted.
 */
export class KubeletFleet implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #nfdClient: KubeClient;
  readonly #logger: Logger;
  readonly #timing: KubeletTiming;
  readonly #hosts = new Map<string, Host>();
  readonly #bound = new PodIndex();
  /** Label of each node that chooses the config file of its daemons. */
  readonly #configLabels = new Map<string, string | undefined>();
  readonly #states = new StateWatch();
  readonly #queue: WorkQueue;
  readonly #nodes: Reflector<NodeObject>;
  readonly #pods: Reflector<PodObject>;
  #kubeletVersion = '';

  constructor({ client, logger = silentLogger, timing }: KubeletFleetOptions) {
    this.#client = client;
    this.#nfdClient = new KubeClient(client.config, 'nfd-master');
    this.#logger = logger;
    this.#timing = { ...usualKubeletTiming, ...timing };
    this.#queue = new WorkQueue({
      reconcile: (key) => this.#reconcile(key),
      logger,
      concurrency: 8,
      backoff: { baseMs: 50, maxMs: 5_000 },
    });
    this.#nodes = new Reflector<NodeObject>({
      client,
      logger,
      resource: nodesResource,
      strip: ({ metadata, status }) => ({ metadata: { ...metadata, managedFields: [] }, ...(status && { status }) }),
      onChange: ({ key, object }) => this.#onNode(key, object),
    });
    this.#pods = new Reflector<PodObject>({
      client,
      logger,
      resource: podsResource,
      fieldSelector: 'spec.nodeName!=',
      onChange: (change) => this.#onPod(change),
    });
  }

  async start(): Promise<void> {
    this.#kubeletVersion = readVersion(await this.#client.request({ method: 'GET', path: '/version' }));
    this.#nodes.start();
    this.#pods.start();
    await Promise.all([this.#nodes.waitForSync(), this.#pods.waitForSync()]);
  }

  /**
   * Boots a node; it registers itself soon. A Node that is there already is taken over as it is.
   *
   * @throws UnknownGpuError, RangeError; the error of the operating system where its socket cannot be made
   */
  async addNode(node: SimulatedNode): Promise<void> {
    const { name } = node;
    const host = await bootHost(node, {
      clients: { kubelet: this.#client, nfd: this.#nfdClient },
      logger: this.#logger,
      timing: this.#timing,
      listHoldings: () => this.listHoldings(name),
    });
    this.#hosts.set(name, host);
    this.#states.add(node.stateFile, () => this.#wakeNode(name));
    this.#wakeAll(name);
  }

  /** Takes a node away; its Node object is left for whoever scales the pool down. */
  async removeNode(name: string): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    await host.server?.close();
    this.#states.remove(host.machine.node.stateFile);
    this.#hosts.delete(name);
  }

  /** Cuts a node off: nothing of it is renewed, started or ended until `resumeNode`. */
  pauseNode(name: string): void {
    this.#machineOf(name).isRunning = false;
  }

  resumeNode(name: string): void {
    this.#machineOf(name).isRunning = true;
    this.#wakeAll(name);
  }

  /**
   * Breaks the device plugin of a node in mode `pod`, for pods that start from now on; without a fault, a plugin that never
   * got ready goes on, and the next pod looks at the devices again.
   */
  setPluginFault(name: string, fault: PluginFault | undefined): void {
    this.#machineOf(name).registration.fault = fault;
    this.#wakeAll(name);
  }

  /**
   * Starts what looks at the GPUs of a node anew, as a reboot does: the pods stay, their plugin, GFD and DCGM find the devices
   * as they are then. Processes on devices that are gone do not come back.
   */
  restartContainers(name: string): void {
    const host = this.#hostOf(name);
    for (const pod of this.#bound.on(name).values()) {
      host.daemons.stop(pod);
      host.machine.closeGpus(pod);
    }
    this.#wakeAll(name);
  }

  /** Pods that have been started on a node and not ended, with their devices. */
  listHoldings(name: string): readonly PodHolding[] {
    const machine = this.#machineOf(name);
    return [...this.#bound.on(name).values()].flatMap(({ metadata }) => {
      const { namespace = '', uid = '' } = metadata;
      const containers = machine.allocationOf(uid);
      return containers === undefined ? [] : [{ namespace, name: metadata.name, uid, containers }];
    });
  }

  /** Device ids that the plugin of a node advertises now, by resource. */
  listAdvertised(name: string): ReadonlyMap<string, readonly string[]> {
    return this.#machineOf(name).advertised.deviceIds;
  }

  async stop(): Promise<void> {
    for (const name of this.#hosts.keys()) await this.removeNode(name);
    await Promise.all([this.#queue.stop(), this.#nodes.stop(), this.#pods.stop()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Keys say what to bring in order: `node/NAME`, `lease/NAME`, `pod/NAMESPACE/NAME`. */
  async #reconcile(key: string): Promise<ReconcileResult> {
    const [kind = ''] = key.split('/', 1);
    const name = key.slice(kind.length + 1);
    if (kind === 'pod') return this.#reconcilePod(name);
    const machine = this.#hosts.get(name)?.machine;
    if (machine === undefined || !machine.isRunning) return {};
    return kind === 'lease' ? this.#reconcileLease(machine) : this.#reconcileNode(machine);
  }

  async #reconcileNode(machine: Machine): Promise<ReconcileResult> {
    const { name } = machine.node;
    const shown = this.#nodes.store.get(name);
    if (shown !== undefined) this.#queue.add(`lease/${name}`);
    const sight = { client: this.#client, shown, timing: this.#timing, kubeletVersion: this.#kubeletVersion };
    return syncNode(machine, sight);
  }

  async #reconcileLease(machine: Machine): Promise<ReconcileResult> {
    const uid = this.#nodes.store.get(machine.node.name)?.metadata.uid;
    if (uid === undefined) return {};
    return syncLease(machine, uid, { client: this.#client, leaseMs: this.#timing.leaseMs });
  }

  async #reconcilePod(key: string): Promise<ReconcileResult> {
    const pod = this.#pods.store.get(key);
    const name = pod?.spec?.nodeName ?? '';
    const host = this.#hosts.get(name);
    if (pod === undefined || host === undefined || !host.machine.isRunning) return {};
    const before = host.machine.advertised;
    const labels = this.#nodes.store.get(name)?.metadata.labels ?? {};
    const result = await syncPod(host, pod, refOf(podsResource, pod), {
      client: this.#client,
      timing: this.#timing,
      labels,
    });
    if (host.machine.advertised !== before) this.#wakeNode(name);
    return result;
  }

  #onNode(name: string, { metadata }: NodeObject): void {
    this.#wakeNode(name);
    const label = metadata.labels?.[devicePluginConfigLabel];
    if (label === this.#configLabels.get(name)) return;
    this.#configLabels.set(name, label);
    for (const [key, pod] of this.#bound.on(name)) {
      if (roleOf(pod) !== undefined) this.#queue.add(`pod/${key}`);
    }
  }

  #onPod(change: Change<PodObject>): void {
    const { object: pod, key } = change;
    const name = pod.spec?.nodeName ?? '';
    const host = this.#hosts.get(name);
    this.#bound.follow(change);
    if (host === undefined) return;
    if (change.type === 'delete') {
      releasePod(host, pod);
      this.#wakeNode(name);
    } else {
      this.#queue.add(`pod/${key}`);
    }
  }

  #wakeNode(name: string): void {
    if (this.#hosts.has(name)) this.#queue.add(`node/${name}`);
  }

  #wakeAll(name: string): void {
    this.#wakeNode(name);
    for (const key of this.#bound.on(name).keys()) this.#queue.add(`pod/${key}`);
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

function readVersion(answer: unknown): string {
  const isVersion = typeof answer === 'object' && answer !== null && 'gitVersion' in answer;
  return isVersion ? String(answer.gitVersion) : 'v0.0.0';
}
