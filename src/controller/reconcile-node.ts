import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy, Wish } from '../api/types.ts';
import { type Judgement, judgeNode } from '../core/rollout/judge-node.ts';
import { releaseNode, reopenNode } from '../core/rollout/node-marks.ts';
import { isAlreadyExists } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';
import type { NodeObject } from './cluster-objects.ts';
import { type FinishTools, finishNode } from './finish-node.ts';
import { type GrantSettings, NodeGranter } from './grant-node.ts';
import { isClosed, NodeOpener } from './open-node.ts';
import { PluginRefresher, type RefreshSettings } from './refresh-plugin.ts';
import type { NodeReporter } from './report-node.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

/** Times and names that the administrator may choose. */
export interface NodeSettings extends GrantSettings, RefreshSettings {}

interface Situation {
  readonly node: NodeObject;
  readonly partition: GpuNodePartition;
  readonly policy: GpuPartitionPolicy | undefined;
  readonly wish: Wish | undefined;
}

/** Brings one node nearer to what its policy wants: one step at each call, decided by judgeNode. */
export class NodeReconciler {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #granter: NodeGranter;
  readonly #opener: NodeOpener;
  readonly #tools: FinishTools;
  readonly #reporter: NodeReporter;
  readonly #log: Logger;

  constructor(parts: {
    readonly client: KubeClient;
    readonly world: World;
    readonly reporter: NodeReporter;
    readonly settings: NodeSettings;
    readonly log: Logger;
  }) {
    this.#client = parts.client;
    this.#world = parts.world;
    const refresher = new PluginRefresher(parts.client, parts.world, parts.settings);
    this.#opener = new NodeOpener(parts.client, parts.world, refresher);
    this.#granter = new NodeGranter(parts.client, parts.world, this.#opener, parts.settings);
    this.#tools = { client: parts.client, world: parts.world, refresher };
    this.#reporter = parts.reporter;
    this.#log = parts.log;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    // 1. Gather. A node that is gone takes its partition with it (owner reference).
    const node = this.#world.nodes.get(name);
    if (!node) return this.#forget(name);
    // The watch brings our own write back and with it this key; the time is for a write that changed nothing.
    if (this.#world.awaitsNode(name)) return { requeueAfterMs: 1000 };
    const partition = this.#world.partitions.get(name);
    if (!partition) return this.#create(node);
    if (partition.spec.nodeUID !== node.metadata.uid) return this.#deleteStranger(node, partition);
    // 2. Judge.
    const fleet = this.#world.fleet;
    const resolution = fleet.nodes.get(name);
    const policy = resolution?.winner;
    const wish = resolution?.wish && 'wish' in resolution.wish ? resolution.wish.wish : undefined;
    const refusal = policy && fleet.refusals.get(policy.metadata.name);
    const judgement = judgeNode({ partition, policy, refusal, wish, now: Date.now() });
    // 3. Act.
    const verdict = await this.#act({ node, partition, policy, wish }, judgement);
    // 4. Report.
    const again = await this.#reporter.report(node, this.#world.partitions.get(name) ?? partition, policy, verdict);
    return { requeueAfterMs: again };
  }

  async #act(situation: Situation, judgement: Judgement): Promise<Verdict> {
    const { node, partition, policy, wish } = situation;
    switch (judgement.next) {
      case 'WriteWish':
        await this.#writeWish(situation);
        return judgement;
      case 'Grant':
        if (!policy || !wish) return judgement;
        return this.#granter.grant({ node, partition, policy: policy.spec, wish });
      case 'NamePods':
        return this.#granter.nameHolders(node, partition, await this.#openIfIdle(situation, judgement));
      case 'Finish':
        if (!policy) return judgement;
        return finishNode(this.#tools, node, partition, policy, judgement);
      case 'Wait':
        return this.#openIfIdle(situation, judgement);
    }
  }

  /** One write: which policy decides, and what each GPU shall become; or all of it away. */
  async #writeWish({ partition, policy, wish }: Situation): Promise<void> {
    const { name, generation } = policy?.metadata ?? {};
    const spec = policy
      ? { policy: { name, generation: generation ?? 0 }, strategy: policy.spec.strategy, wish: wish ?? null }
      : { policy: null, strategy: null, wish: null };
    const written = await this.#client.merge<GpuNodePartition & KubeObject>(
      { resource: nodePartitions, name: partition.metadata.name },
      { metadata: { resourceVersion: partition.metadata.resourceVersion }, spec },
    );
    this.#world.partitions.remember(written);
    this.#world.changed();
    this.#log.info('wish written', { node: partition.metadata.name, policy: name });
  }

  /**
   * A taint of ours must not outlive its cause, also where a controller died between tainting and granting; nor may it go
   * while the node advertises what its device no longer is.
   */
  async #openIfIdle({ node, partition }: Situation, judgement: Judgement): Promise<Verdict> {
    const { phase, reason, message } = judgement;
    if (phase === 'Updating' || reason === 'AwaitingPlan') return judgement;
    if (phase !== 'Unmanaged' && !isClosed(node)) return judgement;
    const change = phase === 'Unmanaged' ? releaseNode() : reopenNode(phase === 'Failed' ? 'failed' : undefined);
    const pending = await this.#opener.open(node, partition, change);
    if (!pending) return judgement;
    if (phase === 'Unmanaged') return pending;
    const again = Math.min(judgement.again ?? Infinity, pending.again ?? Infinity);
    return {
      ...judgement,
      message: `${message}. The node stays closed: ${pending.message}`,
      ...(Number.isFinite(again) && { again }),
    };
  }

  async #create(node: NodeObject): Promise<void> {
    const { name, uid } = node.metadata;
    if (uid === undefined || !this.#world.isGpuNode(node)) return;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
    const object = { metadata: { name, ownerReferences }, spec: { nodeUID: uid } };
    try {
      await this.#client.create<KubeObject>(nodePartitions, object);
      this.#log.info('partition created', { node: name });
    } catch (error) {
      // Made a moment ago, by us or by the leader before us; the watch brings it.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** A node was made anew under its old name: the old object must not tell the new node's agent what to do. */
  async #deleteStranger(node: NodeObject, partition: GpuNodePartition): Promise<ReconcileResult> {
    const { name, uid } = partition.metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await this.#client.delete({ resource: nodePartitions, name }, preconditions);
    this.#log.info('partition of an earlier node deleted', { node: node.metadata.name, nodeUID: node.metadata.uid });
    return { requeueAfterMs: 200 };
  }

  #forget(name: string): void {
    this.#world.verdicts.delete(name);
    this.#tools.refresher.forget(name);
    this.#reporter.forget(name);
  }
}
