import { historyManager, ledgerManager } from '../api/names.ts';
import { policies } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { noteInForce } from '../core/policy/history.ts';
import { listRefused, type PolicyRecord } from '../core/policy/policy-record.ts';
import { judgeSchedules, type ScheduleMark, type ScheduleTimes } from '../core/policy/timetable.ts';
import { currentOf, isAccepted } from '../core/policy/versions.ts';
import { type LedgerStep, stepLedger } from '../core/rollout/ledger.ts';
import type { Limit } from '../core/rollout/limit.ts';
import { policyStatus } from '../core/status/policy-status.ts';
import { timeText } from '../core/text/duration.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { isDefinite } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import type { Forecast } from './forecast.ts';
import { factsOf } from './policy-facts.ts';
import { PolicyReporter } from './report-policy.ts';
import { PolicyRetirement } from './retire-policy.ts';
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

interface Parts {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly events: EventRecorder;
  readonly forecast: Forecast;
  readonly settings: RolloutSettings;
  readonly requeueNodes: (names: Iterable<string>) => void;
  readonly tellPolicy: (name: string) => void;
  readonly now: () => number;
}

/** Accepts a policy's generations, admits its nodes one after the other, and has its status told from what was found on them. */
export class PolicyReconciler {
  readonly #parts: Parts;
  readonly #reporter: PolicyReporter;
  readonly #retirement: PolicyRetirement;
  readonly #ledgers = new Turnstile(1);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reporter = new PolicyReporter(parts);
    this.#retirement = new PolicyRetirement({
      ...parts,
      deleteDeadlineMs: parts.settings.deleteDeadlineMs,
      reporter: this.#reporter,
    });
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const policy = this.#parts.cluster.policies.get(name);
    const record = this.#parts.cluster.fleet.policy(name);
    if (policy && !record) return this.#retirement.letGo(policy);
    if (!policy || !record || record.newest.metadata.generation !== policy.metadata.generation) return;
    // What is in force is remembered before anything replaces it.
    await this.#keepHistory(record);
    // 1. A new generation is accepted when every node that has reported can take it.
    const isNew = record.awaitsAcceptance;
    const isComplete = !isNew || (await this.#check(record));
    // Edited meanwhile: the newer generation is in the queue.
    if (!isComplete || this.#parts.cluster.fleet.policy(name) !== record) return;
    const isFit = isNew && record.refused.size === 0;
    const times = this.#timesOf(record, isFit);
    const turns = isFit || isSwitch(record, times);
    // 2. Decide which nodes get a slot. The accepted generation, or the schedule, is written before anything of it starts.
    const step = turns ? undefined : this.#step(record);
    const { freeze: frozen } = this.#parts.settings;
    const tally = turns ? this.#parts.cluster.fleet.tallyAfter(record, isFit) : record.tally;
    const limits = step?.limits ?? policy.status?.limits;
    const goesAt = this.#retirement.goesAt(policy);
    const facts = { ...factsOf(record, policy, isFit, times), gate: step?.gate, limits, frozen, goesAt };
    const untoldMs = await this.#reporter.tell(record, policy, policyStatus(facts, tally));
    // Of many edits in a row most are replaced before they are written: they are never accepted.
    const takesEffect = turns && untoldMs === undefined;
    const affected = takesEffect ? this.#turn(record, isFit, times?.mark) : [];
    let movedMs: number | undefined;
    try {
      if (takesEffect) await this.#keepHistory(record);
      if (takesEffect) record.isForecast = await this.#parts.forecast.forecast(record);
      // Also for a refused generation, or one without nodes to requeue it: finished nodes release their slots, deleted policies go.
      movedMs = await this.#moveOn(record);
    } finally {
      // A turn is taken once: after a write without an answer nobody would tell these nodes again.
      this.#parts.requeueNodes(this.#parts.cluster.nodesWithNewSlots(name));
      this.#parts.requeueNodes(affected);
    }
    const requeueAfterMs = least(least(untoldMs, this.#untilNext(times)), movedMs);
    const told = isNew && !isFit ? listRefused(record) : undefined;
    if (told !== record.toldRefusal) this.#parts.requeueNodes(record.nodes);
    record.toldRefusal = told;
    return { requeueAfterMs };
  }

  /** Which schedule is in force for the version that nodes are, or will be, told. */
  #timesOf({ versions }: PolicyRecord, accepts: boolean): ScheduleTimes | undefined {
    if (!accepts && !isAccepted(versions) && versions.inForce === undefined) return undefined;
    const { spec } = accepts ? versions.newest : currentOf(versions);
    return judgeSchedules(spec, versions.schedule, this.#parts.now());
  }

  #untilNext(times: ScheduleTimes | undefined): number | undefined {
    return times?.judgeAt === undefined ? undefined : Math.max(0, times.judgeAt - this.#parts.now());
  }

  /** @returns nodes for which what the policy says may have changed */
  #turn(record: PolicyRecord, accepts: boolean, schedule: ScheduleMark | undefined): readonly string[] {
    const { fleet } = this.#parts.cluster;
    if (accepts) return fleet.accept(record, schedule);
    return schedule ? fleet.switch(record, schedule) : [];
  }

  async #keepHistory({ name, versions }: PolicyRecord): Promise<void> {
    const { cluster, client, now } = this.#parts;
    const { metadata, status } = cluster.policies.get(name) ?? {};
    if (metadata === undefined || metadata.uid !== versions.newest.metadata.uid) return;
    const history = noteInForce(status?.history ?? [], versions, timeText(now()));
    if (sameJson(history, status?.history ?? [])) return;
    const { uid, resourceVersion } = metadata;
    const written = await client.apply<Policy>(
      { resource: policies, name, subresource: 'status' },
      { metadata: { uid, resourceVersion }, status: { history } },
      { force: true, fieldManager: historyManager },
    );
    cluster.policies.remember(written);
  }

  /** @returns when to look again, in ms */
  async #moveOn(record: PolicyRecord): Promise<number | undefined> {
    const step = await this.#advance(record);
    return step && least(await this.#retirement.advance(record), step.requeueAfterMs);
  }

  /** @returns undefined if the policy was edited meanwhile */
  async #advance(record: PolicyRecord): Promise<LedgerStep | undefined> {
    const policy = this.#unedited(record);
    if (!policy) return undefined;
    const step = this.#step(record);
    if (!hasMoved(policy, step)) return step;
    // One ledger at a time, stepped again right before it is written: the nodes in flight of all other policies are then known, not guessed.
    return this.#ledgers.pass(async () => {
      await this.#readDoubted();
      const now = this.#unedited(record);
      const last = now && this.#step(record);
      if (last && hasMoved(now, last)) await this.#writeLedger(now, last);
      return last;
    });
  }

  /** A ledger whose write got no answer may have nodes in flight that the watch does not show yet. */
  async #readDoubted(): Promise<void> {
    const { fleet, policies: known } = this.#parts.cluster;
    const doubted = [...fleet.policies].map(({ name }) => name).filter((name) => known.isDoubted(name));
    for (const name of doubted) {
      const found = await this.#parts.client.find<Policy>({ resource: policies, name });
      if (found) known.remember(found);
      else known.drop(name);
    }
  }

  /** The answer to our own write may have an edit in it that no watch has brought: nothing is decided by what was before. */
  #unedited(record: PolicyRecord): Policy | undefined {
    const { name, generation } = record.newest.metadata;
    const policy = this.#parts.cluster.policies.get(name);
    const isSame = policy?.metadata.generation === generation && this.#parts.cluster.fleet.policy(name) === record;
    return isSame ? policy : undefined;
  }

  #step(record: PolicyRecord): LedgerStep {
    const { maxConcurrentNodes: most, freeze: frozen } = this.#parts.settings;
    const isOverdue = this.#retirement.isOverdue(record.policy);
    return stepLedger(this.#parts.cluster.rolloutOf(record, { now: this.#parts.now(), most, frozen, isOverdue }));
  }

  /** Compare-and-swap: a decision on an older ledger has no effect. */
  async #writeLedger(policy: Policy, { ledger, canary, pace, admitted, released }: LedgerStep): Promise<void> {
    const { name, uid, resourceVersion } = policy.metadata;
    const isWritten = this.#parts.cluster.release(name, released);
    try {
      const written = await this.#parts.client.apply<Policy>(
        { resource: policies, name, subresource: 'status' },
        {
          metadata: { uid, resourceVersion },
          status: { inFlight: ledger, ...(canary && { canary }), ...(pace && { pace }) },
        },
        { force: true, fieldManager: ledgerManager },
      );
      this.#parts.cluster.policies.remember(written);
    } catch (error) {
      if (!isDefinite(error)) this.#parts.cluster.policies.doubt(name);
      throw error;
    } finally {
      isWritten();
      this.#parts.requeueNodes([...admitted, ...released]);
    }
    // This frees a place under the cap that another policy's nodes may be waiting for.
    if (released.length > 0)
      for (const { policy: other } of this.#parts.cluster.fleet.policies) this.#parts.tellPolicy(other.metadata.name);
  }

  /** Asks each node whether it can take the policy, a few at a time. @returns false if the policy was edited meanwhile */
  async #check(record: PolicyRecord): Promise<boolean> {
    const { fleet, partitions } = this.#parts.cluster;
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
