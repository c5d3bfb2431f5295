import { ledgerManager } from '../api/names.ts';
import { policies } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { listRefused, type PolicyRecord } from '../core/policy/policy-record.ts';
import { wantedFinalizers } from '../core/policy/retirement.ts';
import { judgeSchedules, type ScheduleMark, type ScheduleTimes } from '../core/policy/timetable.ts';
import { accept, currentOf, isAccepted } from '../core/policy/versions.ts';
import { type LedgerStep, stepLedger } from '../core/rollout/ledger.ts';
import type { Limit } from '../core/rollout/limit.ts';
import { type PolicyFacts, policyStatus } from '../core/status/policy-status.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import type { Forecast } from './forecast.ts';
import { PolicyReporter } from './report-policy.ts';
import { Turn } from '../process/turn.ts';
import { Turnstile } from '../process/turnstile.ts';

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

/** Accepts a policy's generations, admits its nodes one after the other, and has its status told from what was found on them. */
export class PolicyReconciler {
  readonly #client: KubeClient;
  readonly #cluster: Cluster;
  readonly #reporter: PolicyReporter;
  readonly #forecast: Forecast;
  readonly #settings: RolloutSettings;
  readonly #requeueNodes: (names: Iterable<string>) => void;
  readonly #tellPolicy: (name: string) => void;
  readonly #now: () => number;
  readonly #ledgers = new Turnstile(1);

  constructor(parts: {
    readonly client: KubeClient;
    readonly cluster: Cluster;
    readonly events: EventRecorder;
    readonly forecast: Forecast;
    readonly settings: RolloutSettings;
    readonly requeueNodes: (names: Iterable<string>) => void;
    readonly tellPolicy: (name: string) => void;
    readonly now: () => number;
  }) {
    this.#client = parts.client;
    this.#cluster = parts.cluster;
    this.#reporter = new PolicyReporter(parts);
    this.#forecast = parts.forecast;
    this.#settings = parts.settings;
    this.#requeueNodes = parts.requeueNodes;
    this.#tellPolicy = parts.tellPolicy;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const policy = this.#cluster.policies.get(name);
    const record = this.#cluster.fleet.policy(name);
    if (policy && !record) return this.#letGo(policy);
    if (!policy || !record || record.newest.metadata.generation !== policy.metadata.generation) return;
    // 1. A new generation is accepted when every node that has reported can take it.
    const isNew = record.awaitsAcceptance;
    const isComplete = !isNew || (await this.#check(record));
    // Edited meanwhile: the newer generation is in the queue.
    if (!isComplete || this.#cluster.fleet.policy(name) !== record) return;
    const isFit = isNew && record.refused.size === 0;
    const times = this.#timesOf(record, isFit);
    const turns = isFit || isSwitch(record, times);
    // 2. Decide which nodes get a slot. The accepted generation, or the schedule, is written before anything of it starts.
    const step = turns ? undefined : this.#step(record);
    const { freeze: frozen } = this.#settings;
    const tally = turns ? this.#cluster.fleet.tallyAfter(record, isFit) : record.tally;
    const limits = step?.limits ?? policy.status?.limits;
    const goesAt = policy.metadata.deletionTimestamp === undefined ? undefined : this.#overdueAt(policy);
    const facts = { ...factsOf(record, policy, isFit, times), gate: step?.gate, limits, frozen, goesAt };
    const untoldMs = await this.#reporter.tell(record, policy, policyStatus(facts, tally));
    // Of many edits in a row most are replaced before they are written: they are never accepted.
    const takesEffect = turns && untoldMs === undefined;
    const affected = takesEffect ? this.#turn(record, isFit, times?.mark) : [];
    if (takesEffect) record.isForecast = await this.#forecast.forecast(record);
    // Also for a refused generation, or one without nodes to requeue it: finished nodes release their slots, deleted policies go.
    const requeueAfterMs = least(least(untoldMs, this.#untilNext(times)), await this.#moveOn(record));
    this.#requeueNodes(this.#cluster.nodesWithNewSlots(name));
    this.#requeueNodes(affected);
    const told = isNew && !isFit ? listRefused(record) : undefined;
    if (told !== record.toldRefusal) this.#requeueNodes(record.nodes);
    record.toldRefusal = told;
    return { requeueAfterMs };
  }

  /** Which schedule is in force for the version that nodes are, or will be, told. */
  #timesOf({ versions }: PolicyRecord, accepts: boolean): ScheduleTimes | undefined {
    if (!accepts && !isAccepted(versions) && versions.inForce === undefined) return undefined;
    const { spec } = accepts ? versions.newest : currentOf(versions);
    return judgeSchedules(spec, versions.schedule, this.#now());
  }

  #untilNext(times: ScheduleTimes | undefined): number | undefined {
    return times?.judgeAt === undefined ? undefined : Math.max(0, times.judgeAt - this.#now());
  }

  /** @returns nodes for which what the policy says may have changed */
  #turn(record: PolicyRecord, accepts: boolean, schedule: ScheduleMark | undefined): readonly string[] {
    const { fleet } = this.#cluster;
    if (accepts) return fleet.accept(record, schedule);
    return schedule ? fleet.switch(record, schedule) : [];
  }

  /** @returns when to look again, in ms */
  async #moveOn(record: PolicyRecord): Promise<number | undefined> {
    const step = await this.#advance(record);
    return step && least(await this.#retire(record), step.requeueAfterMs);
  }

  /** @returns undefined if the policy was edited meanwhile */
  async #advance(record: PolicyRecord): Promise<LedgerStep | undefined> {
    const policy = this.#unedited(record);
    if (!policy) return undefined;
    const step = this.#step(record);
    if (!hasMoved(policy, step)) return step;
    // One ledger at a time, stepped again right before it is written: the nodes in flight of all other policies are then known, not guessed.
    return this.#ledgers.pass(async () => {
      const now = this.#unedited(record);
      const last = now && this.#step(record);
      if (last && hasMoved(now, last)) await this.#writeLedger(now, last);
      return last;
    });
  }

  /** The answer to our own write may have an edit in it that no watch has brought: nothing is decided by what was before. */
  #unedited(record: PolicyRecord): Policy | undefined {
    const { name, generation } = record.newest.metadata;
    const policy = this.#cluster.policies.get(name);
    const isSame = policy?.metadata.generation === generation && this.#cluster.fleet.policy(name) === record;
    return isSame ? policy : undefined;
  }

  #step(record: PolicyRecord): LedgerStep {
    const { maxConcurrentNodes: most, freeze: frozen } = this.#settings;
    const isOverdue = this.#isOverdue(record.policy);
    return stepLedger(this.#cluster.rolloutOf(record, { now: this.#now(), most, frozen, isOverdue }));
  }

  /** Compare-and-swap: a decision on an older ledger has no effect. */
  async #writeLedger(policy: Policy, { ledger, canary, pace, admitted, released }: LedgerStep): Promise<void> {
    const { name, uid, resourceVersion } = policy.metadata;
    const isWritten = this.#cluster.release(name, released);
    try {
      const written = await this.#client.apply<Policy>(
        { resource: policies, name, subresource: 'status' },
        {
          metadata: { uid, resourceVersion },
          status: { inFlight: ledger, ...(canary && { canary }), ...(pace && { pace }) },
        },
        { force: true, fieldManager: ledgerManager },
      );
      this.#cluster.policies.remember(written);
    } finally {
      isWritten();
      this.#requeueNodes([...admitted, ...released]);
    }
    // This frees a place under the cap that another policy's nodes may be waiting for.
    if (released.length > 0)
      for (const { policy: other } of this.#cluster.fleet.policies) this.#tellPolicy(other.metadata.name);
  }

  /** Keeps a policy that must make its GPUs whole until it has. @returns the time until this is given up, in ms */
  async #retire({ policy, tally, isAccepted }: PolicyRecord): Promise<number | undefined> {
    const { name } = policy.metadata;
    const underWay = this.#cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    // Past the deadline it goes even with nodes in flight: a node without a policy is still brought to its end.
    const isWhole = isAccepted && underWay === 0 && tally.inPhase('Ready') === tally.own;
    const isDone = isGoing && (this.#isOverdue(policy) || isWhole);
    const known = this.#cluster.policies.get(name);
    if (known && (await this.#keepFinalizer(known, isDone)) && isDone)
      this.#reporter.tellLeft(known, tally, this.#settings.deleteDeadlineMs);
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#now() + 10) : undefined;
  }

  /** A policy that decides over nothing is not kept from going. */
  async #letGo(policy: Policy): Promise<void> {
    if (policy.metadata.deletionTimestamp !== undefined) await this.#keepFinalizer(policy, true);
  }

  /** @returns whether it had to be written */
  async #keepFinalizer(policy: Policy, isDone: boolean): Promise<boolean> {
    const finalizers = wantedFinalizers(policy, isDone);
    if (!finalizers) return false;
    const { name, resourceVersion } = policy.metadata;
    const written = await this.#client.merge<Policy>(
      { resource: policies, name },
      { metadata: { resourceVersion, finalizers } },
    );
    this.#cluster.policies.remember(written);
    return true;
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
      fleet.check(record, node, partitions.get(node));
      await turn.pause();
      if (fleet.policy(record.name) !== record) return false;
    }
    return true;
  }
}

/** Whether a step changes what is written. */
function hasMoved({ status }: Policy, { ledger, canary, pace }: LedgerStep): boolean {
  return !sameJson([ledger, canary, pace], [status?.inFlight ?? [], status?.canary, status?.pace]);
}

/** The shorter of two waits. */
function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** Whether the controller has to switch to another schedule. */
function isSwitch({ versions }: PolicyRecord, times: ScheduleTimes | undefined): boolean {
  return times !== undefined && times.mark !== versions.schedule && times.mark.name !== versions.schedule?.name;
}

/** @param accepts whether the newest generation is accepted with this status */
function factsOf(
  record: PolicyRecord,
  stored: Policy,
  accepts: boolean,
  times: ScheduleTimes | undefined,
): PolicyFacts {
  const { newest, refusal, refused, demand } = record;
  const { acceptedGeneration, inForce, previous } = accepts ? accept(record.versions) : record.versions;
  const [first] = refused.values();
  const words = listRefused(record);
  return {
    policy: newest,
    refusal,
    acceptedGeneration,
    inForce,
    previous,
    demand,
    // What was done once is not forgotten with the leader.
    defrag: demand ? demand.defrag : stored.status?.defrag,
    ...(times && { schedule: { ...times.mark, ...(times.next && { next: times.next }) } }),
    ...(first && words !== undefined && { refusedBy: { reason: first.reason, message: words } }),
  };
}
