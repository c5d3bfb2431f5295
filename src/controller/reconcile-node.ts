import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy, Wish } from '../api/types.ts';
import { giveBack } from '../core/metadata/borrowed-labels.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels/label-key.ts';
import { type Judgement, judgeNode } from '../core/node/judge-node.ts';
import { closeNode, combine, releaseNode, reopenNode } from '../core/node/node-marks.ts';
import type { NodeChange } from '../core/metadata/node-patch.ts';
import { isAlreadyExists } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import { NodeFinisher, pending } from './finish-node.ts';
import { type GrantSettings, NodeGranter } from './grant-node.ts';
import { type ClientSettings, GpuClients, isPaused } from './gpu-clients.ts';
import { type GateSettings, NodeGate } from './node-gate.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import { isUnfinished, NodeOpener } from './open-node.ts';
import { PluginConfig } from './plugin-config.ts';
import { PluginRefresher, type RefreshSettings } from './refresh-plugin.ts';
import type { NodeReporter } from './report-node.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

/** Times and names that the administrator may choose. */
export interface NodeSettings extends GrantSettings, RefreshSettings, ClientSettings, GateSettings {}

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
  readonly #gate: NodeGate;
  readonly #clients: GpuClients;
  readonly #refresher: PluginRefresher;
  readonly #granter: NodeGranter;
  readonly #opener: NodeOpener;
  readonly #finisher: NodeFinisher;
  readonly #reporter: NodeReporter;
  readonly #log: Logger;

  constructor(parts: {
    readonly client: KubeClient;
    readonly world: World;
    readonly reporter: NodeReporter;
    readonly settings: NodeSettings;
    readonly log: Logger;
  }) {
    const { client, world, settings } = parts;
    this.#client = client;
    this.#world = world;
    this.#gate = new NodeGate(client, world, settings);
    this.#clients = new GpuClients(client, world, settings);
    this.#refresher = new PluginRefresher(client, world, this.#gate, settings);
    const pluginConfig = settings.pluginConfigMap && new PluginConfig(client, world, settings.pluginConfigMap);
    this.#opener = new NodeOpener(client, world, this.#refresher, pluginConfig);
    this.#granter = new NodeGranter({
      client,
      world,
      settings,
      gate: this.#gate,
      opener: this.#opener,
      clients: this.#clients,
    });
    this.#finisher = new NodeFinisher({
      client,
      world,
      refresher: this.#refresher,
      clients: this.#clients,
      pluginConfig,
      settleMs: settings.settleMs,
      labelsDeadlineMs: settings.advertiseDeadlineMs,
    });
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
    const nodeBootID = node.status?.nodeInfo?.bootID;
    const judgement = judgeNode({ partition, policy, refusal, wish, nodeBootID, now: Date.now() });
    // 3. Act.
    const verdict = await this.#act({ node, partition, policy, wish }, judgement);
    // 4. Report.
    const again = await this.#reporter.report(node, this.#world.partitions.get(name) ?? partition, policy, verdict);
    return { requeueAfterMs: again };
  }

  async #act(situation: Situation, judgement: Judgement): Promise<Verdict> {
    const { node, partition, policy, wish } = situation;
    // A client that is away because of us comes back as soon as no grant needs that, whatever became of the grant.
    const isDone = judgement.next === 'Finish';
    const mayResume = judgement.reason !== 'Applying' && judgement.next !== 'Grant' && isPaused(node);
    const isHeld = mayResume && isDone && policy !== undefined && this.#finisher.holdsPlugin(node, partition, policy);
    if (mayResume && !isHeld) {
      await this.#clients.resume(node, isDone ? this.#refresher.noteFresh(node, partition) : {});
      return isDone ? pending('the clients of the GPUs are coming back') : { ...judgement, again: 250 };
    }
    switch (judgement.next) {
      case 'WriteWish':
        await this.#writeWish(situation);
        return judgement;
      case 'Close':
        if (!isClosed(node))
          this.#world.nodeWritten(node.metadata.name, await changeNode(this.#client, node, closeNode()));
        return judgement;
      case 'Grant':
        if (!policy || !wish) return judgement;
        return this.#openIfIdle(situation, await this.#granter.grant({ node, partition, policy, wish }));
      case 'NamePods':
        return this.#granter.nameHolders(node, partition, await this.#openIfIdle(situation, judgement));
      case 'Finish':
        return this.#finish(situation, judgement);
      case 'Wait':
        return this.#openIfIdle(situation, judgement);
    }
  }

  async #finish(situation: Situation, judgement: Judgement): Promise<Verdict> {
    const { node, partition, policy } = situation;
    if (!policy) return judgement;
    const stopped = await this.#gate.check(node, policy);
    if (stopped) return this.#openIfIdle(situation, stopped);
    return this.#finisher.finish(node, partition, policy, judgement);
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
  async #openIfIdle({ node, partition }: Situation, judgement: Verdict): Promise<Verdict> {
    const { phase, reason, message } = judgement;
    if (phase === 'Updating' || reason === 'AwaitingPlan' || reason === 'PodsUseGpus') return judgement;
    if (phase !== 'Unmanaged' && !isUnfinished(node)) return judgement;
    const change = phase === 'Unmanaged' ? release(node) : reopenNode(phase === 'Failed' ? 'failed' : undefined);
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
    this.#refresher.forget(name);
    this.#clients.forget(name);
    this.#finisher.forget(name);
    this.#reporter.forget(name);
  }
}

/**
 * What was on loan goes back. Of the plugin's settings only where there were others before: the layout stays, and without settings of
 * its own the plugin might run with a strategy that does not fit it.
 */
function release(node: NodeObject): NodeChange {
  return combine(
    releaseNode(),
    giveBack(metadataOf(node), (key, { was }) => key !== devicePluginConfigLabel || was !== null),
  );
}
