import { decide, type Decision } from '../core/node/decide.ts';
import type { NodeMemory } from '../core/node/memory.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import type { Verdict } from '../core/node/verdict.ts';
import { ApiError } from '../kube/api-error.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { Cluster } from './cluster.ts';
import type { Executor } from './execute.ts';
import type { Gatherer } from './gather.ts';
import type { NodeStep } from './node-step.ts';
import type { NodeReporter } from './report-node.ts';

/** Our own write should be back within moments; after so many ms the Node itself is asked. */
const ownWriteMs = 3000;
/** Pods, then everything, then once more where the node has changed in between. */
const mostLooks = 4;

/** Brings one node nearer to what its policy wants: one step at each call. */
export class NodeReconciler {
  readonly #cluster: Cluster;
  readonly #gatherer: Gatherer;
  readonly #executor: Executor;
  readonly #reporter: NodeReporter;
  readonly #onStep: ((step: NodeStep) => void) | undefined;
  readonly #now: () => number;

  constructor(parts: {
    readonly cluster: Cluster;
    readonly gatherer: Gatherer;
    readonly executor: Executor;
    readonly reporter: NodeReporter;
    /** Told what was found and done, for logs and metrics. */
    readonly onStep?: ((step: NodeStep) => void) | undefined;
    readonly now: () => number;
  }) {
    this.#cluster = parts.cluster;
    this.#gatherer = parts.gatherer;
    this.#executor = parts.executor;
    this.#reporter = parts.reporter;
    this.#onStep = parts.onStep;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    // 1. Gather what is known. A node that is gone takes its partition with it (owner reference).
    if (!this.#cluster.nodes.get(name)) return this.#reporter.forget(name);
    const left = await this.#catchUp(name);
    if (left !== undefined) return { requeueAfterMs: left };
    const node = this.#cluster.nodes.get(name);
    if (!node) return this.#reporter.forget(name);
    const known = this.#gatherer.known(node);
    const slots = this.#cluster.slotsOf(node);
    if (known.slot) this.#cluster.rollout.begin(name);
    // 2. Decide; read more where that is asked for.
    const found = await this.#decide(known, this.#cluster.memoryOf(name));
    if (!found) return { requeueAfterMs: 200 };
    const { snapshot, verdict, commands, standing } = found;
    this.#reporter.note(snapshot, verdict, { ...standing, seen: slots });
    // 3. Execute.
    const { memory, refusal } = await this.#execute(commands, snapshot, found.memory);
    this.#cluster.remember(name, memory);
    this.#onStep?.({ node: name, verdict: refusal ?? verdict, commands: refusal ? [] : commands, memory });
    // 4. Report.
    return { requeueAfterMs: await this.#reporter.report(snapshot, refusal ?? verdict, memory) };
  }

  /** @returns how long to wait for the watch to bring back what we wrote, in ms */
  async #catchUp(name: string): Promise<number | undefined> {
    const since = this.#cluster.awaitsNodeSince(name);
    if (since === undefined) return undefined;
    const left = ownWriteMs - (this.#now() - since);
    if (left > 0) return left + 10;
    const node = await this.#gatherer.readNode(name);
    if (node) this.#cluster.nodes.remember(node);
    return undefined;
  }

  async #decide(
    known: NodeSnapshot,
    memory: NodeMemory,
  ): Promise<(Exclude<Decision, { readonly look: unknown }> & { readonly snapshot: NodeSnapshot }) | undefined> {
    let snapshot: NodeSnapshot | undefined = known;
    for (let looks = 0; looks <= mostLooks && snapshot; looks += 1) {
      const decision = decide(snapshot, memory);
      if (!('look' in decision)) return { ...decision, snapshot };
      snapshot = await this.#gatherer.look(snapshot, decision.look);
    }
    return undefined;
  }

  /** A right that is missing is no trouble of the moment: it has to be told. */
  async #execute(
    commands: Exclude<Decision, { readonly look: unknown }>['commands'],
    snapshot: NodeSnapshot,
    memory: NodeMemory,
  ): Promise<{ readonly memory: NodeMemory; readonly refusal?: Verdict }> {
    try {
      return { memory: await this.#executor.execute(commands, snapshot, memory) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      const message = `the API server forbids what has to be done: ${error.message}. Give the controller the rights of config/rbac`;
      return { memory, refusal: { phase: 'Failed', reason: 'Forbidden', message, requeueAfterMs: 30_000 } };
    }
  }
}
