import type { Cluster } from '../../src/controller/cluster.ts';
import { forecastRolloutState } from '../../src/core/plan/node.ts';
import { recordInForce } from '../../src/core/policy/history.ts';
import type { PolicyRecord } from '../../src/core/policy/record.ts';
import { wantedFinalizers, accept, currentOf, isAccepted, storeVersions } from '../../src/core/policy/versions.ts';
import { judgeSchedules, type ScheduleTimes } from '../../src/core/policy/schedules.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { LedgerStep } from '../../src/core/rollout/ledger.ts';
import { isDefinite } from '../../src/kube/api-error.ts';
import { timeText } from '../../src/core/text/syntax.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { type Policy, refuse } from './api.ts';
import type { ControllerWorld } from './controller-world.ts';
import { deleteDeadlineMs } from './setup.ts';
import type { NodeShell } from './shell.ts';
import type { WorkerTask } from './worker.ts';

/** What `src/controller/reconcile-policy.ts` does with a policy, without its messages, in virtual time. */
export class PolicyWork {
  readonly #world: ControllerWorld;
  readonly #cluster: Cluster;
  readonly #shell: NodeShell;
  readonly #by: string;
  readonly #freeze: string | undefined;
  readonly #known: (node: NodeObject) => NodeSnapshot;
  readonly #lookAt: (node: string) => void;
  readonly #tellPolicy: (name: string) => void;

  constructor(parts: {
    readonly world: ControllerWorld;
    readonly cluster: Cluster;
    readonly shell: NodeShell;
    /** Name of the process. */
    readonly by: string;
    readonly freeze: string | undefined;
    readonly known: (node: NodeObject) => NodeSnapshot;
    readonly lookAt: (node: string) => void;
    readonly tellPolicy: (name: string) => void;
  }) {
    this.#world = parts.world;
    this.#cluster = parts.cluster;
    this.#shell = parts.shell;
    this.#by = parts.by;
    this.#freeze = parts.freeze;
    this.#known = parts.known;
    this.#lookAt = parts.lookAt;
    this.#tellPolicy = parts.tellPolicy;
  }

  *reconcile(name: string): WorkerTask {
    const { policies, fleet, partitions } = this.#cluster;
    const policy = policies.get(name);
    const record = fleet.policy(name);
    if (policy && !record && policy.metadata.deletionTimestamp !== undefined)
      return yield* this.#keepFinalizer(policy, true);
    if (!policy || !record || record.newest.metadata.generation !== policy.metadata.generation) return undefined;
    yield* this.#keepHistory(record);
    const isNew = record.awaitsAcceptance;
    if (isNew) {
      for (const node of record.unchecked) fleet.check(record, node, partitions.get(node));
      yield 1;
      if (fleet.policy(name) !== record) return undefined;
    }
    const accepts = isNew && record.refused.size === 0;
    const times = this.#timesOf(record, accepts);
    const mark = times?.mark;
    const isLeft = this.#world.hasBug('StaysSwitched') && mark?.name === undefined;
    const isSwitch = mark !== undefined && mark.name !== record.versions.schedule?.name && !isLeft;
    const stored = storeVersions(accepts ? accept(record.versions) : record.versions);
    const isUnmarked = mark !== undefined && policy.status?.schedule === undefined;
    if (policy.status?.acceptedGeneration !== stored.acceptedGeneration || isSwitch || isUnmarked) {
      const written = yield* this.#shell.call('Write', () =>
        this.#world.api.update(
          'policies',
          name,
          this.#by,
          ({ status, ...one }) => {
            const { schedule: _before, ...rest } = status ?? {};
            return { ...one, status: { ...rest, ...stored, ...(mark && { schedule: mark }) } };
          },
          (policies.get(name) ?? policy).metadata.resourceVersion,
        ),
      );
      policies.remember(written);
    }
    const switched = isSwitch ? fleet.switch(record, mark) : [];
    const affected = accepts ? fleet.accept(record, mark) : switched;
    let movedMs: number | undefined;
    try {
      yield* this.#keepHistory(record);
      if (accepts || isSwitch) record.isForecast = [...record.tally.unseen].every((node) => this.#forecast(node));
      movedMs = yield* this.#moveOn(name, record);
    } finally {
      for (const node of this.#cluster.nodesWithNewSlots(name)) this.#lookAt(node);
      for (const node of affected) this.#lookAt(node);
    }
    const again = least(movedMs, times?.judgeAt && Math.max(0, times.judgeAt - this.#world.timeline.now));
    if (isNew && !accepts) for (const node of record.nodes) this.#lookAt(node);
    return again;
  }

  *#keepHistory({ name, versions }: PolicyRecord): Generator<number, void, undefined> {
    const known = this.#cluster.policies.get(name);
    if (known === undefined || known.metadata.uid !== versions.newest.metadata.uid) return;
    const history = recordInForce(known.status?.history ?? [], versions, timeText(this.#world.timeline.now));
    if (deepEqual(history, known.status?.history ?? [])) return;
    const written = yield* this.#shell.call('Write', () =>
      this.#world.api.update(
        'policies',
        name,
        this.#by,
        (one) => ({ ...one, status: { ...one.status, history: [...history] } }),
        known.metadata.resourceVersion,
      ),
    );
    this.#cluster.policies.remember(written);
  }

  #timesOf({ versions }: PolicyRecord, accepts: boolean): ScheduleTimes | undefined {
    if (!accepts && !isAccepted(versions) && versions.inForce === undefined) return undefined;
    const { spec } = accepts ? versions.newest : currentOf(versions);
    return judgeSchedules(spec, versions.schedule, this.#world.timeline.now);
  }

  #forecast(name: string): boolean {
    const { nodes, rollout } = this.#cluster;
    const node = nodes.get(name);
    const rolloutState = node && forecastRolloutState(rollout.rolloutStateOf(name), this.#known(node));
    if (rolloutState) rollout.put(rolloutState);
    return rolloutState !== undefined;
  }

  *#moveOn(name: string, record: PolicyRecord): WorkerTask {
    yield* this.#readDoubted();
    const policy = this.#cluster.policies.get(name);
    if (!policy || policy.metadata.generation !== record.newest.metadata.generation) return undefined;
    if (this.#cluster.fleet.policy(name) !== record) return undefined;
    const step = this.#step(record);
    yield* this.#writeLedger(policy, step);
    const leftMs = yield* this.#retire(record);
    return leftMs === undefined ? step.requeueAfterMs : Math.min(leftMs, step.requeueAfterMs ?? leftMs);
  }

  *#readDoubted(): Generator<number, void, undefined> {
    const { fleet, policies } = this.#cluster;
    const uncertain = [...fleet.policies].map(({ name }) => name).filter((name) => policies.isUncertain(name));
    for (const name of uncertain) {
      const found = yield* this.#shell.call('Read', () => this.#world.api.find('policies', name));
      if (found) policies.remember(found);
      else policies.drop(name);
    }
  }

  #step(record: PolicyRecord): LedgerStep {
    const { cap: most, timeline } = this.#world;
    const isOverdue = this.#isOverdue(record.policy);
    const question = { now: timeline.now, most, frozen: this.#freeze, isOverdue };
    return this.#world.stepLedger(this.#cluster.rolloutOf(record, question));
  }

  *#writeLedger(
    policy: Policy,
    { ledger, canary, admitted, released }: LedgerStep,
  ): Generator<number, void, undefined> {
    const { name } = policy.metadata;
    const { inFlight = [], canary: knownCanary } = policy.status ?? {};
    if (deepEqual([ledger, canary], [inFlight, knownCanary])) return;
    const isWritten = this.#cluster.release(name, released);
    try {
      yield* this.#swapLedger(policy, { ledger, canary });
    } catch (error) {
      if (!isDefinite(error)) this.#cluster.policies.markUncertain(name);
      throw error;
    } finally {
      isWritten();
      for (const node of [...admitted, ...released]) this.#lookAt(node);
    }
    if (released.length > 0) for (const one of new Set([name, ...this.#cluster.rollout.asking])) this.#tellPolicy(one);
  }

  *#swapLedger(
    policy: Policy,
    { ledger, canary }: Pick<LedgerStep, 'ledger' | 'canary'>,
  ): Generator<number, void, undefined> {
    const { name, uid, resourceVersion } = policy.metadata;
    const written = yield* this.#shell.call('Write', () => {
      if (this.#world.api.find('policies', name)?.metadata.uid !== uid) throw refuse(409, 'Conflict', 'another uid');
      return this.#world.api.update(
        'policies',
        name,
        this.#by,
        ({ status, ...one }) => {
          const { canary: _before, ...rest } = status ?? {};
          return { ...one, status: { ...rest, inFlight: ledger, ...(canary && { canary }) } };
        },
        this.#world.hasBug('LedgerWithoutSwap') ? undefined : resourceVersion,
      );
    });
    this.#cluster.policies.remember(written);
  }

  *#retire({ policy, tally, isAccepted }: PolicyRecord): WorkerTask {
    const { name } = policy.metadata;
    const underWay = this.#cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    const isWhole = isAccepted && underWay === 0 && tally.inPhase('Ready') === tally.own;
    const isDone = isGoing && (this.#isOverdue(policy) || isWhole || this.#world.hasBug('LetGoEarly'));
    const known = this.#cluster.policies.get(name);
    if (known) yield* this.#keepFinalizer(known, isDone);
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#world.timeline.now + 10) : undefined;
  }

  *#keepFinalizer(known: Policy, isDone: boolean): Generator<number, undefined, undefined> {
    const { name, resourceVersion } = known.metadata;
    const finalizers = wantedFinalizers(known, isDone);
    if (!finalizers) return undefined;
    const written = yield* this.#shell.call('Write', () =>
      this.#world.setFinalizers(name, finalizers, resourceVersion, this.#by),
    );
    if (written) this.#cluster.policies.remember(written);
    return undefined;
  }

  #isOverdue(policy: PolicyRecord['policy']): boolean {
    return policy.metadata.deletionTimestamp !== undefined && this.#overdueAt(policy) < this.#world.timeline.now;
  }

  #overdueAt({ metadata }: PolicyRecord['policy']): number {
    return Date.parse(metadata.deletionTimestamp ?? '') + deleteDeadlineMs;
  }
}

function least(one: number | void, other: number | undefined): number | undefined {
  const all = [one, other].filter((ms) => typeof ms === 'number');
  return all.length > 0 ? Math.min(...all) : undefined;
}
