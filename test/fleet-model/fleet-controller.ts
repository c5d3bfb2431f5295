import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { projectNode } from '../../src/core/projection/project-node.ts';
import type { AgentPod } from '../../src/core/node/agent-pod.ts';
import type { NodeObject } from '../../src/controller/node-object.ts';
import { decide, type Decision } from '../../src/core/node/decide.ts';
import { type NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { Verdict } from '../../src/core/node/verdict.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { admitsOf, type PolicyRecord } from '../../src/core/policy/policy-record.ts';
import { wantedFinalizers } from '../../src/core/policy/retirement.ts';
import { foreseeStanding } from '../../src/core/plan/foresee-standing.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../../src/core/rollout/ledger.ts';
import { countLimit } from '../../src/core/rollout/limit.ts';
import { sameJson } from '../../src/core/text/fingerprint.ts';
import { type Change as StoreChange, ObjectStore } from '../../src/kube/store.ts';
import { type ApiChange, type Kind, type Kinds, type Policy, refuse, type StoredPartition } from '../model/api.ts';
import { hasChanged } from '../model/controller.ts';
import { NodeShell } from '../model/shell.ts';
import { Worker, type WorkerTask } from '../model/worker.ts';
import { deleteDeadlineMs, settings } from './fleet-setup.ts';
import type { FleetWorld } from './fleet-world.ts';

type Settled = Exclude<Decision, { readonly look: unknown }>;

/** One process of the controller over a fleet: src/controller around `decide` and `stepLedger`, in virtual time. */
export class FleetController {
  readonly name: string;
  readonly #world: FleetWorld;
  readonly #stores = {
    nodes: new ObjectStore<NodeObject>(),
    partitions: new ObjectStore<StoredPartition>(),
    policies: new ObjectStore<Policy>(),
    agents: new ObjectStore<AgentPod>(),
  };
  /** How much of the API's log each watch has delivered. */
  readonly #cursor = new Map<Kind, number>();
  readonly frozen = new Set<Kind>();
  readonly #fleet = new Fleet({ sharing: false });
  readonly #agents = new AgentPods();
  readonly cluster: Cluster;
  readonly #shell: NodeShell;
  readonly #nodeWorkers = new Map<string, Worker>();
  readonly #policyWorkers = new Map<string, Worker>();
  #isGone = false;
  /** The latest verdict on each node. */
  readonly verdicts = new Map<string, Verdict>();
  /** Why no node may start a change. */
  readonly freeze: string | undefined;

  constructor(world: FleetWorld, name: string, freeze: string | undefined) {
    this.#world = world;
    this.name = name;
    this.freeze = freeze;
    this.cluster = new Cluster({ ...this.#stores, fleet: this.#fleet, agents: this.#agents });
    this.#shell = new NodeShell(world, this.cluster, name);
    const { api } = world;
    for (const kind of ['policies', 'nodes', 'partitions', 'agents'] as const) this.#cursor.set(kind, api.log.length);
    for (const object of api.list('policies')) this.#take('policies', this.#stores.policies.upsert(object));
    for (const object of api.list('nodes')) this.#take('nodes', this.#stores.nodes.upsert(projectNode(object)));
    for (const object of api.list('partitions')) this.#take('partitions', this.#stores.partitions.upsert(object));
    for (const object of api.list('agents')) this.#take('agents', this.#stores.agents.upsert(object));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get #workers(): readonly Worker[] {
    return [...this.#nodeWorkers.values(), ...this.#policyWorkers.values()];
  }

  stop(): void {
    this.#isGone = true;
    for (const worker of this.#workers) worker.stop();
  }

  /** The process hangs: pending answers arrive this many ms later. */
  stall(ms: number): void {
    for (const worker of this.#workers) if (!worker.isIdle) worker.stallMs = ms;
  }

  /** The watch of a kind delivers what has happened so far. */
  deliver(kind: Kind): void {
    if (this.#isGone || this.frozen.has(kind) || kind === 'pods') return;
    const { log } = this.#world.api;
    for (let at = this.#cursor.get(kind) ?? 0; at < log.length; at += 1) {
      const change = log[at];
      if (change?.kind === kind) this.#see(change);
    }
    this.#cursor.set(kind, log.length);
  }

  #see({ kind, type, object }: ApiChange): void {
    if (kind === 'nodes') {
      const node = projectNode(object as Kinds['nodes']);
      const store = this.#stores.nodes;
      this.#take('nodes', type === 'apply' ? store.upsert(node) : store.remove(node));
    } else if (kind !== 'pods') {
      const store = this.#stores[kind] as unknown as ObjectStore<Kinds['partitions']>;
      const known = object as Kinds['partitions'];
      this.#take(kind as 'partitions', type === 'apply' ? store.upsert(known) : store.remove(known));
    }
  }

  // --- as src/controller/operator.ts ------------------------------------------------------------------------------

  #take<Name extends Exclude<Kind, 'pods'>>(kind: Name, changes: readonly StoreChange<Kinds[Name]>[]): void {
    for (const change of changes) {
      if (kind === 'policies') this.#onPolicy(change as StoreChange<Policy>);
      if (kind === 'nodes') this.#onNode(change);
      if (kind === 'partitions' && !this.cluster.partitions.isOwn(change.object as StoredPartition)) {
        this.#lookAt(change.key);
      }
      if (kind === 'agents') {
        const node = this.#agents.take(change as StoreChange<AgentPod>);
        if (node !== undefined) this.#lookAt(node);
      }
    }
  }

  #onPolicy(change: StoreChange<Policy>): void {
    if (change.type === 'delete') {
      this.cluster.rollout.dropPolicy(change.key);
      for (const node of this.#fleet.removePolicy(change.key)) this.#lookAt(node);
      return;
    }
    const affected = this.#fleet.setPolicy(change.object);
    if (affected === undefined && this.cluster.policies.isOwn(change.object)) return;
    this.#policyWorker(change.key).add();
    const record = this.#fleet.policy(change.key);
    const isAwaited = this.#fleet.awaitsAcceptance(change.key);
    for (const node of affected ?? []) if (!isAwaited || record?.nodes.has(node) !== true) this.#lookAt(node);
  }

  #onNode(change: StoreChange<NodeObject>): void {
    const { key } = change;
    if (change.type === 'delete') {
      for (const policy of this.#fleet.removeNode(key)) this.#tellPolicy(policy);
      return this.#lookAt(key);
    }
    const { object, previous } = change;
    if (previous && !hasChanged(previous, object)) return;
    const { labels = {} } = object.metadata;
    if (!previous || !sameJson(previous.metadata.labels, labels)) {
      for (const policy of this.#fleet.setNode(key, labels)) this.#tellPolicy(policy);
    }
    this.#lookAt(key);
  }

  #lookAt(node: string): void {
    const known = this.#nodeWorkers.get(node) ?? new Worker(this.#world, () => this.#reconcile(node));
    this.#nodeWorkers.set(node, known);
    known.add();
  }

  #tellPolicy(name: string): void {
    this.#policyWorker(name).addAfter(100);
  }

  #policyWorker(name: string): Worker {
    const known = this.#policyWorkers.get(name) ?? new Worker(this.#world, () => this.#reconcilePolicy(name));
    this.#policyWorkers.set(name, known);
    return known;
  }

  // --- as src/controller/reconcile-policy.ts, without the messages -------------------------------------------------

  *#reconcilePolicy(name: string): WorkerTask {
    const policy = this.cluster.policies.get(name);
    const record = this.#fleet.policy(name);
    if (!policy || !record || record.policy.metadata.generation !== policy.metadata.generation) return undefined;
    const { generation } = policy.metadata;
    const isNew = record.acceptedGeneration !== generation && record.refusal === undefined;
    if (isNew) {
      for (const node of record.unchecked) this.#fleet.claimOf(node, this.cluster.partitions.get(node));
      yield 1;
      if (this.#fleet.policy(name) !== record) return undefined;
    }
    const isAccepted = !isNew || record.refused.size === 0;
    const accepted = isNew && isAccepted ? generation : record.acceptedGeneration;
    if (policy.status?.acceptedGeneration !== accepted && accepted !== undefined) {
      const written = yield* this.#shell.call('Write', () =>
        this.#world.api.update('policies', name, this.name, (one) => ({
          ...one,
          status: { ...one.status, acceptedGeneration: accepted },
        })),
      );
      this.cluster.policies.remember(written);
    }
    record.acceptedGeneration = accepted;
    if (isNew && isAccepted) record.isForeseen = [...record.tally.unseen].every((node) => this.#foresee(node));
    const again = yield* this.#moveOn(name, record);
    for (const node of this.cluster.nodesWithNewSlots(name)) this.#lookAt(node);
    if (isNew) for (const node of record.nodes) this.#lookAt(node);
    this.#policyWorkers.get(name)?.succeeded();
    return again;
  }

  #foresee(name: string): boolean {
    const node = this.cluster.nodes.get(name);
    const standing = node && foreseeStanding(this.cluster.rollout.standingOf(name), this.#known(node));
    if (standing) this.cluster.rollout.put(standing);
    return standing !== undefined;
  }

  *#moveOn(name: string, record: PolicyRecord): WorkerTask {
    const policy = this.cluster.policies.get(name);
    if (!policy || policy.metadata.generation !== record.policy.metadata.generation) return undefined;
    if (this.#fleet.policy(name) !== record) return undefined;
    const step = this.#step(record);
    yield* this.#writeLedger(policy, step);
    const leftMs = yield* this.#retire(record);
    return leftMs === undefined ? step.requeueAfterMs : Math.min(leftMs, step.requeueAfterMs ?? leftMs);
  }

  #step(record: PolicyRecord): LedgerStep {
    const { policy, tally } = record;
    const { rollout, nodes } = this.cluster;
    const { name } = policy.metadata;
    const snapshot: LedgerSnapshot = {
      now: this.#world.timeline.now,
      policy: { ...policy, status: this.cluster.policies.get(name)?.status ?? {} },
      standings: rollout.of(name),
      standingOf: this.cluster.standingsFor(name),
      uidOf: (node) => nodes.get(node)?.metadata.uid,
      size: tally.matched - tally.size('lost'),
      admits: admitsOf(record, rollout.of(name), this.#isOverdue(policy)),
      cap: countLimit(this.#world.setup.cap, this.cluster.size) - this.cluster.inFlightBeside(name),
      frozen: this.freeze,
    };
    const { bug } = this.#world;
    const step = stepLedger(bug?.seeLedger?.(snapshot) ?? snapshot);
    return bug?.sayLedger?.(step, snapshot) ?? step;
  }

  *#writeLedger(
    policy: Policy,
    { ledger, canary, admitted, released }: LedgerStep,
  ): Generator<number, void, undefined> {
    const { name, uid, resourceVersion } = policy.metadata;
    const { inFlight = [], canary: knownCanary } = policy.status ?? {};
    if (sameJson([ledger, canary], [inFlight, knownCanary])) return;
    const written = yield* this.#shell.call('Write', () => {
      if (this.#world.api.find('policies', name)?.metadata.uid !== uid) throw refuse(409, 'Conflict', 'another uid');
      return this.#world.api.update(
        'policies',
        name,
        this.name,
        ({ status, ...one }) => {
          const { canary: _before, ...rest } = status ?? {};
          return { ...one, status: { ...rest, inFlight: ledger, ...(canary && { canary }) } };
        },
        this.#world.hasBug('LedgerWithoutSwap') ? undefined : resourceVersion,
      );
    });
    this.cluster.policies.remember(written);
    for (const node of [...admitted, ...released]) this.#lookAt(node);
    if (released.length > 0)
      for (const { policy: other } of this.#fleet.policies) this.#tellPolicy(other.metadata.name);
  }

  *#retire({ policy, tally }: PolicyRecord): WorkerTask {
    const { name } = policy.metadata;
    const own = tally.matched - tally.size('lost');
    const underWay = this.cluster.rollout.of(name).underWay.size;
    const isGoing = policy.metadata.deletionTimestamp !== undefined;
    const isDone = isGoing && (this.#isOverdue(policy) || (underWay === 0 && tally.inPhase('Ready') === own));
    const known = this.cluster.policies.get(name);
    const finalizers = known && wantedFinalizers(known, isDone);
    if (known && finalizers) {
      const written = yield* this.#shell.call('Write', () =>
        this.#world.setFinalizers(name, finalizers, known.metadata.resourceVersion, this.name),
      );
      if (written) this.cluster.policies.remember(written);
    }
    return isGoing && !isDone ? Math.max(1000, this.#overdueAt(policy) - this.#world.timeline.now + 10) : undefined;
  }

  #isOverdue(policy: PolicyRecord['policy']): boolean {
    return policy.metadata.deletionTimestamp !== undefined && this.#overdueAt(policy) < this.#world.timeline.now;
  }

  #overdueAt({ metadata }: PolicyRecord['policy']): number {
    return Date.parse(metadata.deletionTimestamp ?? '') + deleteDeadlineMs;
  }

  // --- as src/controller/reconcile-node.ts ------------------------------------------------------------------------

  *#reconcile(name: string): WorkerTask {
    const result = yield* this.#reconcileNode(name);
    this.#nodeWorkers.get(name)?.succeeded();
    return result;
  }

  *#reconcileNode(name: string): WorkerTask {
    if (!this.cluster.nodes.get(name)) return this.#forget(name);
    const since = this.cluster.nodes.expectedSince(name);
    if (since !== undefined) {
      const left = 3000 - (this.#world.timeline.now - since);
      if (left > 0) return left + 10;
      const node = yield* this.#shell.call('Read', () => this.#world.api.find('nodes', name));
      if (node) this.cluster.nodes.remember(projectNode(node));
    }
    const node = this.cluster.nodes.get(name);
    if (!node) return this.#forget(name);
    const known = this.#known(node);
    const seen = this.cluster.slotsOf(node);
    if (known.slot) this.cluster.rollout.begin(name);
    const found = yield* this.#decide(known, this.cluster.memoryOf(name));
    if (!found) return 200;
    const { snapshot, verdict, commands } = found;
    this.#note(found, seen);
    this.#world.checks.isDecided(this, snapshot, found);
    const memory = yield* this.#shell.execute(commands, snapshot, found.memory);
    this.cluster.memory.put(name, memory);
    this.verdicts.set(name, verdict);
    return yield* this.#shell.report(snapshot, verdict, memory);
  }

  #known(node: NodeObject): NodeSnapshot {
    const { name } = node.metadata;
    const partition = this.cluster.partitions.get(name);
    const claim = this.#fleet.claimOf(name, partition);
    return {
      now: this.#world.timeline.now,
      node,
      partition,
      claim,
      slot: claim.winner && this.cluster.slotOf(claim.winner, node, partition),
      agent: this.#agents.viewOf(name),
      settings,
    };
  }

  #note({ snapshot, verdict, standing }: Settled & { readonly snapshot: NodeSnapshot }, seen: readonly string[]): void {
    const { name, uid = '' } = snapshot.node.metadata;
    const { winner, losers } = snapshot.claim;
    const outcome = { node: name, ...verdict };
    for (const policy of winner ? [winner, ...losers] : []) {
      const record = this.#fleet.policy(policy.metadata.name);
      if (record?.policy.spec !== policy.spec || !record.nodes.has(name)) continue;
      if (record.tally.put(policy === winner ? outcome : { ...outcome, wonBy: winner?.metadata.name ?? '' })) {
        this.#tellPolicy(policy.metadata.name);
      }
    }
    const policy = winner?.metadata.name;
    const moved = this.cluster.rollout.put({ ...standing, seen, node: name, nodeUID: uid, policy });
    for (const one of moved) this.#tellPolicy(one);
  }

  #forget(name: string): undefined {
    for (const policy of this.cluster.rollout.remove(name)) this.#tellPolicy(policy);
    this.cluster.forget(name);
    this.verdicts.delete(name);
  }

  *#decide(
    known: NodeSnapshot,
    memory: NodeMemory,
  ): Generator<number, (Settled & { readonly snapshot: NodeSnapshot }) | undefined, undefined> {
    const { bug } = this.#world;
    let snapshot: NodeSnapshot | undefined = known;
    for (let looks = 0; looks <= 4 && snapshot; looks += 1) {
      const seen: NodeSnapshot = bug?.see?.(snapshot) ?? snapshot;
      const decision: Decision = decide(seen, memory);
      if (!('look' in decision)) return { ...decision, ...bug?.say?.(decision, seen), snapshot };
      snapshot = yield* this.#shell.look(snapshot, decision.look);
    }
    return undefined;
  }
}
