import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy, Wish } from '../api/types.ts';
import { usesForeignGpu } from '../core/owners/foreign-gpu.ts';
import { namePods, usesGpu } from '../core/pods/gpu-pods.ts';
import { closeNode, combine, reopenNode } from '../core/node/node-marks.ts';
import { isRepair, recentRepairs } from '../core/node/repair.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import type { GpuClients } from './gpu-clients.ts';
import type { NodeGate } from './node-gate.ts';
import { listNodePods, type NodePod } from './node-pods.ts';
import { changeNode, readNode } from './node-writer.ts';
import type { NodeOpener } from './open-node.ts';
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
  readonly policy: GpuPartitionPolicy;
  readonly wish: Wish;
}

/** Closes a node on whose GPUs nobody works, makes sure of it, and lets its agent act. */
export class NodeGranter {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #gate: NodeGate;
  readonly #opener: NodeOpener;
  readonly #clients: GpuClients;
  readonly #settings: GrantSettings;

  constructor(parts: {
    readonly client: KubeClient;
    readonly world: World;
    readonly gate: NodeGate;
    readonly opener: NodeOpener;
    readonly clients: GpuClients;
    readonly settings: GrantSettings;
  }) {
    this.#client = parts.client;
    this.#world = parts.world;
    this.#gate = parts.gate;
    this.#opener = parts.opener;
    this.#clients = parts.clients;
    this.#settings = parts.settings;
  }

  async grant(request: GrantRequest): Promise<Verdict> {
    const { node, partition, policy } = request;
    const name = node.metadata.name;
    // 1. Do not close a node for nothing, nor one that is not ours to touch.
    const before = await listNodePods(this.#client, name);
    const stopped = await this.#gate.check(node, policy, before);
    if (stopped) return stopped;
    if (before.some(holdsGpu)) return this.#wait(node, partition, before.filter(holdsGpu));
    const resting = this.#clients.rest(node, partition);
    if (resting) return resting;
    // 2. Close it. The taint does not stop a pod that the scheduler has just placed: give that a moment to show up.
    const closing = await changeNode(this.#client, node, combine(closeNode(), this.#clients.mark(node, before)));
    this.#world.nodeWritten(name, closing);
    if (closing !== undefined) await waitFor(systemClock, this.#settings.settleMs);
    // 3. Look again, at the API server and not at a cache.
    const after = await listNodePods(this.#client, name);
    if (after.some(holdsGpu)) return this.#wait(node, partition, after.filter(holdsGpu));
    // 4. Whoever holds the GPUs open without asking for them has to go, where the plan cannot be done beside them.
    const closed = closing === undefined ? node : await readNode(this.#client, name);
    const waiting = await this.#clients.clear(closed, partition, after);
    if (waiting) return waiting;
    // 5. Grant exactly the plan that was looked at. The version makes this a compare-and-swap.
    return this.#write(request);
  }

  /** For a node whose agent sees a process in the way: which pods to wait for, if it is one of theirs. */
  async nameHolders(node: NodeObject, partition: GpuNodePartition, verdict: Verdict): Promise<Verdict> {
    const holders = (await listNodePods(this.#client, node.metadata.name)).filter(holdsGpu);
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
      allowGpuReset: policy.spec.allow?.gpuReset ?? true,
      allowReboot: policy.spec.allow?.reboot ?? null,
      replaceForeignInstances: wish.replaceForeignInstances ?? null,
      rollback: policy.spec.rollout?.rollback ?? null,
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

  async #wait(before: NodeObject, partition: GpuNodePartition, holders: readonly NodePod[]): Promise<Verdict> {
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
}

function holdsGpu(pod: NodePod): boolean {
  return usesGpu(pod) || usesForeignGpu(pod);
}
