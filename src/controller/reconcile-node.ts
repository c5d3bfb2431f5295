import { decide, type Decision } from '../core/node/decide.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import type { Verdict } from '../core/node/outcome.ts';
import { ApiError } from '../kube/api-error.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { Cluster } from './cluster.ts';
import type { Executed, Executor } from './execute.ts';
import type { Gatherer } from './gather.ts';
import type { NodeStep } from './node-step.ts';
import type { NodeObject } from './node-object.ts';
import type { BesidePlanner } from './plan-beside.ts';
import type { NodeReporter } from './report-node.ts';
import { messageOf } from '../core/text/message-of.ts';

/** The watch should bring back our own write within moments; after this many ms the Node itself is read. */
const ownWriteMs = 3000;
/** Pods, then everything, then once more if the node has changed in between. */
const mostReads = 4;

/** A final decision, and the snapshot that it is based on. */
type Judged = Exclude<Decision, { readonly needs: unknown }> & { readonly snapshot: NodeSnapshot };

interface Parts {
  readonly cluster: Cluster;
  readonly gatherer: Gatherer;
  readonly executor: Executor;
  readonly reporter: NodeReporter;
  readonly beside: BesidePlanner;
  /** Called with what was found and done, for logs and metrics. */
  readonly onStep?: ((step: NodeStep) => void) | undefined;
  /** Called for a node that is gone, after the last `onStep` of it. */
  readonly onGone?: ((node: string) => void) | undefined;
  readonly now: () => number;
}

/** Brings a node closer to what its policy wants, one step per call. */
export class NodeReconciler {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    // When a node is deleted, its partition goes with it (owner reference).
    if (!this.#parts.cluster.nodes.get(name)) return this.#forget(name);
    const left = await this.#catchUp(name);
    if (left !== undefined) return { requeueAfterMs: left };
    const node = this.#parts.cluster.nodes.get(name);
    if (!node) return this.#forget(name);
    const slots = this.#parts.cluster.slotsOf(node);
    // 1. Gather what is known, and decide; read more if the decision needs it.
    const found = await this.#judge(node);
    if (!found) return { requeueAfterMs: 200 };
    const { snapshot, verdict, commands, rolloutState } = found;
    this.#parts.reporter.note(snapshot, verdict, { ...rolloutState, seen: slots });
    // 2. Execute.
    this.#parts.cluster.memory.tries(node.metadata, this.#parts.cluster.memoryOf(node), found.memory);
    const { memory, refusal, unanswered } = await this.#execute(commands, snapshot, found.memory);
    this.#parts.cluster.memory.put(node.metadata, memory);
    if (unanswered !== undefined) throw unanswered;
    this.#parts.onStep?.({ node: name, verdict: refusal ?? verdict, commands: refusal ? [] : commands, memory });
    // 3. Report, unless there is nothing left to report on.
    if (refusal === undefined && commands.some((command) => command.name === 'DeletePartition')) {
      return { requeueAfterMs: verdict.requeueAfterMs };
    }
    const requeueAfterMs = await this.#parts.reporter.report(snapshot, refusal ?? verdict, memory);
    await this.#parts.beside.plan(snapshot);
    return { requeueAfterMs };
  }

  #forget(name: string): void {
    this.#parts.beside.forget(name);
    this.#parts.reporter.forget(name);
    this.#parts.onGone?.(name);
  }

  /** One node that always throws must not hold up its policy's other nodes. */
  async #judge(node: NodeObject): Promise<Judged | undefined> {
    const { name } = node.metadata;
    try {
      const known = this.#parts.gatherer.known(node);
      if (known.slot) this.#parts.cluster.rollout.begin(name);
      const found = await this.#decide(known, this.#parts.cluster.memoryOf(node));
      this.#parts.cluster.memory.decided(node.metadata);
      return found;
    } catch (error) {
      const why = messageOf(error);
      const given = this.#parts.cluster.memory.threw(node.metadata, why);
      if (given !== undefined) this.#parts.reporter.setAside(node, given);
      throw error;
    }
  }

  /** Reads what an unanswered write may have changed. @returns how long to wait for the watch to bring back what we wrote, in ms */
  async #catchUp(name: string): Promise<number | undefined> {
    const { nodes, partitions } = this.#parts.cluster;
    if (partitions.isDoubted(name)) await this.#parts.gatherer.readPartition(name);
    const since = nodes.expectedSince(name);
    const left = since === undefined ? 0 : ownWriteMs - (this.#parts.now() - since);
    if (left > 0) return left + 10;
    if (since === undefined && !nodes.isDoubted(name)) return undefined;
    const node = await this.#parts.gatherer.readNode(name);
    if (node) nodes.remember(node);
    else nodes.drop(name);
    return undefined;
  }

  async #decide(known: NodeSnapshot, memory: NodeMemory): Promise<Judged | undefined> {
    let snapshot: NodeSnapshot | undefined = known;
    for (let reads = 0; reads <= mostReads && snapshot; reads += 1) {
      const decision = decide(snapshot, memory);
      if (!('needs' in decision)) return { ...decision, snapshot };
      snapshot = await this.#parts.gatherer.read(snapshot, decision.needs);
    }
    return undefined;
  }

  /** A missing right is not a transient error: it must be reported. */
  async #execute(
    commands: Judged['commands'],
    snapshot: NodeSnapshot,
    memory: NodeMemory,
  ): Promise<Executed & { readonly refusal?: Verdict }> {
    try {
      return await this.#parts.executor.execute(commands, snapshot, memory);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      const message = `the API server forbids a required request: ${error.message}. Give the controller the rights of config/rbac`;
      return { memory, refusal: { phase: 'Failed', reason: 'Forbidden', message, requeueAfterMs: 30_000 } };
    }
  }
}
