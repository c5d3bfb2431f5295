import type { AgentPods } from '../../src/controller/node-notifier.ts';
import type { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { Verdict } from '../../src/core/node/commands.ts';
import type { ControllerWorld, SettledDecision } from './controller-world.ts';
import { trimNodeOnce } from './trim-once.ts';
import type { NodeShell } from './shell.ts';
import type { WorkerTask } from './worker.ts';

type Judged = SettledDecision & { readonly snapshot: NodeSnapshot };

/** The watch should bring back an own write within moments; after this many ms the Node itself is read. */
const ownWriteMs = 3000;
const mostReads = 4;

/** What `src/controller/reconcile-node.ts` does around `decide`, in virtual time. */
export class NodeWork {
  readonly #world: ControllerWorld;
  readonly #cluster: Cluster;
  readonly #agents: AgentPods;
  readonly #shell: NodeShell;
  readonly #by: string;
  readonly #settings: NodeSettings;
  readonly #tellPolicy: (name: string) => void;
  /** The latest verdict on each node. */
  readonly verdicts = new Map<string, Verdict>();

  constructor(parts: {
    readonly world: ControllerWorld;
    readonly cluster: Cluster;
    readonly agents: AgentPods;
    readonly shell: NodeShell;
    /** Name of the process. */
    readonly by: string;
    readonly settings: NodeSettings;
    readonly tellPolicy: (name: string) => void;
  }) {
    this.#world = parts.world;
    this.#cluster = parts.cluster;
    this.#agents = parts.agents;
    this.#shell = parts.shell;
    this.#by = parts.by;
    this.#settings = parts.settings;
    this.#tellPolicy = parts.tellPolicy;
  }

  *reconcile(name: string): WorkerTask {
    const { nodes, rollout, memory } = this.#cluster;
    if (!nodes.get(name)) return this.#forget(name);
    const left = yield* this.#catchUp(name);
    if (left !== undefined) return left;
    const node = nodes.get(name);
    if (!node) return this.#forget(name);
    const known = this.known(node);
    const seen = this.#cluster.slotsOf(node);
    if (known.slot) rollout.begin(name);
    const found = yield* this.#decide(known, this.#cluster.memoryOf(node));
    if (!found) return 200;
    const { snapshot, verdict, commands } = found;
    this.#note(found, seen);
    this.#world.checks.isDecided(this.#by, snapshot, found);
    memory.tries(node.metadata, this.#cluster.memoryOf(node), found.memory);
    const { memory: remembered, unanswered } = yield* this.#shell.execute(commands, snapshot, found.memory);
    memory.put(node.metadata, remembered);
    if (unanswered !== undefined) throw unanswered;
    this.verdicts.set(name, verdict);
    return yield* this.#shell.report(snapshot, verdict, remembered);
  }

  *#catchUp(name: string): Generator<number, number | undefined, undefined> {
    const { nodes, partitions } = this.#cluster;
    const { api, timeline } = this.#world;
    if (partitions.isUncertain(name)) {
      const read = yield* this.#shell.call('Read', () => api.find('partitions', name));
      if (read) partitions.remember(read);
      else partitions.drop(name);
    }
    const since = nodes.expectedSince(name);
    const left = since === undefined ? 0 : ownWriteMs - (timeline.now - since);
    if (left > 0) return left + 10;
    if (since === undefined && !nodes.isUncertain(name)) return undefined;
    const read = yield* this.#shell.call('Read', () => api.find('nodes', name));
    if (read) nodes.remember(trimNodeOnce(read));
    else nodes.drop(name);
    return undefined;
  }

  /** What the watches and our own writes show of a node. */
  known(node: NodeObject): NodeSnapshot {
    const { name } = node.metadata;
    const partition = this.#cluster.partitions.get(name);
    const claim = this.#cluster.fleet.claimOf(name, partition);
    return {
      now: this.#world.timeline.now,
      node,
      partition,
      claim,
      slot: claim.winner && this.#cluster.slotOf(claim.winner, node, partition),
      agent: this.#agents.viewOf(name),
      settings: this.#settings,
      hasSlices: this.#world.slicesOf(name).length > 0,
    };
  }

  #note({ snapshot, verdict, rolloutState }: Judged, seen: readonly string[]): void {
    const { name, uid = '' } = snapshot.node.metadata;
    const { fleet } = this.#cluster;
    const told = [...fleet.note(snapshot.claim, { node: name, ...verdict }), ...fleet.review(name, snapshot.partition)];
    for (const one of told) this.#tellPolicy(one);
    const policy = snapshot.claim.winner?.metadata.name;
    const moved = this.#cluster.rollout.put({ ...rolloutState, seen, node: name, nodeUID: uid, policy });
    for (const one of moved) this.#tellPolicy(one);
  }

  #forget(name: string): undefined {
    for (const policy of this.#cluster.rollout.remove(name)) this.#tellPolicy(policy);
    this.#cluster.forget(name);
    this.verdicts.delete(name);
  }

  *#decide(known: NodeSnapshot, memory: NodeMemory): Generator<number, Judged | undefined, undefined> {
    let snapshot: NodeSnapshot | undefined = known;
    for (let reads = 0; reads <= mostReads && snapshot; reads += 1) {
      const decision = this.#world.decide(snapshot, memory);
      if (!('needs' in decision)) return { ...decision, snapshot };
      snapshot = yield* this.#shell.read(snapshot, decision.needs);
    }
    return undefined;
  }
}
