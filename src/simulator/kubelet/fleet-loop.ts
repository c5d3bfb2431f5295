import { devicePluginConfigLabel } from '../../core/nvidia/labels/label-key.ts';
import type { KubeClient } from '../../kube/client.ts';
import { WorkQueue } from '../../kube/queue.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import { Reflector } from '../../kube/reflector.ts';
import { refOf } from '../../kube/resource.ts';
import type { Change } from '../../kube/store.ts';
import { silentLogger } from '../../process/logger.ts';
import { roleOf } from './daemons/daemon-role.ts';
import type { Host } from './node/host.ts';
import { nodesResource, podsResource } from './node/kube-objects.ts';
import type { KubeletNode, PodObject } from './node/kube-objects.ts';
import { syncLease } from './node/lease.ts';
import type { Machine } from './node/machine.ts';
import { syncNode } from './node/node-sync.ts';
import { PodIndex } from './pods/pod-index.ts';
import type { PodProgram } from './pods/pod-program.ts';
import { releasePod, syncPod } from './pods/pod-sync.ts';
import type { KubeletTiming } from './timing.ts';

export interface FleetLoopOptions {
  readonly client: KubeClient;
  readonly timing: KubeletTiming;
  /** The existing nodes, by name; changed by others. */
  readonly hosts: ReadonlyMap<string, Host>;
  /** The real program that a pod stands for; most have none. */
  readonly programOf: (pod: PodObject) => PodProgram | undefined;
}

/** Watches the Nodes and pods of a fleet, and reconciles each with its machine. */
export class FleetLoop {
  /** Pods by node. */
  readonly bound = new PodIndex();
  readonly #options: FleetLoopOptions;
  /** Each node's label that chooses the config file of its daemons. */
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
      strip: ({ metadata, status }) => ({ metadata: { ...metadata, managedFields: [] }, ...(status && { status }) }),
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
