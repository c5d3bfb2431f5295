import type { GpuPartitionPolicy, PolicyStatus } from '../api/types.ts';
import { type PolicyRecord, wantedFinalizers } from '../core/policy/record.ts';
import { nextStatus } from '../core/node/status.ts';
import { deepEqual } from '../core/text/json.ts';
import { policies } from '../api/resources.ts';
import { type PolicyReason, historyManager, ledgerManager } from '../api/names.ts';
import { ApiError, orRefusal, isDefinite } from '../kube/api-error.ts';
import type { KubeVerbs } from '../kube/client.ts';
import type { EventNote, EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { Cluster } from './cluster.ts';
import type { QuotaReconciler } from './kueue-quotas.ts';
import type { stepLedger } from '../core/rollout/ledger.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { type Clock, EventLoopYield, Semaphore } from '../process/clock.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { forecastRolloutState } from '../core/node/decide.ts';
import { describeError, type Logger } from '../process/log.ts';
import type { NodeObject } from './operator.ts';

type LedgerStep = ReturnType<typeof stepLedger>;

/** The schedule in force and the next one; undefined for a policy without schedules. */
type Times = ReturnType<PolicyRecord['timesAt']>;

type ReportedPolicy = GpuPartitionPolicy & KubeObject;

const mostLeft = 10;
/** A status that is refused is sent again after so long, in ms, unless there is news. */
export const refusedMs = 60_000;
/** Reasons of a rollout that is not stalled, but may need somebody to continue. A pause, a window or a soak was asked for. */
const blocked: ReadonlySet<string> = new Set<PolicyReason>(['Waiting', 'NodesUnavailable']);

interface ReportParts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly now: () => number;
}

/** Writes what was found on a policy's nodes to its status, and as Events. */
export class PolicyReporter {
  readonly #parts: ReportParts;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** @returns in how many ms the status may be written, if it was written too often lately, or is refused */
  async tell(record: PolicyRecord, policy: ReportedPolicy, status: PolicyStatus): Promise<number | undefined> {
    const now = this.#parts.now();
    const current = policy.status;
    const leftMs = record.writes.dueInMs(current, status, now);
    if (leftMs > 0) return leftMs;
    record.writes.written(current, status, now);
    const { name } = policy.metadata;
    // What was found of a policy, above all that its generation is accepted, must not be said of another one of the same name.
    const { resourceVersion } = (this.#parts.cluster.policies.get(name) ?? policy).metadata;
    const ref = { resource: policies, name };
    const sent = this.#parts.client.applyStatus<ReportedPolicy>(ref, status, { resourceVersion });
    const written = await orRefusal(sent);
    // The ledger does not wait for words: nodes in flight proceed, and others get their slots.
    if (written instanceof ApiError) {
      const message = `status not written, and nodes proceed as before: ${written.message}`;
      this.#record(policy, { type: 'Warning', reason: 'StatusRefused', action: 'Reconcile', message });
      return refusedMs;
    }
    this.#parts.cluster.policies.remember(written);
    this.#announce(written, current);
    this.#announceSwitch(written, current);
    return undefined;
  }

  #announceSwitch(policy: ReportedPolicy, before: PolicyStatus | undefined): void {
    const { schedule, acceptedGeneration } = policy.status ?? {};
    const isEdit = before?.acceptedGeneration !== acceptedGeneration;
    if (!schedule || !before?.schedule || isEdit || schedule.name === before.schedule.name) return;
    const what =
      schedule.name === undefined ? "the policy's own layouts or demand are" : `schedule ${schedule.name} is`;
    const until = schedule.next === undefined ? '' : ` until ${schedule.next.time}`;
    const message = `${what} in force${until}; nodes follow as a rollout`;
    this.#record(policy, { type: 'Normal', reason: 'ScheduleSwitched', action: 'Reconcile', message });
  }

  #announce(policy: ReportedPolicy, before: PolicyStatus | undefined): void {
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    const earlier = before?.conditions?.find(({ type }) => type === 'Ready');
    const isSame = ready?.reason === earlier?.reason && ready?.status === earlier?.status;
    if (!ready || isSame || ready.reason === 'Reconciling') return;
    const isStalled = policy.status?.conditions?.some(({ type, status }) => type === 'Stalled' && status === 'True');
    const type = isStalled === true || blocked.has(ready.reason) ? 'Warning' : 'Normal';
    this.#record(policy, { type, reason: ready.reason, action: 'Reconcile', message: ready.message });
  }

  /** A policy is gone although some of its nodes were not finished: a dead node must not keep it forever. */
  tellLeft(policy: ReportedPolicy, tally: PolicyRecord['tally'], deadlineMs: number): void {
    const left = tally.first('unfinished', mostLeft).map(({ node, reason }) => `${node} (${reason})`);
    if (left.length === 0) return;
    const message = `the policy is deleted although MIG was not disabled on ${left.join(', ')}: not done within ${deadlineMs / 1000} s`;
    this.#record(policy, { type: 'Warning', reason: 'NotDisabled', action: 'Delete', message });
  }

  #record(policy: ReportedPolicy, note: Omit<EventNote, 'object' | 'resource'>): void {
    this.#parts.events.record({ ...note, object: policy, resource: policies });
  }
}

type RetiredPolicy = GpuPartitionPolicy & KubeObject;

interface RetireParts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly reporter: PolicyReporter;
  readonly deleteDeadlineMs: number;
  readonly now: () => number;
}

/** Lets deleted policies go: at once, or when their GPUs are whole (`onDelete: DisableMig`). */
class PolicyDeletion {
  readonly #parts: RetireParts;

  constructor(parts: RetireParts) {
    this.#parts = parts;
  }

  /** Keeps a policy that must make its GPUs whole until it has. @returns the time until this is given up, in ms */
  async advance({ policy, tally, isAccepted }: PolicyRecord): Promise<number | undefined> {
    const { name } = policy.metadata;
    const underWay = this.#parts.cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    // Past the deadline it goes even with nodes in flight: a node without a policy is still brought to its end.
    const isWhole = isAccepted && underWay === 0 && tally.inPhase('Ready') === tally.own;
    const isDone = isGoing && (this.isOverdue(policy) || isWhole);
    const known = this.#parts.cluster.policies.get(name);
    if (known && (await this.#keepFinalizer(known, isDone)) && isDone)
      this.#parts.reporter.tellLeft(known, tally, this.#parts.deleteDeadlineMs);
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#parts.now() + 10) : undefined;
  }

  /** A policy that decides over nothing is not kept from going. */
  async letGo(policy: RetiredPolicy): Promise<void> {
    if (policy.metadata.deletionTimestamp !== undefined) await this.#keepFinalizer(policy, true);
  }

  /** @returns whether it had to be written */
  async #keepFinalizer(policy: RetiredPolicy, isDone: boolean): Promise<boolean> {
    const finalizers = wantedFinalizers(policy, isDone);
    if (!finalizers) return false;
    const { name, resourceVersion } = policy.metadata;
    const written = await this.#parts.client.merge<RetiredPolicy>(
      { resource: policies, name },
      { metadata: { resourceVersion, finalizers } },
    );
    this.#parts.cluster.policies.remember(written);
    return true;
  }

  isOverdue(policy: GpuPartitionPolicy): boolean {
    return policy.metadata.deletionTimestamp !== undefined && this.#overdueAt(policy) < this.#parts.now();
  }

  /** The time at which a policy goes whatever its nodes are, in ms since the epoch; undefined if it is not being deleted. */
  goesAt(policy: GpuPartitionPolicy): number | undefined {
    return policy.metadata.deletionTimestamp === undefined ? undefined : this.#overdueAt(policy);
  }

  #overdueAt({ metadata }: GpuPartitionPolicy): number {
    return Date.parse(metadata.deletionTimestamp ?? '') + this.#parts.deleteDeadlineMs;
  }
}

type Policy = GpuPartitionPolicy & KubeObject;

/** The administrator's settings for all rollouts together. */
export interface RolloutSettings {
  /** How many nodes, or which share of them, may change at the same time, across all policies. */
  readonly maxConcurrentNodes: number | string;
  /** Why no node may start to change; absent if nodes may. */
  readonly freeze?: string | undefined;
  /** How long a deleted policy may take to make its GPUs whole, in ms. */
  readonly deleteDeadlineMs: number;
}

interface Parts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly forecast: Forecast;
  readonly quotas: Pick<QuotaReconciler, 'lower' | 'settle'>;
  readonly settings: RolloutSettings;
  readonly stepLedger: typeof stepLedger;
  readonly clock: Clock;
  readonly requeueNodes: (names: Iterable<string>) => void;
  readonly tellPolicy: (name: string) => void;
  readonly now: () => number;
}

/** Accepts a policy's generations, admits its nodes one after the other, and has its status told from what was found on them. */
export class PolicyReconciler {
  readonly #parts: Parts;
  readonly #reporter: PolicyReporter;
  readonly #deletion: PolicyDeletion;
  readonly #ledgers = new Semaphore(1);
  /** The cap over all policies, as it was last seen. */
  #cap: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reporter = new PolicyReporter(parts);
    this.#deletion = new PolicyDeletion({
      ...parts,
      deleteDeadlineMs: parts.settings.deleteDeadlineMs,
      reporter: this.#reporter,
    });
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const policy = this.#parts.cluster.policies.get(name);
    const record = this.#parts.cluster.fleet.policy(name);
    if (policy && !record) return this.#deletion.letGo(policy);
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
    const goesAt = this.#deletion.goesAt(policy);
    const look = { accepts: isFit, times, gate: step?.gate, limits, frozen, goesAt };
    const status = nextStatus(record, policy, look, tally, this.#parts.now());
    const untoldMs = status && (await this.#reporter.tell(record, policy, status));
    // Of many edits in a row most are replaced before they are written: they are never accepted.
    const takesEffect = turns && untoldMs === undefined;
    const affected = takesEffect ? this.#turn(record, isFit, times) : [];
    // Nodes that it has lost are counted with that, without a look at them.
    if (takesEffect) this.#parts.tellPolicy(name);
    let movedMs: number | undefined;
    try {
      if (takesEffect) await this.#keepHistory(record);
      if (takesEffect) record.isForecast = await this.#parts.forecast.forecast(record);
      // Also for a refused generation, or one without nodes to requeue it: finished nodes release their slots, deleted policies go.
      movedMs = await this.#moveOn(record);
    } finally {
      // A turn is taken once: after a write without an answer, no later look requeues these nodes.
      this.#parts.requeueNodes(this.#parts.cluster.nodesWithNewSlots(name));
      this.#parts.requeueNodes(affected);
    }
    const requeueAfterMs = least(least(untoldMs, this.#untilNext(times)), movedMs);
    const told = isNew && !isFit ? record.whyRefused : undefined;
    if (told !== record.toldRefusal) this.#parts.requeueNodes(record.nodes);
    record.toldRefusal = told;
    return { requeueAfterMs };
  }

  /** The times of the schedule for the version that nodes are, or will be, told. */
  #timesOf(record: PolicyRecord, accepts: boolean): Times {
    if (!accepts && !record.isAccepted && record.inForce === undefined) return undefined;
    return record.timesAt(this.#parts.now(), accepts);
  }

  #untilNext(times: Times): number | undefined {
    return times?.judgeAt === undefined ? undefined : Math.max(0, times.judgeAt - this.#parts.now());
  }

  /** @returns nodes for which what the policy says may have changed */
  #turn(record: PolicyRecord, accepts: boolean, times: Times): readonly string[] {
    const { fleet } = this.#parts.cluster;
    if (accepts) return fleet.accept(record, times?.mark);
    return times ? fleet.switch(record, times.mark) : [];
  }

  async #keepHistory(record: PolicyRecord): Promise<void> {
    const { cluster, client, now } = this.#parts;
    const { name } = record;
    const known = cluster.policies.get(name);
    const history = known && record.nextHistory(known, now());
    if (known === undefined || history === undefined) return;
    const { uid, resourceVersion } = known.metadata;
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
    return step && least(await this.#deletion.advance(record), step.requeueAfterMs);
  }

  /** @returns undefined if the policy was edited meanwhile */
  async #advance(record: PolicyRecord): Promise<LedgerStep | undefined> {
    const policy = this.#unedited(record);
    if (!policy) return undefined;
    const step = this.#step(record);
    if (!hasMoved(policy, step)) return step;
    const { quotas } = this.#parts;
    try {
      const isLowered = await quotas.lower(record.name, step.admitted);
      // One ledger at a time, stepped again right before it is written: the nodes in flight of all other policies are then known, not guessed.
      return await this.#ledgers.pass(async () => {
        await this.#readDoubted();
        const now = this.#unedited(record);
        const last = now && this.#step(record);
        // Others than those whose quota was lowered have to wait for that.
        const isOther = last?.admitted.some((node) => !step.admitted.includes(node)) === true;
        if (isLowered && isOther) return { ...last, requeueAfterMs: 10 };
        if (last && hasMoved(now, last)) await this.#writeLedger(now, last);
        return last;
      });
    } finally {
      quotas.settle(record.name);
    }
  }

  /** A ledger whose write got no answer may have nodes in flight that the watch does not show yet. */
  async #readDoubted(): Promise<void> {
    const { fleet, policies: known } = this.#parts.cluster;
    const uncertain = [...fleet.policies].map(({ name }) => name).filter((name) => known.isUncertain(name));
    for (const name of uncertain) {
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
    const isOverdue = this.#deletion.isOverdue(record.policy);
    const step = this.#parts.stepLedger(
      this.#parts.cluster.rolloutOf(record, { now: this.#parts.now(), most, frozen, isOverdue }),
    );
    this.#tellCap(step.limits.maxConcurrentNodes);
    return step;
  }

  /** Each policy says in its status what the cap over all of them is: it grows with the nodes that have GPUs. */
  #tellCap(cap: number): void {
    if (cap === this.#cap) return;
    this.#cap = cap;
    for (const { name } of this.#parts.cluster.fleet.policies) this.#parts.tellPolicy(name);
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
      if (!isDefinite(error)) this.#parts.cluster.policies.markUncertain(name);
      throw error;
    } finally {
      isWritten();
      this.#parts.requeueNodes([...admitted, ...released]);
    }
    // This frees a place under the cap that another policy's nodes may be waiting for.
    if (released.length > 0)
      for (const one of new Set([name, ...this.#parts.cluster.rollout.asking])) this.#parts.tellPolicy(one);
  }

  /** Asks each node whether it can take the policy, a few at a time. @returns false if the policy was edited meanwhile */
  async #check(record: PolicyRecord): Promise<boolean> {
    const { fleet, partitions } = this.#parts.cluster;
    const turn = new EventLoopYield(this.#parts.clock);
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
  return !deepEqual([ledger, canary, pace], [status?.inFlight ?? [], status?.canary, status?.pace]);
}

/** The shorter of two waits. */
function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** Whether the controller has to switch to another schedule. */
function isSwitch({ versions }: PolicyRecord, times: Times): boolean {
  return times !== undefined && times.mark !== versions.schedule && times.mark.name !== versions.schedule?.name;
}

interface ForecastParts {
  readonly cluster: Cluster;
  readonly known: (node: NodeObject) => NodeSnapshot;
  readonly log: Logger;
  readonly clock: Clock;
}

/**
 * Works out what a policy's nodes will request at its new generation, from what is known of them: the first ones start before a whole
 * fleet has its wishes and has planned them.
 */
export class Forecast {
  readonly #parts: ForecastParts;

  constructor(parts: ForecastParts) {
    this.#parts = parts;
  }

  /** Call this when the policy's generation has been accepted. @returns whether it is known how each of its nodes stands */
  async forecast(record: PolicyRecord): Promise<boolean> {
    const { fleet } = this.#parts.cluster;
    const { name } = record.policy.metadata;
    const turn = new EventLoopYield(this.#parts.clock);
    for (const node of record.tally.unseen) {
      if (fleet.policy(name) !== record || !this.#forecastNode(node)) return false;
      await turn.pause();
    }
    return true;
  }

  #forecastNode(name: string): boolean {
    const { rollout, nodes } = this.#parts.cluster;
    const node = nodes.get(name);
    if (!node) return false;
    try {
      const rolloutState = forecastRolloutState(rollout.rolloutStateOf(name), this.#parts.known(node));
      if (rolloutState) rollout.put(rolloutState);
      return rolloutState !== undefined;
    } catch (error) {
      // It is looked at like all others, which reports what is wrong.
      this.#parts.log.warn('what this node will request cannot be forecast', {
        node: name,
        error: describeError(error),
      });
      return false;
    }
  }
}
