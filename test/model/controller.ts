import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { type NodeObject, TermWork } from '../../src/controller/operator.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';
import type { Verdict } from '../../src/core/node/commands.ts';
import type { decide } from '../../src/core/node/decide.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { type QueueOptions, WorkQueue } from '../../src/kube/queue.ts';
import { type Change, ObjectStore } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { ApiChange, Kind, Kinds, Policy, StoredPartition } from './api.ts';
import { Calls, ModelClient } from './client.ts';
import { clockOf, VirtualClock } from './clock.ts';
import type { ModelCluster } from './cluster.ts';
import { PoolThoughts } from './follow-demand.ts';
import { deleteDeadlineMs } from './setup.ts';
import { trimNodeOnce } from './trim-once.ts';

/** A decision that needs nothing more to be read. */
export type SettledDecision = Exclude<ReturnType<typeof decide>, { readonly needs: unknown }>;

export const watchedKinds = ['policies', 'nodes', 'partitions', 'agents'] as const;
type WatchedKind = (typeof watchedKinds)[number];
/** Changes that a leader which begins behind has not seen, and how long it may take until it has, in ms. */
const unseen = 40;
const behindMs = 5000;

/** One process of the controller that leads: a term's work as it ships, on watches and a client in memory. Its memory ends with it. */
export class ControllerProcess {
  readonly name: string;
  /** Why no node may start a change: `--freeze`. */
  readonly freeze: string | undefined;
  readonly cluster: Cluster;
  /** Watches that deliver nothing. */
  readonly frozen = new Set<Kind>();
  readonly #world: ModelCluster;
  readonly #stores = {
    nodes: new ObjectStore<NodeObject>(),
    partitions: new ObjectStore<StoredPartition>(),
    policies: new ObjectStore<Policy>(),
    agents: new ObjectStore<PodView>(),
  };
  /** How much of the API's log each watch has delivered. */
  readonly #cursor = new Map<Kind, number>();
  readonly #calls: Calls;
  readonly #work: TermWork;
  readonly #verdicts = new Map<string, Verdict>();
  #isGone = false;

  /** @param aheadMs what the clock of its machine is ahead of the API server's */
  constructor(world: ModelCluster, name: string, freeze: string | undefined, aheadMs: number) {
    this.#world = world;
    this.name = name;
    this.freeze = freeze;
    const { settings, timeline } = world;
    this.#calls = new Calls(world, (error) => error instanceof ApiError);
    const fleet = new ModelFleet(settings.pluginConfigMap !== undefined, world.hasBug('StaysSwitched'));
    this.cluster = new Cluster({ ...this.#stores, fleet, agents: new AgentPods() });
    const pools = new PoolThoughts(world, name, this.cluster, (ms) => this.#calls.pause(ms));
    const clock = new VirtualClock(timeline);
    const now = clockOf(timeline, aheadMs, !world.hasBug('TrustOwnClock'));
    this.#work = new TermWork({
      client: new ModelClient(world, name, this.#calls),
      cluster: this.cluster,
      events: { record: () => undefined },
      slices: {
        api: undefined,
        hasSlices: (node) => world.slicesOf(node).length > 0,
        follow: () => undefined,
      },
      logger: silentLogger,
      settings,
      rollout: {
        maxConcurrentNodes: world.cap,
        freeze,
        deleteDeadlineMs: world.hasBug('LetGoEarly') ? 0 : deleteDeadlineMs,
      },
      createQueue: (options) => this.#createQueue(options, clock),
      decide: (snapshot, memory) => this.#decide(snapshot, memory),
      stepLedger: (snapshot) => world.stepLedger(snapshot),
      think: pools.think,
      newMemory: (record) => pools.begin(record),
      clock: clock.ofWork,
      steadyMs: () => timeline.now,
      now,
    });
    timeline.wake();
    if (world.hasBug('BeginBehind')) {
      this.#beginBehind();
      return;
    }
    const { api } = world;
    for (const kind of watchedKinds) this.#cursor.set(kind, api.log.length);
    for (const object of api.list('policies')) this.#take('policies', this.#stores.policies.upsert(object));
    for (const object of api.list('partitions')) this.#take('partitions', this.#stores.partitions.upsert(object));
    for (const object of api.list('agents')) this.#take('agents', this.#stores.agents.upsert(object));
    for (const object of api.list('nodes')) this.#take('nodes', this.#stores.nodes.upsert(trimNodeOnce(object)));
  }

  #createQueue(options: Omit<QueueOptions, 'logger'>, clock: VirtualClock): WorkQueue {
    const reconcile: QueueOptions['reconcile'] = async (key, signal) => {
      try {
        return await options.reconcile(key, signal);
      } catch (error) {
        if (!this.#world.isFault(error)) this.#world.fail(error);
        throw error;
      }
    };
    const random = (): number => this.#world.random.next();
    return new WorkQueue({ ...options, reconcile, clock, random, logger: silentLogger });
  }

  #decide(snapshot: NodeSnapshot, memory: NodeMemory): ReturnType<typeof decide> {
    const decision = this.#world.decide(snapshot, memory);
    if ('needs' in decision) return decision;
    this.#world.checks.isDecided(this.name, snapshot, decision);
    this.#verdicts.set(snapshot.node.metadata.name, decision.verdict);
    return decision;
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
    return this.#verdicts;
  }

  stop(): void {
    this.#isGone = true;
    this.#calls.close();
    for (const queue of Object.values(this.#work.queues)) void queue.stop();
  }

  /** The process hangs: it hears no answer for this many ms. @param whose only those that it awaits now, or the next ones too */
  stall(ms: number, whose: 'Awaited' | 'Next'): void {
    this.#calls.hang(ms, whose);
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
    this.#world.timeline.wake();
  }

  seeSlices(node: string): void {
    if (this.#isGone || this.frozen.has('nodes')) return;
    this.#work.onSlices(node);
    this.#world.timeline.wake();
  }

  #see({ kind, type, object }: ApiChange): void {
    if (kind === 'nodes') {
      const node = trimNodeOnce(object as NodeObject);
      const store = this.#stores.nodes;
      this.#take('nodes', type === 'apply' ? store.upsert(node) : store.remove(node));
    } else if (kind !== 'pods') {
      const store = this.#stores[kind] as unknown as ObjectStore<StoredPartition>;
      const known = object as StoredPartition;
      this.#take(kind as 'partitions', type === 'apply' ? store.upsert(known) : store.remove(known));
    }
  }

  #take<Name extends WatchedKind>(kind: Name, changes: readonly Change<Kinds[Name]>[]): void {
    const work = this.#work;
    for (const change of changes) {
      if (kind === 'policies') this.#onPolicy(change as Change<Policy>);
      if (kind === 'nodes') work.onNode(change);
      if (kind === 'partitions') work.onPartition(change as Change<StoredPartition>);
      if (kind === 'agents') work.onAgent(change as Change<PodView>);
    }
  }

  #onPolicy(change: Change<Policy>): void {
    this.#work.onPolicy(change);
    const { fleet } = this.cluster;
    if (!this.#world.hasBug('ForgetInvalid') || fleet.policy(change.key)?.refusal === undefined) return;
    for (const node of fleet.removePolicy(change.key)) this.#work.onSlices(node);
  }
}

/** The policies of a fleet, with a planted bug if there is one. */
class ModelFleet extends Fleet {
  readonly #staysSwitched: boolean;

  constructor(sharing: boolean, staysSwitched: boolean) {
    super({ sharing });
    this.#staysSwitched = staysSwitched;
  }

  override setPolicy(policy: GpuPartitionPolicy): readonly string[] | undefined {
    const { schedules } = policy.spec;
    if (!this.#staysSwitched || !schedules) return super.setPolicy(policy);
    const endless = schedules.map((schedule) => ({ ...schedule, duration: '24h' }));
    return super.setPolicy({ ...policy, spec: { ...policy.spec, schedules: endless } });
  }
}
