import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { projectNode } from '../../src/core/projection/project-node.ts';
import type { AgentPod } from '../../src/core/node/agent-pod.ts';
import type { NodeObject } from '../../src/controller/node-object.ts';
import type { Decision } from '../../src/core/node/decide.ts';
import { type NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { Verdict } from '../../src/core/node/verdict.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import type { PolicyRecord } from '../../src/core/policy/policy-record.ts';
import { stepLedger } from '../../src/core/rollout/ledger.ts';
import { sameJson } from '../../src/core/text/fingerprint.ts';
import { type Change as StoreChange, ObjectStore } from '../../src/kube/store.ts';
import { type ApiChange, type Kind, type Kinds, refuse, type StoredPartition, type Policy } from './api.ts';
import { settings } from './setup.ts';
import { NodeShell } from './shell.ts';
import { type WorkerTask, Worker } from './worker.ts';
import type { ModelWorld } from './world.ts';

type Settled = Exclude<Decision, { readonly look: unknown }>;

/** One process of the controller: src/controller around `decide`, in virtual time. Its memory ends with it. */
export class ControllerProcess {
  readonly name: string;
  readonly #world: ModelWorld;
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
  readonly #cluster: Cluster;
  readonly #shell: NodeShell;
  readonly worker: Worker;
  readonly #policyWorkers = new Map<string, Worker>();
  #isGone = false;
  /** The latest verdict. */
  verdict: Verdict | undefined;

  constructor(world: ModelWorld, name: string) {
    this.#world = world;
    this.name = name;
    this.#cluster = new Cluster({ ...this.#stores, fleet: this.#fleet, agents: this.#agents });
    this.#shell = new NodeShell(world, this.#cluster, name, () => !world.hasBug('NoCompareAndSwap'));
    this.worker = new Worker(world, () => this.#reconcile());
    const { api } = world;
    for (const kind of ['policies', 'nodes', 'partitions', 'agents'] as const) this.#cursor.set(kind, api.log.length);
    for (const object of api.list('policies')) this.#take('policies', this.#stores.policies.upsert(object));
    for (const object of api.list('nodes')) this.#take('nodes', this.#stores.nodes.upsert(projectNode(object)));
    for (const object of api.list('partitions')) this.#take('partitions', this.#stores.partitions.upsert(object));
    for (const object of api.list('agents')) this.#take('agents', this.#stores.agents.upsert(object));
    this.worker.add();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get isIdle(): boolean {
    return this.worker.isIdle && [...this.#policyWorkers.values()].every((worker) => worker.isIdle);
  }

  stop(): void {
    this.#isGone = true;
    this.worker.stop();
    for (const worker of this.#policyWorkers.values()) worker.stop();
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
      if (kind === 'partitions' && !this.#cluster.partitions.isOwn(change.object as StoredPartition)) this.worker.add();
      if (kind === 'agents' && this.#agents.take(change as StoreChange<AgentPod>) !== undefined) this.worker.add();
    }
  }

  #onPolicy(change: StoreChange<Policy>): void {
    if (change.type === 'delete') {
      this.#cluster.rollout.dropPolicy(change.key);
      if (this.#fleet.removePolicy(change.key).length > 0) this.worker.add();
      return;
    }
    const affected = this.#fleet.setPolicy(change.object);
    if (affected === undefined && this.#cluster.policies.isOwn(change.object)) return;
    this.#policyWorker(change.key).add();
    const record = this.#fleet.policy(change.key);
    const isAccepted = record?.acceptedGeneration === record?.policy.metadata.generation;
    if ((affected ?? []).some((node) => isAccepted || record?.nodes.has(node) !== true)) this.worker.add();
  }

  #onNode(change: StoreChange<NodeObject>): void {
    if (change.type === 'delete') {
      for (const policy of this.#fleet.removeNode(change.key)) this.#policyWorker(policy).addAfter(100);
      return this.worker.add();
    }
    const { object, previous } = change;
    if (previous && !hasChanged(previous, object)) return;
    const { labels = {} } = object.metadata;
    if (!previous || !sameJson(previous.metadata.labels, labels)) {
      for (const policy of this.#fleet.setNode(change.key, labels)) this.#policyWorker(policy).addAfter(100);
    }
    this.worker.add();
  }

  #policyWorker(name: string): Worker {
    const known = this.#policyWorkers.get(name) ?? new Worker(this.#world, () => this.#reconcilePolicy(name));
    this.#policyWorkers.set(name, known);
    return known;
  }

  // --- as src/controller/reconcile-policy.ts, without the messages -------------------------------------------------

  *#reconcilePolicy(name: string): WorkerTask {
    const policy = this.#cluster.policies.get(name);
    const record = this.#fleet.policy(name);
    if (!policy || !record || record.policy.metadata.generation !== policy.metadata.generation) return undefined;
    const { generation } = policy.metadata;
    const isNew = record.acceptedGeneration !== generation && record.refusal === undefined;
    if (isNew) {
      for (const node of record.unchecked) this.#fleet.claimOf(node, this.#cluster.partitions.get(node));
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
      this.#cluster.policies.remember(written);
    }
    record.acceptedGeneration = accepted;
    if (isNew && record.nodes.size > 0) this.worker.add();
    const again = isNew ? undefined : yield* this.#stepLedger(name, record);
    if (this.#cluster.nodesWithNewSlots(name).length > 0) this.worker.add();
    this.#policyWorkers.get(name)?.succeeded();
    return again;
  }

  *#stepLedger(name: string, record: PolicyRecord): WorkerTask {
    const policy = this.#cluster.policies.get(name);
    if (!policy) return undefined;
    const { rollout, nodes } = this.#cluster;
    const { uid, generation, resourceVersion } = policy.metadata;
    const step = stepLedger({
      now: this.#world.timeline.now,
      policy: { ...record.policy, status: policy.status ?? {} },
      standings: rollout.of(name),
      standingOf: this.#cluster.standingsFor(name),
      uidOf: (node) => nodes.get(node)?.metadata.uid,
      size: record.tally.matched - record.tally.size('lost'),
      admits: record.acceptedGeneration === generation && record.tally.size('unseen') === 0 ? 'Everybody' : 'Nobody',
      cap: Infinity,
      frozen: undefined,
    });
    const { ledger, canary } = step;
    const { inFlight = [], canary: knownCanary } = policy.status ?? {};
    if (sameJson([ledger, canary], [inFlight, knownCanary])) return step.requeueAfterMs;
    const written = yield* this.#shell.call('Write', () => {
      if (this.#world.api.find('policies', name)?.metadata.uid !== uid) throw refuse(409, 'Conflict', 'another uid');
      return this.#world.api.update(
        'policies',
        name,
        this.name,
        (one) => ({ ...one, status: { ...one.status, inFlight: ledger, ...(canary && { canary }) } }),
        resourceVersion,
      );
    });
    this.#cluster.policies.remember(written);
    this.worker.add();
    return step.requeueAfterMs;
  }

  // --- as src/controller/reconcile-node.ts ------------------------------------------------------------------------

  *#reconcile(): WorkerTask {
    const result = yield* this.#reconcileNode('n');
    this.worker.succeeded();
    return result;
  }

  *#reconcileNode(name: string): WorkerTask {
    if (!this.#cluster.nodes.get(name)) return this.#forget(name);
    const since = this.#cluster.nodes.expectedSince(name);
    if (since !== undefined) {
      const left = 3000 - (this.#world.timeline.now - since);
      if (left > 0) return left + 10;
      const node = yield* this.#shell.call('Read', () => this.#world.node);
      if (node) this.#cluster.nodes.remember(projectNode(node));
    }
    const node = this.#cluster.nodes.get(name);
    if (!node) return this.#forget(name);
    const partition = this.#cluster.partitions.get(name);
    const claim = this.#fleet.claimOf(name, partition);
    const known: NodeSnapshot = {
      now: this.#world.timeline.now,
      node,
      partition,
      claim,
      slot: claim.winner && this.#cluster.slotOf(claim.winner, node, partition),
      agent: this.#agents.viewOf(name),
      settings,
    };
    const seen = this.#cluster.slotsOf(node);
    if (known.slot) this.#cluster.rollout.begin(name);
    const found = yield* this.#decide(known, this.#cluster.memoryOf(name));
    if (!found) return 200;
    const { snapshot, verdict, commands } = found;
    this.#note(found, seen);
    this.#world.checks.isDecided(this.name, snapshot, found);
    const memory = yield* this.#shell.execute(commands, snapshot, found.memory);
    this.#cluster.memory.put(name, memory);
    this.verdict = verdict;
    return yield* this.#shell.report(snapshot, verdict, memory);
  }

  #note({ snapshot, verdict, standing }: Settled & { readonly snapshot: NodeSnapshot }, seen: readonly string[]): void {
    const { name, uid = '' } = snapshot.node.metadata;
    const { winner, losers } = snapshot.claim;
    const outcome = { node: name, ...verdict };
    for (const policy of winner ? [winner, ...losers] : []) {
      const record = this.#fleet.policy(policy.metadata.name);
      if (record?.policy.spec !== policy.spec || !record.nodes.has(name)) continue;
      if (record.tally.put(policy === winner ? outcome : { ...outcome, wonBy: winner?.metadata.name ?? '' })) {
        this.#policyWorker(policy.metadata.name).addAfter(100);
      }
    }
    const moved = this.#cluster.rollout.put({
      ...standing,
      seen,
      node: name,
      nodeUID: uid,
      policy: winner?.metadata.name,
    });
    for (const policy of moved) this.#policyWorker(policy).addAfter(100);
  }

  #forget(name: string): undefined {
    for (const policy of this.#cluster.rollout.remove(name)) this.#policyWorker(policy).addAfter(100);
    this.#cluster.forget(name);
  }

  *#decide(
    known: NodeSnapshot,
    memory: NodeMemory,
  ): Generator<number, (Settled & { readonly snapshot: NodeSnapshot }) | undefined, undefined> {
    let snapshot: NodeSnapshot | undefined = known;
    for (let looks = 0; looks <= 4 && snapshot; looks += 1) {
      const decision: Decision = this.#world.decide(snapshot, memory);
      if (!('look' in decision)) return { ...decision, snapshot };
      snapshot = yield* this.#shell.look(snapshot, decision.look);
    }
    return undefined;
  }
}

export function hasChanged(before: NodeObject, after: NodeObject): boolean {
  const { resourceVersion: _before, ...metadataBefore } = before.metadata;
  const { resourceVersion: _after, ...metadataAfter } = after.metadata;
  return !sameJson([metadataBefore, before.spec, before.status], [metadataAfter, after.spec, after.status]);
}
