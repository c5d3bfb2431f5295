import { type decide, keepRolloutState } from '../core/node/decide.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import type { NodeStep } from '../core/node/commands.ts';
import { ApiError, orRefusal } from '../kube/api-error.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { Cluster } from './cluster.ts';
import type { Executed, Executor } from './execute.ts';
import type { Gatherer } from './gather.ts';
import type { NodeObject } from './operator.ts';
import type { PreviewPlanner } from './follow-demand.ts';
import { messageOf } from '../core/text/words.ts';
import { nodePartitions, nodes } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import type { NodeRolloutState } from '../core/rollout/budget.ts';
import { reportCondition, reportNode } from '../core/node/status.ts';
import { deepEqual, mergePatchOf } from '../core/text/json.ts';
import type { KubeVerbs } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/watch.ts';
import { refusedMs } from './reconcile-policy.ts';

/** The watch should bring back our own write within moments; after this many ms the Node itself is read. */
const ownWriteMs = 3000;
/** Pods, then everything, then once more if the node has changed in between. */
const mostReads = 4;

type Verdict = NodeStep['verdict'];

/** A final decision, and the snapshot that it is based on. */
type Judged = Exclude<ReturnType<typeof decide>, { readonly needs: unknown }> & { readonly snapshot: NodeSnapshot };

interface Parts {
  readonly cluster: Cluster;
  readonly gatherer: Gatherer;
  readonly executor: Executor;
  readonly reporter: NodeReporter;
  readonly preview: PreviewPlanner;
  readonly decide: typeof decide;
  /** Called with what was found and done, for logs and metrics. */
  readonly onStep?: ((step: NodeStep) => void) | undefined;
  /** Called for a node that is gone, after the last `onStep` of it. */
  readonly onGone?: ((node: string) => void) | undefined;
  readonly now: () => number;
}

/** Brings a node closer to what its policy wants, one step per call. */
export class NodeReconciler {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    // When a node is deleted, its partition goes with it (owner reference).
    if (!this.#parts.cluster.nodes.get(name)) return this.#forget(name);
    const left = await this.#catchUp(name);
    if (left !== undefined) return { requeueAfterMs: left };
    const node = this.#parts.cluster.nodes.get(name);
    if (!node) return this.#forget(name);
    const slots = this.#parts.cluster.slotsOf(node);
    // 1. Gather what is known, and decide; read more if the decision needs it.
    const found = await this.#judge(node);
    if (!found) return { requeueAfterMs: 200 };
    const { snapshot, verdict, commands, rolloutState } = found;
    this.#parts.reporter.note(snapshot, verdict, { ...rolloutState, seen: slots });
    // 2. Execute.
    this.#parts.cluster.memory.tries(node.metadata, this.#parts.cluster.memoryOf(node), found.memory);
    const { memory, refusal, unanswered } = await this.#execute(commands, snapshot, found.memory);
    this.#parts.cluster.memory.put(node.metadata, memory);
    if (unanswered !== undefined) throw unanswered;
    this.#parts.onStep?.({ node: name, verdict: refusal ?? verdict, commands: refusal ? [] : commands, memory });
    // 3. Report, unless there is nothing left to report on.
    if (refusal === undefined && commands.some((command) => command.name === 'DeletePartition')) {
      return { requeueAfterMs: verdict.requeueAfterMs };
    }
    const requeueAfterMs = await this.#parts.reporter.report(snapshot, refusal ?? verdict, memory);
    await this.#parts.preview.plan(snapshot);
    return { requeueAfterMs };
  }

  #forget(name: string): void {
    this.#parts.preview.forget(name);
    this.#parts.reporter.forget(name);
    this.#parts.onGone?.(name);
  }

  /** Judges a node; undefined if that throws. One node that always throws must not hold up its policy's other nodes. */
  async #judge(node: NodeObject): Promise<Judged | undefined> {
    const { name } = node.metadata;
    try {
      const known = this.#parts.gatherer.known(node);
      if (known.slot) this.#parts.cluster.rollout.begin(name);
      const found = await this.#decide(known, this.#parts.cluster.memoryOf(node));
      this.#parts.cluster.memory.decided(node.metadata);
      return found;
    } catch (error) {
      const why = messageOf(error);
      const given = this.#parts.cluster.memory.threw(node.metadata, why);
      if (given !== undefined) this.#parts.reporter.setAside(node, given);
      throw error;
    }
  }

  /** Reads what an unanswered write may have changed. @returns how long to wait for the watch to bring back what we wrote, in ms */
  async #catchUp(name: string): Promise<number | undefined> {
    const { nodes, partitions } = this.#parts.cluster;
    if (partitions.isUncertain(name)) await this.#parts.gatherer.readPartition(name);
    const since = nodes.expectedSince(name);
    const left = since === undefined ? 0 : ownWriteMs - (this.#parts.now() - since);
    if (left > 0) return left + 10;
    if (since === undefined && !nodes.isUncertain(name)) return undefined;
    const node = await this.#parts.gatherer.readNode(name);
    if (node) nodes.remember(node);
    else nodes.drop(name);
    return undefined;
  }

  async #decide(known: NodeSnapshot, memory: NodeStep['memory']): Promise<Judged | undefined> {
    let snapshot: NodeSnapshot | undefined = known;
    for (let reads = 0; reads <= mostReads && snapshot; reads += 1) {
      const decision = this.#parts.decide(snapshot, memory);
      if (!('needs' in decision)) return { ...decision, snapshot };
      snapshot = await this.#parts.gatherer.read(snapshot, decision.needs);
    }
    return undefined;
  }

  /** A missing right is not a transient error: it must be reported. */
  async #execute(
    commands: Judged['commands'],
    snapshot: NodeSnapshot,
    memory: NodeStep['memory'],
  ): Promise<Executed & { readonly refusal?: Verdict }> {
    try {
      return await this.#parts.executor.execute(commands, snapshot, memory);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      const message = `the API server forbids a required request: ${error.message}. Give the controller the rights of config/rbac`;
      return { memory, refusal: { phase: 'Failed', reason: 'Forbidden', message, requeueAfterMs: 30_000 } };
    }
  }
}

interface ReportParts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Called with each policy whose status has changed. */
  readonly onNews: (policy: string) => void;
  readonly now: () => number;
}

/** Reports what was found on a node: in its partition's status, as an Event, and to its policies. */
export class NodeReporter {
  readonly #parts: ReportParts;
  /** The times of the last writes, in ms since the epoch, by node. */
  readonly #writtenAt = new Map<string, number>();
  /** The same of the conditions of Nodes, and whether the API server took them. */
  readonly #toldAt = new Map<string, { readonly at: number; readonly isRefused: boolean }>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /**
   * Records a node's decision for its policies, before anything is done.
   * @param rolloutState with the slots that were known before that was determined
   */
  note({ node, claim, partition }: NodeSnapshot, verdict: Verdict, rolloutState: NodeRolloutState): void {
    const { name } = node.metadata;
    for (const told of this.#parts.cluster.fleet.review(name, partition)) this.#parts.onNews(told);
    // A policy is Ready no sooner than its nodes' own objects are: that is told with the report.
    if (verdict.phase !== 'Ready') this.#tally(name, claim, verdict, partition);
    for (const moved of this.#parts.cluster.rollout.put(rolloutState)) this.#parts.onNews(moved);
  }

  /** Stops everybody from waiting for a node that repeatedly cannot be decided: this is reported, and others proceed. */
  setAside(node: NodeObject, message: string): void {
    const { name, uid = '' } = node.metadata;
    const { fleet, rollout, partitions } = this.#parts.cluster;
    const { winner, outranked, planning } = fleet.conflictOf(name);
    const policy = winner?.policy;
    const outcome = { node: name, phase: 'Failed' as const, reason: 'Unjudged' as const, message };
    for (const told of fleet.note({ winner: policy, outranked }, outcome)) this.#parts.onNews(told);
    for (const told of planning.flatMap((one) => fleet.count(one, outcome))) this.#parts.onNews(told);
    const partition = partitions.get(name);
    const slot = policy && this.#parts.cluster.slotOf(policy, node, partition);
    const before = rollout.rolloutStateOf(name);
    // If the API server was away, what has failed at this generation still counts as failed.
    const isSame = before?.nodeUID === uid && before.wishGeneration === policy?.metadata.generation;
    const hasFailed = isSame && before.hasFailed;
    const seen = this.#parts.cluster.slotsOf(node);
    const kept = keepRolloutState({ node, partition, slot, claim: { winner: policy } });
    for (const moved of rollout.put({ ...kept, hasFailed, seen })) this.#parts.onNews(moved);
  }

  /** Call this when the node is gone. */
  forget(name: string): void {
    for (const moved of this.#parts.cluster.rollout.remove(name)) this.#parts.onNews(moved);
    this.#writtenAt.delete(name);
    this.#toldAt.delete(name);
    this.#parts.cluster.forget(name);
  }

  /** @returns milliseconds until the next look at the node, if nothing happens before */
  async report(snapshot: NodeSnapshot, verdict: Verdict, memory: NodeStep['memory']): Promise<number | undefined> {
    const { node, claim } = snapshot;
    const { name } = node.metadata;
    const partition = this.#parts.cluster.partitions.get(name);
    if (verdict.phase !== 'Ready') this.#tally(name, claim, verdict, partition);
    const { requeueAfterMs, isRefused } = await this.#write(snapshot, verdict, memory);
    if (verdict.phase === 'Ready' && isRefused !== true) this.#tally(name, claim, verdict, partition);
    const againMs = await this.#writeCondition(snapshot, verdict);
    return againMs === undefined ? requeueAfterMs : Math.min(requeueAfterMs ?? Infinity, againMs);
  }

  /** Last: it follows the node's own object. @returns milliseconds until the condition may change; undefined if nothing is held back */
  async #writeCondition(snapshot: NodeSnapshot, verdict: Verdict): Promise<number | undefined> {
    const { client, cluster, now } = this.#parts;
    const { name } = snapshot.node.metadata;
    // An open node that was closed just now, or the other way round, is known as it was before.
    const node = cluster.nodes.get(name) ?? snapshot.node;
    const partition = cluster.partitions.get(name);
    const at = now();
    const told = this.#toldAt.get(name);
    const restMs = told?.isRefused === true ? told.at + refusedMs - at : 0;
    if (restMs > 0) return restMs;
    const { patch, requeueAfterMs } = reportCondition({ ...snapshot, node }, partition, verdict, at, told?.at);
    if (patch === undefined) return requeueAfterMs;
    const ref = { resource: nodes, name, subresource: 'status' };
    // Another node of its name is none of ours.
    const change = { metadata: { uid: node.metadata.uid }, status: { conditions: [patch] } };
    const written = await orRefusal(client.mergeItems<KubeObject>(ref, change, { metadataOnly: true }), [403, 404]);
    const isRefused = written instanceof ApiError;
    this.#toldAt.set(name, { at, isRefused });
    if (!isRefused) cluster.nodes.expect(name, written.metadata.resourceVersion, at);
    else if (partition !== undefined) this.#announceRefusal(partition, 'condition of the Node not written', written);
    return isRefused ? refusedMs : undefined;
  }

  #announceRefusal(object: GpuNodePartition & KubeObject, what: string, { message }: ApiError): void {
    const about = { object, resource: nodePartitions, action: 'Partition' } as const;
    const note = `${what}, and the node proceeds as before: ${message}`;
    this.#parts.events.record({ ...about, type: 'Warning', reason: 'StatusRefused', message: note });
  }

  async #write(
    { node, claim, partition: decidedOn }: NodeSnapshot,
    verdict: Verdict,
    memory: NodeStep['memory'],
  ): Promise<{ readonly requeueAfterMs: number | undefined; readonly isRefused?: true }> {
    const { name, uid } = node.metadata;
    const partition = this.#parts.cluster.partitions.get(name);
    if (!partition || partition.spec.nodeUID !== uid) return { requeueAfterMs: verdict.requeueAfterMs };
    const at = this.#parts.now();
    const { status, requeueAfterMs } = reportNode(node, partition, verdict, memory, at, this.#writtenAt.get(name));
    if (!status) return { requeueAfterMs };
    this.#writtenAt.set(name, at);
    const before = partition.status;
    const { device: _agents, ...known } = partition.status ?? {};
    const ref = { resource: nodePartitions, name, subresource: 'status' };
    const sent = this.#parts.client.merge<GpuNodePartition & KubeObject>(ref, {
      status: mergePatchOf(known, status, 'All'),
    });
    const written = await orRefusal(sent);
    if (written instanceof ApiError) {
      this.#announceRefusal(partition, 'status not written', written);
      return { requeueAfterMs: Math.min(requeueAfterMs ?? Infinity, refusedMs), isRefused: true };
    }
    const { status: now } = this.#parts.cluster.partitions.remember(written);
    this.#announce(written, before, verdict, claim.winner);
    // The answer includes what the agent reported meanwhile. A restarted watch sees it as our own write, which triggers no reconcile.
    return { requeueAfterMs: deepEqual(now?.device, decidedOn?.status?.device) ? requeueAfterMs : 0 };
  }

  #tally(
    node: string,
    claim: NodeSnapshot['claim'],
    { phase, reason, message }: Verdict,
    partition: GpuNodePartition | undefined,
  ): void {
    const plan = partition?.status?.device?.plan;
    const outcome = { node, phase, reason, message, ...(plan && { plan }) };
    for (const policy of this.#parts.cluster.fleet.note(claim, outcome)) this.#parts.onNews(policy);
  }

  #announce(
    partition: GpuNodePartition & KubeObject,
    before: GpuNodePartition['status'],
    { phase, reason, message }: Verdict,
    policy: GpuPartitionPolicy | undefined,
  ): void {
    // That no policy selects a node is news only if one did before.
    const isNews = phase === 'Unmanaged' ? before?.phase !== undefined : phase !== 'Pending' && phase !== 'Updating';
    // The end of a change is told of the Node.
    const hasOpened = partition.status?.closed?.offeredTime !== before?.closed?.offeredTime;
    const endsChange = phase === 'Ready' && hasOpened && (partition.spec.granted?.planHash ?? '') !== '';
    if (before?.phase === phase || !isNews || endsChange) return;
    this.#parts.events.record({
      object: partition,
      resource: nodePartitions,
      type: phase === 'Ready' || phase === 'Unmanaged' ? 'Normal' : 'Warning',
      reason,
      action: 'Partition',
      message: [
        policy ? `policy ${policy.metadata.name}: ${message}` : message,
        ...(phase === 'Ready' ? [partition.status?.layout ?? ''] : []),
      ]
        .filter((text) => text !== '')
        .join('; '),
    });
  }
}
