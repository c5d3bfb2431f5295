import { setTimeout as sleep } from 'node:timers/promises';
import type { Partition } from '../../../src/agent/own-partition.ts';
import { nodePartitions } from '../../../src/api/resources.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { loadKubeConfig } from '../../../src/kube/kubeconfig.ts';
import { type ReconcileResult, WorkQueue } from '../../../src/kube/queue.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { silentLogger } from '../../../src/process/log.ts';
import type { ControlPlane } from '../../../src/simulator/control-plane/start.ts';
import { fleetNames, fleetNode } from '../fleet-objects.ts';
import { createNamespace } from '../kubernetes-objects.ts';
import { inLanes } from '../lanes.ts';
import { tell } from '../metric.ts';
import { agentPod, pluginNamespace, pluginPod } from './daemon-pods.ts';
import type { GpuPace } from './gpu-double.ts';
import { NodeDouble } from './node-double.ts';

/** Nodes of 8 A100-40GB in this process, each with the agent that is shipped. */
export class SimulatedFleet implements AsyncDisposable {
  /** Nodes that work on their devices, and since when, by `performance.now()`. */
  readonly begun = new Map<string, number>();
  readonly pace: GpuPace = { workMs: 0 };
  readonly #controlPlane: ControlPlane;
  readonly #kubelet: KubeClient;
  readonly #nodes = new Map<string, NodeDouble>();
  readonly #queue: WorkQueue;
  readonly #watch: Reflector<Partition>;

  private constructor(controlPlane: ControlPlane, kubelet: KubeClient, size: number) {
    this.#controlPlane = controlPlane;
    this.#kubelet = kubelet;
    this.#queue = new WorkQueue({
      logger: silentLogger,
      backoff: { baseMs: 250, maxMs: 30_000 },
      // A queue of its own for each agent, in effect.
      concurrency: size,
      reconcile: (name, stopped) => this.#reconcile(name, stopped),
    });
    this.#watch = new Reflector<Partition>({
      client: kubelet,
      logger: silentLogger,
      resource: nodePartitions,
      onChange: ({ key }) => this.#queue.add(key),
    });
  }

  /** Makes the nodes, with the pods of their agents and device plugins. No pod has to be scheduled for that. */
  static async start(controlPlane: ControlPlane, size: number): Promise<SimulatedFleet> {
    const kubeconfig = await controlPlane.kubeconfigFile({ token: controlPlane.kubeletToken });
    const fleet = new SimulatedFleet(controlPlane, new KubeClient(loadKubeConfig({ kubeconfig }), 'kubelet'), size);
    await createNamespace(controlPlane, pluginNamespace);
    await inLanes(fleetNames(size), (name) => fleet.#join(name));
    await fleet.#watch.start().waitForSync();
    return fleet;
  }

  /** The next change of these nodes fails. */
  breakNext(names: Iterable<string>): void {
    for (const name of names) {
      const node = this.#nodes.get(name);
      if (node) node.gpus.isBroken = true;
    }
  }

  /** Plays the kubelets of nodes on which nothing happens: one heartbeat of each in five minutes. */
  async beatFor(durationMs: number): Promise<void> {
    const pauseMs = 300_000 / this.#nodes.size;
    const endsAt = performance.now() + durationMs;
    while (performance.now() < endsAt) {
      for (const node of this.#nodes.values()) {
        if (performance.now() > endsAt) return;
        await node.beat();
        await sleep(pauseMs);
      }
    }
  }

  async #reconcile(name: string, stopped: AbortSignal): Promise<ReconcileResult | void> {
    try {
      return await this.#nodes.get(name)?.agent.reconcile(this.#watch.store.get(name), stopped);
    } catch (error) {
      tell(`the agent of ${name}: ${String(error)}`);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch.stop();
    await this.#queue.stop();
    await this.#kubelet.config.close();
  }

  async #join(name: string): Promise<void> {
    const { client } = this.#controlPlane;
    const node = await client.demand({ method: 'POST', path: '/api/v1/nodes', body: fleetNode(name) });
    const { uid } = (node as { readonly metadata: { readonly uid: string } }).metadata;
    const onBegin = (): void => void this.begun.set(name, performance.now());
    this.#nodes.set(name, new NodeDouble(name, uid, this.#kubelet, this.pace, onBegin));
    for (const pod of [agentPod(name), pluginPod(name)]) {
      const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods`;
      await client.demand({ method: 'POST', path, body: pod });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      const contentType = 'application/merge-patch+json';
      await client.demand({
        method: 'PATCH',
        path: `${path}/${pod.metadata.name}/status`,
        body: { status },
        contentType,
      });
    }
  }
}
