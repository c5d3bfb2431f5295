import type { KubeClient } from '../../kube/client.ts';
import { WorkQueue } from '../../kube/queue.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import { Reflector } from '../../kube/reflector.ts';
import { refOf } from '../../kube/resource.ts';
import type { Change } from '../../kube/store.ts';
import { silentLogger } from '../../process/logger.ts';
import type { Logger } from '../../process/logger.ts';
import { nodesResource, podsResource } from './kube-objects.ts';
import type { NodeObject, PodObject } from './kube-objects.ts';
import { renewLease } from './lease.ts';
import { Machine } from './machine.ts';
import { syncNode } from './node-sync.ts';
import { isPluginPod, isUp } from './plugin-pod.ts';
import { encodeAllocatable, encodeList } from './pod-resources.ts';
import type { PodHolding } from './pod-resources.ts';
import { servePodResources } from './pod-resources-server.ts';
import type { PodResourcesServer } from './pod-resources-server.ts';
import { syncPod } from './pod-sync.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { StateWatch } from './state-watch.ts';
import { usualKubeletTiming } from './timing.ts';
import type { KubeletTiming } from './timing.ts';

export interface KubeletFleetOptions {
  /** Of an identity that may write Nodes, Leases and the status of pods, and delete pods. */
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
  readonly #logger: Logger;
  readonly #timing: KubeletTiming;
  readonly #machines = new Map<string, Machine>();
  readonly #podsByNode = new Map<string, Map<string, PodObject>>();
  readonly #servers = new Map<string, PodResourcesServer>();
  readonly #states = new StateWatch();
  readonly #queue: WorkQueue;
  readonly #nodes: Reflector<NodeObject>;
  readonly #pods: Reflector<PodObject>;
  #kubeletVersion = '';

  constructor({ client, logger = silentLogger, timing }: KubeletFleetOptions) {
    this.#client = client;
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
      onChange: ({ key }) => this.#wakeNode(key),
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
    const { name, podResourcesSocket } = node;
    const machine = new Machine(node, this.#logger);
    if (podResourcesSocket !== undefined) {
      const server = await servePodResources(podResourcesSocket, {
        '/v1.PodResourcesLister/List': () => encodeList(this.listHoldings(name)),
        '/v1.PodResourcesLister/GetAllocatableResources': () => encodeAllocatable(machine.advertised.deviceIds),
      });
      this.#servers.set(name, server);
    }
    this.#machines.set(name, machine);
    this.#states.add(node.stateFile, () => this.#wakeNode(node.name));
    this.#wakeNode(node.name);
    for (const key of this.#podsByNode.get(node.name)?.keys() ?? []) this.#queue.add(`pod/${key}`);
  }

  /** Takes a node away; its Node object is left for whoever scales the pool down. */
  async removeNode(name: string): Promise<void> {
    const machine = this.#machines.get(name);
    if (machine === undefined) return;
    await this.#servers.get(name)?.close();
    this.#servers.delete(name);
    this.#states.remove(machine.node.stateFile);
    this.#machines.delete(name);
  }

  /** Cuts a node off: nothing of it is renewed, started or ended until `resumeNode`. */
  pauseNode(name: string): void {
    this.#machineOf(name).isRunning = false;
  }

  resumeNode(name: string): void {
    this.#machineOf(name).isRunning = true;
    this.#wakeNode(name);
    for (const key of this.#podsByNode.get(name)?.keys() ?? []) this.#queue.add(`pod/${key}`);
  }

  /** Pods that have been started on a node and not ended, with their devices. */
  listHoldings(name: string): readonly PodHolding[] {
    const machine = this.#machineOf(name);
    return [...(this.#podsByNode.get(name)?.values() ?? [])].flatMap(({ metadata }) => {
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
    for (const name of this.#machines.keys()) await this.removeNode(name);
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
    const machine = this.#machines.get(name);
    if (machine === undefined || !machine.isRunning) return {};
    return kind === 'lease' ? this.#reconcileLease(machine) : this.#reconcileNode(machine);
  }

  async #reconcileNode(machine: Machine): Promise<ReconcileResult> {
    const { name } = machine.node;
    const plugins = [...(this.#podsByNode.get(name)?.values() ?? [])].filter((pod) => isPluginPod(pod) && isUp(pod));
    const client = this.#client;
    const shown = this.#nodes.store.get(name);
    if (shown !== undefined) this.#queue.add(`lease/${name}`);
    return syncNode(machine, { client, shown, plugins, timing: this.#timing, kubeletVersion: this.#kubeletVersion });
  }

  async #reconcileLease(machine: Machine): Promise<ReconcileResult> {
    const { name } = machine.node;
    const uid = this.#nodes.store.get(name)?.metadata.uid;
    if (uid === undefined) return {};
    const waitMs = machine.renewedAtMs + this.#timing.leaseMs - performance.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await renewLease(this.#client, { name, uid });
    machine.renewedAtMs = performance.now();
    return { requeueAfterMs: this.#timing.leaseMs };
  }

  async #reconcilePod(key: string): Promise<ReconcileResult> {
    const pod = this.#pods.store.get(key);
    const machine = this.#machines.get(pod?.spec?.nodeName ?? '');
    if (pod === undefined || machine === undefined || !machine.isRunning) return {};
    return syncPod(machine, pod, refOf(podsResource, pod), { client: this.#client, timing: this.#timing });
  }

  #onPod(change: Change<PodObject>): void {
    const { object: pod, key } = change;
    const name = pod.spec?.nodeName ?? '';
    const pods = this.#podsByNode.get(name) ?? new Map<string, PodObject>();
    this.#podsByNode.set(name, pods);
    const machine = this.#machines.get(name);
    if (change.type === 'delete') {
      pods.delete(key);
      machine?.release(pod);
    } else {
      pods.set(key, pod);
      if (machine !== undefined) this.#queue.add(`pod/${key}`);
    }
    if (machine !== undefined && isPluginPod(pod)) this.#wakeNode(name);
  }

  #wakeNode(name: string): void {
    if (this.#machines.has(name)) this.#queue.add(`node/${name}`);
  }

  #machineOf(name: string): Machine {
    const machine = this.#machines.get(name);
    if (machine === undefined)
      throw new Error(`no node ${name} in this fleet; it has ${[...this.#machines.keys()].join(', ')}`);
    return machine;
  }
}

function readVersion(answer: unknown): string {
  const isVersion = typeof answer === 'object' && answer !== null && 'gitVersion' in answer;
  return isVersion ? String(answer.gitVersion) : 'v0.0.0';
}
