import { nodePartitions } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import { writerModeFor } from '../core/node/rules/labels.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { type RolloutState, keepRolloutState } from '../core/node/rollout-state.ts';
import type { Verdict } from '../core/node/outcome.ts';
import type { NodeRolloutState } from '../core/rollout/slot.ts';
import { reportNode } from '../core/status/node-report.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { overwriteOf } from '../core/text/merge-patch.ts';
import { ApiError, orRefusal } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import type { NodeObject } from './node-object.ts';
import { refusedMs } from './report-policy.ts';

/** How a node stands in its rollout, with the slots that were known before that was determined. */
type SeenRolloutState = RolloutState & Pick<NodeRolloutState, 'seen'>;

interface Parts {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly events: EventRecorder;
  /** Called with each policy whose status has changed. */
  readonly onNews: (policy: string) => void;
  readonly now: () => number;
}

/** Reports what was found on a node: in its partition's status, as an Event, and to its policies. */
export class NodeReporter {
  readonly #parts: Parts;
  /** By node, in ms since the epoch. */
  readonly #writtenAt = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Records a node's decision for its policies, before anything is done. */
  note({ node, claim, partition }: NodeSnapshot, verdict: Verdict, rolloutState: SeenRolloutState): void {
    const { name, uid = '' } = node.metadata;
    for (const told of this.#parts.cluster.fleet.review(name, partition)) this.#parts.onNews(told);
    // A policy is Ready no sooner than its nodes' own objects are: that is told with the report.
    if (verdict.phase !== 'Ready') this.#tally(name, claim, verdict, partition);
    const policy = claim.winner?.metadata.name;
    for (const moved of this.#parts.cluster.rollout.put({ ...rolloutState, node: name, nodeUID: uid, policy }))
      this.#parts.onNews(moved);
  }

  /** Stops everybody from waiting for a node that repeatedly cannot be decided: this is reported, and others proceed. */
  setAside(node: NodeObject, message: string): void {
    const { name, uid = '' } = node.metadata;
    const { fleet, rollout, partitions } = this.#parts.cluster;
    const { winner, losers, beside } = fleet.contestOf(name);
    const policy = winner?.policy;
    const outcome = { node: name, phase: 'Failed' as const, reason: 'Unjudged' as const, message };
    for (const told of fleet.note({ winner: policy, losers }, outcome)) this.#parts.onNews(told);
    for (const told of beside.flatMap((one) => fleet.count(one, outcome))) this.#parts.onNews(told);
    const partition = partitions.get(name);
    const slot = policy && this.#parts.cluster.slotOf(policy, node, partition);
    const before = rollout.rolloutStateOf(name);
    // If the API server was away, what has failed at this generation still counts as failed.
    const isSame = before?.nodeUID === uid && before.wishGeneration === policy?.metadata.generation;
    const hasFailed = isSame && before.hasFailed;
    const rolloutState = { ...keepRolloutState({ node, partition, slot }), hasFailed };
    const seen = this.#parts.cluster.slotsOf(node);
    for (const moved of rollout.put({ ...rolloutState, seen, node: name, nodeUID: uid, policy: policy?.metadata.name }))
      this.#parts.onNews(moved);
  }

  /** Call this when the node is gone. */
  forget(name: string): void {
    for (const moved of this.#parts.cluster.rollout.remove(name)) this.#parts.onNews(moved);
    this.#writtenAt.delete(name);
    this.#parts.cluster.forget(name);
  }

  /** @returns milliseconds until the next look at the node, if nothing happens before */
  async report(snapshot: NodeSnapshot, verdict: Verdict, memory: NodeMemory): Promise<number | undefined> {
    const { node, claim } = snapshot;
    const { name } = node.metadata;
    const partition = this.#parts.cluster.partitions.get(name);
    if (verdict.phase !== 'Ready') this.#tally(name, claim, verdict, partition);
    const { requeueAfterMs, isRefused } = await this.#write(snapshot, verdict, memory);
    if (verdict.phase === 'Ready' && isRefused !== true) this.#tally(name, claim, verdict, partition);
    return requeueAfterMs;
  }

  async #write(
    { node, claim, partition: decidedOn }: NodeSnapshot,
    verdict: Verdict,
    memory: NodeMemory,
  ): Promise<{ readonly requeueAfterMs: number | undefined; readonly isRefused?: true }> {
    const { name, uid } = node.metadata;
    const partition = this.#parts.cluster.partitions.get(name);
    if (!partition || partition.spec.nodeUID !== uid) return { requeueAfterMs: verdict.requeueAfterMs };
    const mode = writerModeFor({ node, partition });
    const at = this.#parts.now();
    const { status, requeueAfterMs } = reportNode(partition, verdict, memory, mode, at, this.#writtenAt.get(name));
    if (!status) return { requeueAfterMs };
    this.#writtenAt.set(name, at);
    const before = partition.status?.phase;
    const { device: _agents, ...known } = partition.status ?? {};
    const ref = { resource: nodePartitions, name, subresource: 'status' };
    const sent = this.#parts.client.merge<GpuNodePartition & KubeObject>(ref, { status: overwriteOf(known, status) });
    const written = await orRefusal(sent);
    if (written instanceof ApiError) {
      const message = `status not written, and the node proceeds as before: ${written.message}`;
      const about = { object: partition, resource: nodePartitions, action: 'Partition' } as const;
      this.#parts.events.record({ ...about, type: 'Warning', reason: 'StatusRefused', message });
      return { requeueAfterMs: Math.min(requeueAfterMs ?? Infinity, refusedMs), isRefused: true };
    }
    const { status: now } = this.#parts.cluster.partitions.remember(written);
    this.#announce(written, before, verdict, claim.winner);
    // The answer includes what the agent reported meanwhile. A restarted watch sees it as our own write, which triggers no reconcile.
    return { requeueAfterMs: sameJson(now?.device, decidedOn?.status?.device) ? requeueAfterMs : 0 };
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
    before: string | undefined,
    { phase, reason, message }: Verdict,
    policy: GpuPartitionPolicy | undefined,
  ): void {
    // That no policy selects a node is news only if one did before.
    const isNews = phase === 'Unmanaged' ? before !== undefined : phase !== 'Pending' && phase !== 'Updating';
    if (before === phase || !isNews) return;
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
