import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';
import type { Verdict } from '../../src/core/node/commands.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import { type Change as StoreChange, ObjectStore } from '../../src/kube/watch.ts';
import type { ApiChange, Kind, Kinds, Policy, StoredPartition } from './api.ts';
import type { ControllerWorld } from './controller-world.ts';
import { DemandWork } from './follow-demand.ts';
import { trimNodeOnce } from './trim-once.ts';
import { NodeWork } from './reconcile-node.ts';
import { PolicyWork } from './reconcile-policy.ts';
import { NodeShell } from './shell.ts';
import { Worker, type WorkerTask } from './worker.ts';

const watchedKinds = ['policies', 'nodes', 'partitions', 'agents'] as const;
/** How long news of a policy's nodes is collected, in ms. */
const policyPaceMs = 100;
/** Changes that a leader which begins behind has not seen, and how long it may take until it has, in ms. */
const unseen = 40;
const behindMs = 5000;
/** How long news of a policy's nodes is collected before layouts are chosen for its demand, in ms. */
const demandPaceMs = 250;

/** One process of the controller: as `src/controller/operator.ts`, in virtual time. Its memory ends with it. */
export class ControllerProcess {
  readonly name: string;
  /** Why no node may start a change: `--freeze`. */
  readonly freeze: string | undefined;
  readonly #world: ControllerWorld;
  readonly #stores = {
    nodes: new ObjectStore<NodeObject>(),
    partitions: new ObjectStore<StoredPartition>(),
    policies: new ObjectStore<Policy>(),
    agents: new ObjectStore<PodView>(),
  };
  /** How much of the API's log each watch has delivered. */
  readonly #cursor = new Map<Kind, number>();
  /** Watches that deliver nothing. */
  readonly frozen = new Set<Kind>();
  readonly #fleet: Fleet;
  readonly #agents = new AgentPods();
  readonly cluster: Cluster;
  readonly #nodeWork: NodeWork;
  readonly #policyWork: PolicyWork;
  readonly #demandWork: DemandWork | undefined;
  readonly #nodeWorkers = new Map<string, Worker>();
  readonly #policyWorkers = new Map<string, Worker>();
  readonly #demandWorkers = new Map<string, Worker>();
  #isGone = false;

  constructor(world: ControllerWorld, name: string, freeze: string | undefined) {
    this.#world = world;
    this.name = name;
    this.freeze = freeze;
    const { settings } = world;
    this.#fleet = new Fleet({ sharing: settings.pluginConfigMap !== undefined });
    this.cluster = new Cluster({ ...this.#stores, fleet: this.#fleet, agents: this.#agents });
    const parts = {
      world,
      cluster: this.cluster,
      shell: new NodeShell(world, this.cluster, name, () => !world.hasBug('NoCompareAndSwap')),
      by: name,
      tellPolicy: (policy: string) => this.#tellPolicy(policy),
    };
    const nodeWork = new NodeWork({ ...parts, agents: this.#agents, settings });
    this.#nodeWork = nodeWork;
    this.#policyWork = new PolicyWork({
      ...parts,
      freeze,
      known: (node) => nodeWork.known(node),
      lookAt: (node) => this.#lookAt(node),
    });
    const { demands } = world;
    this.#demandWork = demands && new DemandWork({ ...parts, demands, lookAt: (node) => this.#lookAt(node) });
    const { api } = world;
    if (world.hasBug('BeginBehind')) {
      this.#beginBehind();
      return;
    }
    for (const kind of watchedKinds) this.#cursor.set(kind, api.log.length);
    for (const object of api.list('policies')) this.#take('policies', this.#stores.policies.upsert(object));
    for (const object of api.list('nodes')) this.#take('nodes', this.#stores.nodes.upsert(trimNodeOnce(object)));
    for (const object of api.list('partitions')) this.#take('partitions', this.#stores.partitions.upsert(object));
    for (const object of api.list('agents')) this.#take('agents', this.#stores.agents.upsert(object));
  }

  /** With what its watches, while another led, have seen so far. */
  #beginBehind(): void {
    const { log } = this.#world.api;
    const seen = log.slice(0, -unseen);
    for (const kind of watchedKinds) this.#cursor.set(kind, seen.length);
    for (const kind of watchedKinds) for (const change of seen) if (change.kind === kind) this.#see(change);
    this.#world.timeline.after(behindMs, () => {
      for (const kind of watchedKinds) this.deliver(kind);
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** The latest verdict on each node. */
  get verdicts(): ReadonlyMap<string, Verdict> {
    return this.#nodeWork.verdicts;
  }

  get #workers(): readonly Worker[] {
    return [...this.#nodeWorkers.values(), ...this.#policyWorkers.values(), ...this.#demandWorkers.values()];
  }

  stop(): void {
    this.#isGone = true;
    for (const worker of this.#workers) worker.stop();
  }

  /** The process hangs: answers arrive this many ms later. @param whose only those that are awaited now, or the next ones too */
  stall(ms: number, whose: 'Awaited' | 'Next'): void {
    for (const worker of this.#workers) if (whose === 'Next' || !worker.isIdle) worker.stallMs = ms;
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

  seeSlices(node: string): void {
    if (!this.#isGone && !this.frozen.has('nodes')) this.#lookAt(node);
  }

  #see({ kind, type, object }: ApiChange): void {
    if (kind === 'nodes') {
      const node = trimNodeOnce(object as Kinds['nodes']);
      const store = this.#stores.nodes;
      this.#take('nodes', type === 'apply' ? store.upsert(node) : store.remove(node));
    } else if (kind !== 'pods') {
      const store = this.#stores[kind] as unknown as ObjectStore<Kinds['partitions']>;
      const known = object as Kinds['partitions'];
      this.#take(kind as 'partitions', type === 'apply' ? store.upsert(known) : store.remove(known));
    }
  }

  #take<Name extends Exclude<Kind, 'pods'>>(kind: Name, changes: readonly StoreChange<Kinds[Name]>[]): void {
    for (const change of changes) {
      if (kind === 'policies') this.#onPolicy(change as StoreChange<Policy>);
      if (kind === 'nodes') this.#onNode(change);
      if (kind === 'partitions' && !this.cluster.partitions.isOwn(change.object as StoredPartition)) {
        this.#lookAt(change.key);
        this.#tellDemands(this.#fleet.policiesOf(change.key));
      }
      if (kind === 'agents') {
        const node = this.#agents.update(change as StoreChange<PodView>);
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
    const isInvalid = this.#fleet.policy(change.key)?.refusal !== undefined;
    if (isInvalid && this.#world.hasBug('ForgetInvalid')) {
      for (const node of this.#fleet.removePolicy(change.key)) this.#lookAt(node);
    }
    if (affected === undefined && this.cluster.policies.isOwn(change.object)) return;
    this.#policyWorker(change.key).add();
    // It may take nodes from the pool of another.
    if (affected !== undefined) this.#tellDemands([...this.#fleet.policies].map(({ name }) => name));
    for (const node of affected ?? []) this.#lookAt(node);
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
    if (!previous || !deepEqual(previous.metadata.labels, labels)) {
      for (const policy of this.#fleet.setNode(key, labels)) this.#tellPolicy(policy);
    }
    this.#lookAt(key);
  }

  #lookAt(node: string): void {
    const known = this.#nodeWorkers.get(node) ?? new Worker(this.#world, () => this.#nodeWork.reconcile(node));
    this.#nodeWorkers.set(node, known);
    known.add();
  }

  #tellPolicy(name: string): void {
    this.#policyWorker(name).addAfter(policyPaceMs);
  }

  #policyWorker(name: string): Worker {
    const known = this.#policyWorkers.get(name) ?? new Worker(this.#world, () => this.#reconcilePolicy(name));
    this.#policyWorkers.set(name, known);
    return known;
  }

  *#reconcilePolicy(name: string): WorkerTask {
    const again = yield* this.#policyWork.reconcile(name);
    this.#tellDemands([name]);
    return again;
  }

  #tellDemands(names: readonly string[]): void {
    const work = this.#demandWork;
    if (!work) return;
    for (const name of names) {
      if (this.#fleet.policy(name)?.policy.spec.demand === undefined) continue;
      const known = this.#demandWorkers.get(name) ?? new Worker(this.#world, () => work.reconcile(name));
      this.#demandWorkers.set(name, known);
      known.addAfter(demandPaceMs);
    }
  }
}

function hasChanged(before: NodeObject, after: NodeObject): boolean {
  const { resourceVersion: _before, ...metadataBefore } = before.metadata;
  const { resourceVersion: _after, ...metadataAfter } = after.metadata;
  return !deepEqual([metadataBefore, before.spec, before.status], [metadataAfter, after.spec, after.status]);
}
