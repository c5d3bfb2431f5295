import { nodePartitions, pods } from '../api/resources.ts';
import type { GpuNodePartition, PolicySpec, Wish } from '../api/types.ts';
import { namePods, type PodView, usesGpu } from '../core/rollout/gpu-pods.ts';
import { closeNode, reopenNode } from '../core/rollout/node-marks.ts';
import { isRepair, recentRepairs } from '../core/rollout/repair.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import type { NodeObject } from './cluster-objects.ts';
import { changeNode, readNode } from './node-writer.ts';
import { isClosed, type NodeOpener } from './open-node.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export interface GrantSettings {
  /** Time for a pod that the scheduler was binding when the node was closed to show up, in ms. */
  readonly settleMs: number;
  /** How long the agent may take, in ms. */
  readonly deadlineMs: number;
  /** How often the pods of a node that waits for them are listed, in ms. */
  readonly waitingPollMs: number;
}

export interface GrantRequest {
  readonly node: NodeObject;
  readonly partition: GpuNodePartition;
  readonly policy: PolicySpec;
  readonly wish: Wish;
}

/** Closes a node on whose GPUs nobody works, makes sure of it, and lets its agent act. */
export class NodeGranter {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #opener: NodeOpener;
  readonly #settings: GrantSettings;

  constructor(client: KubeClient, world: World, opener: NodeOpener, settings: GrantSettings) {
    this.#client = client;
    this.#world = world;
    this.#opener = opener;
    this.#settings = settings;
  }

  async grant(request: GrantRequest): Promise<Verdict> {
    const { node, partition } = request;
    const name = node.metadata.name;
    // 1. Do not close a node for nothing.
    const before = await this.#listGpuPods(name);
    if (before.length > 0) return this.#wait(node, partition, before);
    // 2. Close it. The taint does not stop a pod that the scheduler has just placed: give that a moment to show up.
    this.#world.nodeWritten(name, await changeNode(this.#client, node, closeNode()));
    await waitFor(systemClock, this.#settings.settleMs);
    // 3. Look again, at the API server and not at a cache.
    const after = await this.#listGpuPods(name);
    if (after.length > 0) return this.#wait(node, partition, after);
    // 4. Grant exactly the plan that was looked at. The version makes this a compare-and-swap.
    return this.#write(request);
  }

  /** For a node whose agent sees a process in the way: which pods to wait for, if it is one of theirs. */
  async nameHolders(node: NodeObject, partition: GpuNodePartition, verdict: Verdict): Promise<Verdict> {
    const holders = await this.#listGpuPods(node.metadata.name);
    return holders.length > 0
      ? this.#wait(node, partition, holders)
      : { ...verdict, again: this.#settings.waitingPollMs };
  }

  async #write({ partition, policy, wish }: GrantRequest): Promise<Verdict> {
    const epoch = (partition.spec.granted?.epoch ?? 0) + 1;
    const granted = {
      gpus: wish.gpus,
      epoch,
      planHash: partition.status?.device?.plan?.hash ?? '',
      deadline: new Date(Date.now() + this.#settings.deadlineMs).toISOString(),
      allowGpuReset: policy.allow?.gpuReset ?? true,
      replaceForeignInstances: wish.replaceForeignInstances ?? null,
      rollback: policy.rollout?.rollback ?? null,
    };
    const repairs = isRepair(partition) ? [...recentRepairs(partition, Date.now()), new Date().toISOString()] : null;
    const { name, resourceVersion } = partition.metadata;
    const written = await this.#client.merge<GpuNodePartition & KubeObject>(
      { resource: nodePartitions, name },
      { metadata: { resourceVersion }, spec: { granted, repairs } },
    );
    this.#world.partitions.remember(written);
    this.#world.changed();
    const message = `the agent applies grant ${epoch}`;
    return { phase: 'Updating', reason: 'Applying', message, passing: true, again: this.#settings.deadlineMs + 1000 };
  }

  async #wait(before: NodeObject, partition: GpuNodePartition, holders: readonly PodView[]): Promise<Verdict> {
    const { name } = before.metadata;
    // It may have been closed by us a moment ago, for nothing; or for a change of which it has not recovered.
    const node = await readNode(this.#client, name);
    if (isClosed(before)) await this.#opener.open(node, partition, reopenNode('waiting'));
    else this.#world.nodeWritten(name, await changeNode(this.#client, node, reopenNode('waiting')));
    return {
      phase: 'Waiting',
      reason: 'PodsUseGpus',
      message: `${holders.length} pod${holders.length === 1 ? '' : 's'} of this node use${holders.length === 1 ? 's' : ''} GPUs: ${namePods(holders)}. The change starts when they have ended`,
      again: this.#settings.waitingPollMs,
    };
  }

  async #listGpuPods(node: string): Promise<readonly PodView[]> {
    const { items } = await this.#client.list<PodView & KubeObject>(pods, { fieldSelector: `spec.nodeName=${node}` });
    return items.filter(usesGpu);
  }
}
