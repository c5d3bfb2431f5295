import type { Phase, PlanReport } from '../../api/types.ts';

/** Nodes, and what each has in common with others. */
export class NodeGroup {
  readonly #nodes = new Set<string>();
  readonly #nodesOf = new Map<string, Set<string>>();

  get nodes(): ReadonlySet<string> {
    return this.#nodes;
  }

  /** The cause of most nodes first. */
  get causes(): readonly { readonly cause: string; readonly nodes: ReadonlySet<string> }[] {
    const all = [...this.#nodesOf].map(([cause, nodes]) => ({ cause, nodes }));
    return all.toSorted((a, b) => b.nodes.size - a.nodes.size);
  }

  add(node: string, cause: string): void {
    const known = this.#nodesOf.get(cause);
    this.#nodes.add(node);
    if (known) known.add(node);
    else this.#nodesOf.set(cause, new Set([node]));
  }

  /** @param cause with which it was added */
  delete(node: string, cause: string): void {
    const nodes = this.#nodesOf.get(cause);
    this.#nodes.delete(node);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#nodesOf.delete(cause);
  }
}

/** The outcome of one selected node, as the policy's status counts it. */
export interface NodeOutcome {
  readonly node: string;
  /** The policy that decides over the node, if it is not this one. */
  readonly wonBy?: string;
  /** Whether that has the higher priority. */
  readonly isOutranked?: boolean;
  readonly phase: Phase;
  readonly reason: string;
  readonly message: string;
  readonly plan?: PlanReport;
}

/** The outcome of a node that was not looked at yet. */
const unseen = { phase: 'Pending', reason: 'AwaitingPlan', message: 'not looked at yet' } as const;

/** Groups of nodes that are counted besides the ready ones; a node may be in several. */
type Group = 'outranked' | 'conflicted' | 'failed' | 'invalid' | 'waiting' | 'unfinished' | 'unseen' | 'skipped';

type PlanTotals = Record<'gpusChanging' | 'keep' | 'destroy' | 'create' | 'evict', number>;

/** The nodes of one policy at one generation, counted incrementally: a node's event costs the same however many nodes there are. */
export class NodeCounts {
  readonly #outcomes = new Map<string, NodeOutcome>();
  readonly #groups: Readonly<Record<Group, NodeGroup>> = {
    outranked: new NodeGroup(),
    conflicted: new NodeGroup(),
    failed: new NodeGroup(),
    invalid: new NodeGroup(),
    waiting: new NodeGroup(),
    unfinished: new NodeGroup(),
    unseen: new NodeGroup(),
    skipped: new NodeGroup(),
  };
  readonly #phases = new Map<Phase, number>();
  #changes = 0;
  readonly #plans: PlanTotals = { gpusChanging: 0, keep: 0, destroy: 0, create: 0, evict: 0 };

  /** @param nodes that are selected, and of which nothing is known yet */
  constructor(nodes: Iterable<string>) {
    for (const node of nodes) this.expect(node);
  }

  /** How often other nodes have come to be counted. */
  get changes(): number {
    return this.#changes;
  }

  get matched(): number {
    return this.#outcomes.size + this.unseen.size;
  }

  /** Nodes over which this policy decides, or for which it plans. */
  get own(): number {
    return this.matched - this.size('outranked') - this.size('conflicted');
  }

  has(node: string): boolean {
    return this.#outcomes.has(node) || this.unseen.has(node);
  }

  /** Adds a selected node of which nothing is known yet. */
  expect(node: string): void {
    if (this.has(node)) return;
    this.#changes += 1;
    this.#groups.unseen.add(node, unseen.reason);
  }

  /** @returns whether anything changed */
  put(outcome: NodeOutcome): boolean {
    const before = this.#outcomes.get(outcome.node);
    if (before && isSame(before, outcome)) return false;
    if (!this.#drop(outcome.node)) this.#changes += 1;
    this.#outcomes.set(outcome.node, outcome);
    this.#count(outcome, 1);
    for (const group of groupsOf(outcome)) this.#groups[group].add(outcome.node, causeOf(outcome));
    return true;
  }

  remove(node: string): void {
    if (this.#drop(node)) this.#changes += 1;
  }

  /** @returns whether it was there */
  #drop(node: string): boolean {
    const wasThere = this.has(node);
    const before = this.#outcomes.get(node);
    if (before) this.#count(before, -1);
    this.#outcomes.delete(node);
    for (const group of before ? groupsOf(before) : (['unseen'] as const)) {
      this.#groups[group].delete(node, before ? causeOf(before) : unseen.reason);
    }
    return wasThere;
  }

  /** Nodes that this policy decides over, in the given phases. */
  inPhase(...phases: readonly Phase[]): number {
    return phases.reduce((sum, phase) => sum + (this.#phases.get(phase) ?? 0), 0);
  }

  size(group: Group): number {
    return this.#groups[group].nodes.size;
  }

  /** Nodes of which nothing is known yet. */
  get unseen(): ReadonlySet<string> {
    return this.#groups.unseen.nodes;
  }

  /** The first nodes of a group. */
  first(group: Group, most: number): readonly NodeOutcome[] {
    return this.#list(this.#groups[group].nodes, most);
  }

  /** The nodes of a group by what they have in common: how many, and the first of them. The cause of most nodes comes first. */
  causes(group: Group, most: number): readonly { readonly count: number; readonly first: readonly NodeOutcome[] }[] {
    return this.#groups[group].causes.map(({ nodes }) => ({ count: nodes.size, first: this.#list(nodes, most) }));
  }

  get plans(): Readonly<PlanTotals> {
    return this.#plans;
  }

  #list(nodes: ReadonlySet<string>, most: number): readonly NodeOutcome[] {
    const found: NodeOutcome[] = [];
    for (const node of nodes) {
      if (found.length === most) break;
      found.push(this.#outcomes.get(node) ?? { node, ...unseen });
    }
    return found;
  }

  #count({ phase, wonBy, plan }: NodeOutcome, sign: 1 | -1): void {
    if (wonBy !== undefined) return;
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + sign);
    for (const key of ['gpusChanging', 'keep', 'destroy', 'create'] as const) {
      this.#plans[key] += sign * clampCount(plan?.[key]);
    }
    this.#plans.evict += sign * ((plan?.affectedPods ?? []).length + clampCount(plan?.morePods));
  }
}

/** A number of GPUs or instances that exceeds the plan of any node: 64 GPUs of 16 instances. The agent counts, and may report any number. */
const mostOfOneNode = 1024;

function clampCount(count = 0): number {
  return Number.isInteger(count) ? Math.min(Math.max(0, count), mostOfOneNode) : 0;
}

function groupsOf({ wonBy, isOutranked, phase, reason }: NodeOutcome): readonly Group[] {
  if (wonBy !== undefined) return [isOutranked === true ? 'outranked' : 'conflicted'];
  const found: Group[] = [];
  if (reason === 'NothingToDo' || reason === 'NoGpus') found.push('skipped');
  if (phase === 'Failed') found.push('failed');
  if (phase === 'Invalid') found.push('invalid');
  if (phase === 'Waiting') found.push('waiting');
  if (phase !== 'Ready') found.push('unfinished');
  return found;
}

function causeOf({ wonBy, reason }: NodeOutcome): string {
  return wonBy ?? reason;
}

function isSame(a: NodeOutcome, b: NodeOutcome): boolean {
  return (
    a.wonBy === b.wonBy &&
    a.isOutranked === b.isOutranked &&
    a.phase === b.phase &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.plan?.hash === b.plan?.hash &&
    a.plan?.wishHash === b.plan?.wishHash
  );
}
