import { ledgerManager } from '../api/names.ts';
import { policies } from '../api/resources.ts';
import type { GpuPartitionPolicy, PolicyStatus } from '../api/types.ts';
import { listRefused, type PolicyRecord } from '../core/policy/fleet.ts';
import { wantedFinalizers } from '../core/policy/retirement.ts';
import type { PolicyTally } from '../core/policy/tally.ts';
import type { RolloutGate } from '../core/rollout/gate.ts';
import { judgeAdmits } from '../core/rollout/admits.ts';
import { type LedgerStep, stepLedger } from '../core/rollout/ledger.ts';
import { countLimit, type Limit } from '../core/rollout/limit.ts';
import { setConditions } from '../core/status/conditions.ts';
import { isNews } from '../core/status/policy-news.ts';
import { type PolicyFacts, policyStatus, type PolicyStatusDraft } from '../core/status/policy-status.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { timeText } from '../core/text/time.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import type { Foresight } from './foresee.ts';
import { Turn } from '../process/turn.ts';

type Policy = GpuPartitionPolicy & KubeObject;

/** The administrator's settings for all rollouts together. */
export interface RolloutSettings {
  /** How many nodes may change at the same time, across all policies. */
  readonly maxConcurrentNodes: Limit;
  /** Why no node may start to change; absent if nodes may. */
  readonly freeze?: string | undefined;
  /** How long a deleted policy may take to make its GPUs whole, in ms. */
  readonly deleteDeadlineMs: number;
}

const mostLeft = 10;
/** Minimum time between writes of the node counts, in ms: in a large fleet they always change. */
const countsPaceMs = 1000;

/** Accepts a policy's generations, admits its nodes one after the other, and writes its status from what was found on them. */
export class PolicyReconciler {
  readonly #client: KubeClient;
  readonly #cluster: Cluster;
  readonly #events: EventRecorder;
  readonly #foresight: Foresight;
  readonly #settings: RolloutSettings;
  readonly #requeueNodes: (names: Iterable<string>) => void;
  readonly #tellPolicy: (name: string) => void;
  readonly #now: () => number;

  constructor(parts: {
    readonly client: KubeClient;
    readonly cluster: Cluster;
    readonly events: EventRecorder;
    readonly foresight: Foresight;
    readonly settings: RolloutSettings;
    readonly requeueNodes: (names: Iterable<string>) => void;
    readonly tellPolicy: (name: string) => void;
    readonly now: () => number;
  }) {
    this.#client = parts.client;
    this.#cluster = parts.cluster;
    this.#events = parts.events;
    this.#foresight = parts.foresight;
    this.#settings = parts.settings;
    this.#requeueNodes = parts.requeueNodes;
    this.#tellPolicy = parts.tellPolicy;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const policy = this.#cluster.policies.get(name);
    const record = this.#cluster.fleet.policy(name);
    if (!policy || !record || record.policy.metadata.generation !== policy.metadata.generation) return;
    // 1. A new generation is accepted when every node that has reported can take it.
    const { generation } = policy.metadata;
    const isNew = record.acceptedGeneration !== generation && record.refusal === undefined;
    const isComplete = !isNew || (await this.#check(record));
    // Edited meanwhile: the newer generation is in the queue.
    if (!isComplete || this.#cluster.fleet.policy(name) !== record) return;
    const isAccepted = !isNew || record.refused.size === 0;
    const accepted = isNew && isAccepted ? generation : record.acceptedGeneration;
    // 2. Decide whose turn it is. The accepted generation is written before anything of it starts.
    const { gate } = this.#step(record);
    const { freeze: frozen } = this.#settings;
    const draft = policyStatus({ ...factsOf(record, accepted, isAccepted, gate), frozen }, record.tally);
    const untoldMs = await this.#tell(record, policy, draft);
    record.acceptedGeneration = accepted;
    if (isNew && isAccepted) record.isForeseen = await this.#foresight.foresee(record);
    // Also for a refused generation, or one without nodes to requeue it: finished nodes release their slots, deleted policies go.
    const requeueAfterMs = least(untoldMs, await this.#moveOn(record));
    this.#requeueNodes(this.#cluster.nodesWithNewSlots(name));
    const told = isNew && !isAccepted ? listRefused(record) : undefined;
    if (!isNew || (!isAccepted && told === record.toldRefusal)) return { requeueAfterMs };
    record.toldRefusal = told;
    this.#requeueNodes(record.nodes);
    return { requeueAfterMs };
  }

  /** @returns when to look again, in ms */
  async #moveOn(record: PolicyRecord): Promise<number | undefined> {
    const { name } = record.policy.metadata;
    const policy = this.#cluster.policies.get(name);
    // The answer to our own write may have an edit in it that no watch has brought: nothing is decided by what was before.
    if (!policy || policy.metadata.generation !== record.policy.metadata.generation) return undefined;
    if (this.#cluster.fleet.policy(name) !== record) return undefined;
    const step = this.#step(record);
    await this.#writeLedger(policy, step);
    return least(await this.#retire(record), step.requeueAfterMs);
  }

  #step({ policy, tally, acceptedGeneration, isForeseen }: PolicyRecord): LedgerStep {
    const { rollout, nodes } = this.#cluster;
    const { name, generation } = policy.metadata;
    const cap = countLimit(this.#settings.maxConcurrentNodes, this.#cluster.size);
    return stepLedger({
      now: this.#now(),
      policy: { ...policy, status: this.#cluster.policies.get(name)?.status ?? {} },
      standings: rollout.of(name),
      standingOf: this.#cluster.standingsFor(name),
      uidOf: (node) => nodes.get(node)?.metadata.uid,
      size: tally.matched - tally.size('lost'),
      admits: judgeAdmits({
        mayStart: acceptedGeneration === generation && !this.#isOverdue(policy),
        unseen: tally.unseen,
        standings: rollout.of(name),
        isForeseen,
        hasCanary: policy.spec.rollout?.canary !== undefined,
      }),
      cap: cap - this.#cluster.inFlightBeside(name),
      frozen: this.#settings.freeze,
    });
  }

  /** Compare-and-swap: a decision on an older ledger has no effect. */
  async #writeLedger(policy: Policy, { ledger, canary, pace, admitted, released }: LedgerStep): Promise<void> {
    const { name, uid, resourceVersion } = policy.metadata;
    const { inFlight = [], canary: knownCanary, pace: knownPace } = policy.status ?? {};
    if (sameJson([ledger, canary, pace], [inFlight, knownCanary, knownPace])) return;
    await this.#cluster.admitting(name, ledger.length, async () => {
      const written = await this.#client.apply<Policy>(
        { resource: policies, name, subresource: 'status' },
        {
          metadata: { uid, resourceVersion },
          status: { inFlight: ledger, ...(canary && { canary }), ...(pace && { pace }) },
        },
        { force: true, fieldManager: ledgerManager },
      );
      this.#cluster.policies.remember(written);
    });
    this.#requeueNodes([...admitted, ...released]);
    // This frees a place under the cap that another policy's nodes may be waiting for.
    if (released.length > 0)
      for (const { policy: other } of this.#cluster.fleet.policies) this.#tellPolicy(other.metadata.name);
  }

  /** Keeps a policy that must make its GPUs whole until it has. @returns the time until this is given up, in ms */
  async #retire({ policy, tally }: PolicyRecord): Promise<number | undefined> {
    const { name } = policy.metadata;
    const own = tally.matched - tally.size('lost');
    const underWay = this.#cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    // Past the deadline it goes even with nodes in flight: a node without a policy is still brought to its end.
    const isDone = isGoing && (this.#isOverdue(policy) || (underWay === 0 && tally.inPhase('Ready') === own));
    const known = this.#cluster.policies.get(name);
    const finalizers = known && wantedFinalizers(known, isDone);
    if (known && finalizers) {
      const { resourceVersion } = known.metadata;
      const written = await this.#client.merge<Policy>(
        { resource: policies, name },
        { metadata: { resourceVersion, finalizers } },
      );
      this.#cluster.policies.remember(written);
      if (isDone) this.#tellLeft(known, tally);
    }
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#now() + 10) : undefined;
  }

  /** A dead node must not keep a policy forever. */
  #tellLeft(policy: Policy, tally: PolicyTally): void {
    const left = tally.first('unfinished', mostLeft).map(({ node, reason }) => `${node} (${reason})`);
    if (left.length === 0) return;
    this.#events.record({
      object: policy,
      resource: policies,
      type: 'Warning',
      reason: 'NotDisabled',
      action: 'Delete',
      message: `the policy is deleted although MIG was not disabled on ${left.join(', ')}: not done within ${this.#settings.deleteDeadlineMs / 1000} s`,
    });
  }

  #isOverdue(policy: GpuPartitionPolicy): boolean {
    return policy.metadata.deletionTimestamp !== undefined && this.#overdueAt(policy) < this.#now();
  }

  #overdueAt({ metadata }: GpuPartitionPolicy): number {
    return Date.parse(metadata.deletionTimestamp ?? '') + this.#settings.deleteDeadlineMs;
  }

  /** Asks each node whether it can take the policy, a few at a time. @returns false if the policy was edited meanwhile */
  async #check(record: PolicyRecord): Promise<boolean> {
    const { fleet, partitions } = this.#cluster;
    const turn = new Turn();
    for (const node of record.unchecked) {
      fleet.claimOf(node, partitions.get(node));
      await turn.pause();
      if (fleet.policy(record.policy.metadata.name) !== record) return false;
    }
    return true;
  }

  /** @returns in how many ms the status may be written, if it is too soon for new node counts */
  async #tell(record: PolicyRecord, policy: Policy, draft: PolicyStatusDraft): Promise<number | undefined> {
    const nowMs = this.#now();
    const now = timeText(nowMs);
    const current = policy.status;
    const generation = policy.metadata.generation;
    const drafts = draft.conditions.map((condition) => ({
      ...condition,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }));
    const conditions = setConditions(current?.conditions ?? [], drafts, now);
    const failures = (draft.failures ?? []).map((failure) => ({ ...failure, time: timeOf(failure, current) ?? now }));
    const status: PolicyStatus = { ...draft, conditions: [...conditions], failures };
    const { inFlight: _ledgers, canary: _alsoLedgers, pace: _ledgersToo, ...known } = current ?? {};
    if (sameJson(status, { failures: [], ...known })) return undefined;
    const leftMs = isNews(current, status) ? 0 : record.toldAtMs + countsPaceMs - nowMs;
    if (leftMs > 0) return leftMs;
    record.toldAtMs = nowMs;
    const ref = { resource: policies, name: policy.metadata.name };
    const written = await this.#client.applyStatus<Policy>(ref, status);
    this.#cluster.policies.remember(written);
    this.#announce(written, current);
    return undefined;
  }

  #announce(policy: Policy, before: PolicyStatus | undefined): void {
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    const earlier = before?.conditions?.find(({ type }) => type === 'Ready');
    const isSame = ready?.reason === earlier?.reason && ready?.status === earlier?.status;
    if (!ready || isSame || ready.reason === 'Reconciling') return;
    this.#events.record({
      object: policy,
      resource: policies,
      type: ready.status === 'True' ? 'Normal' : 'Warning',
      reason: ready.reason,
      action: 'Reconcile',
      message: ready.message,
    });
  }
}

/** The shorter of two waits. */
function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function factsOf(
  record: PolicyRecord,
  acceptedGeneration: number | undefined,
  isAccepted: boolean,
  gate: RolloutGate | undefined,
): PolicyFacts {
  const { policy, refusal, refused } = record;
  const [first] = refused.values();
  const words = listRefused(record);
  return {
    policy,
    refusal,
    acceptedGeneration,
    gate,
    ...(!isAccepted && first && words !== undefined && { refusedBy: { reason: first.reason, message: words } }),
  };
}

/** A failure keeps its time while it stays the same failure: otherwise every look at it would be a write. */
function timeOf(
  failure: NonNullable<PolicyStatus['failures']>[number],
  current: PolicyStatus | undefined,
): string | undefined {
  return current?.failures?.find(({ node, reason }) => node === failure.node && reason === failure.reason)?.time;
}
