// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what is known of one policy and its nodes: its versions, its schedule, its counts, and which nodes may start.
import type { Phase, PlanReport, GpuPartitionPolicy } from '../../api/types.ts';
import type { LedgerSnapshot } from '../rollout/ledger.ts';
import type { RolloutStates } from '../rollout/fleet.ts';
import {
  accept,
  applySchedule,
  currentOf,
  isPlanned,
  isAccepted,
  type PolicyVersions,
  WritePace,
  judgeSchedules,
  type ScheduleTimes,
} from './versions.ts';
import { hasAskedSince, type PolicyHistory, recordInForce } from './history.ts';
import { deepEqual } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import type { Hold } from './decide-policy.ts';
import type { DemandReport } from './slices.ts';
import type { Mistake, PolicyRefusal } from './check.ts';
import type { PolicyScope } from './selection.ts';
import { countWords, joinWithin } from '../text/words.ts';

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

const mostNames = 5;
/** Most characters of a condition's message, which says first what is refused. */
const longestRefused = 3800;

/** A policy, and what is known of it and its nodes. A new one is made for each generation. */
export class PolicyRecord {
  /** The versions as they are stored, with all their schedules. */
  #versions: PolicyVersions;
  /** The versions as the schedule in force makes them. */
  #shown: PolicyVersions;
  /** Why its newest version is invalid, regardless of nodes. */
  refusal: PolicyRefusal | undefined;
  /** Nodes that any of its versions selects, including those over which another policy decides. */
  readonly nodes: ReadonlySet<string>;
  /** Nodes not yet checked for whether they can take its newest generation. */
  unchecked: Set<string> = new Set();
  /** Nodes that cannot take it, and why. */
  readonly refused = new Map<string, Mistake>();
  /** Whether it was known at its acceptance how each node stands. */
  isForecast = false;
  /** What its nodes were last told about why its generation is not accepted. */
  toldRefusal: string | undefined;
  /** How its demand stands; undefined if it has none, or no plan was made for it yet. */
  demand: DemandReport | undefined;
  /** The pace of writes of the policy's status. An edit begins no new count. */
  writes = new WritePace();
  /** Counts of the nodes that are its own, as they are under the current version. */
  tally = new NodeCounts([]);

  constructor(versions: PolicyVersions, refusal: PolicyRefusal | undefined, nodes: ReadonlySet<string>) {
    this.#versions = versions;
    this.#shown = applySchedule(versions);
    this.refusal = refusal;
    this.nodes = nodes;
  }

  get versions(): PolicyVersions {
    return this.#versions;
  }

  set versions(versions: PolicyVersions) {
    this.#versions = versions;
    this.#shown = applySchedule(versions);
  }

  get name(): string {
    return this.newest.metadata.name;
  }

  /** The newest version as its author wrote it, with what the schedule in force makes of it. */
  get newest(): GpuPartitionPolicy {
    return this.#shown.newest;
  }

  /** The version that its nodes are told. */
  get policy(): GpuPartitionPolicy {
    return currentOf(this.#shown);
  }

  /** {@link policy}, with all its schedules. */
  get written(): GpuPartitionPolicy {
    return currentOf(this.#versions);
  }

  get inForce(): GpuPartitionPolicy | undefined {
    return this.#shown.inForce;
  }

  /** The version by which it is ordered among the policies of a node. */
  get rank(): GpuPartitionPolicy {
    return this.inForce ?? this.newest;
  }

  get scope(): PolicyScope {
    const { name, newest, rank } = this;
    return { policy: name, newest: newest.spec.nodeSelector, inForce: rank.spec.nodeSelector, rank };
  }

  get acceptedGeneration(): number | undefined {
    return this.versions.acceptedGeneration;
  }

  get isAccepted(): boolean {
    return isAccepted(this.versions);
  }

  /** Its versions once the newest generation is accepted, if it is. */
  versionsIf(accepts: boolean): PolicyVersions {
    return accepts ? accept(this.versions) : this.versions;
  }

  /**
   * The times of its schedules, for the version that nodes are, or will be, told.
   *
   * @param now in ms since the epoch
   * @param accepts whether its newest generation is about to be accepted
   */
  timesAt(now: number, accepts = false): ScheduleTimes | undefined {
    return judgeSchedules(currentOf(this.versionsIf(accepts)).spec, this.versions.schedule, now);
  }

  /** Whether it has asked for the same since an earlier generation, but for `mode` and `rollout`; false where that is unknown. */
  hasAskedSince(generation: number, history: PolicyHistory = []): boolean {
    // With all its schedules: the history has them as they were written.
    return hasAskedSince(this.written, history, generation);
  }

  /**
   * The history of the policy with what is in force now; undefined if it has that already, or if another policy has its name by now.
   *
   * @param now in ms since the epoch
   */
  nextHistory({ metadata, status }: GpuPartitionPolicy, now: number): PolicyHistory | undefined {
    if (metadata.uid !== this.newest.metadata.uid) return undefined;
    const { history = [] } = status ?? {};
    const next = recordInForce(history, this.versions, timeText(now));
    return deepEqual(next, history) ? undefined : next;
  }

  /**
   * Which of its nodes may start. None does before it is known which nodes are under way. After an edit this is known from the generation
   * before, and the expected requests are enough to start with; after a restart every node must be looked at. Canaries must not be nodes
   * that turn out unable to change.
   *
   * @param isOverdue it is being deleted, and its deadline is over
   */
  admits(rolloutStates: RolloutStates, isOverdue: boolean): LedgerSnapshot['admits'] {
    const { unseen } = this.tally;
    if (!this.isAccepted || this.refusal !== undefined || isOverdue) return 'Nobody';
    if (unseen.size === 0) return 'Everybody';
    if (this.policy.spec.rollout?.canary !== undefined || !this.isForecast) return 'Nobody';
    // A node may have joined since.
    for (const node of unseen) if (rolloutStates.get(node) === undefined) return 'Nobody';
    return 'WithoutEvictions';
  }

  /** Whether its newest generation is yet to be checked against nodes; one that is invalid by itself is not. */
  get awaitsAcceptance(): boolean {
    return !this.isAccepted && this.refusal === undefined;
  }

  /** The nodes that keep its newest generation from being accepted: the first, and how many. Undefined if there are none. */
  get whyRefused(): string | undefined {
    const { refused } = this;
    if (refused.size === 0) return undefined;
    const named = [...refused].slice(0, mostNames).map(([node, { message }]) => `node ${node}: ${message}`);
    const sayRest = (shown: number): string =>
      shown < refused.size ? `and ${countWords(refused.size - shown, 'more node')}` : '';
    return joinWithin(named, longestRefused, '; ', sayRest);
  }

  /** Why nothing new starts on its nodes. @param told the version that a node is told */
  holdFor(told: GpuPartitionPolicy): Hold | undefined {
    const { name, generation } = this.newest.metadata;
    const unaccepted = `generation ${generation} of policy ${name} is not accepted`;
    if (this.refusal) {
      const what = this.isAccepted ? `policy ${name} cannot be carried out` : unaccepted;
      return { kind: 'Refused', message: `${what}: ${this.refusal.message}` };
    }
    if (!this.isAccepted) {
      const why = this.unchecked.size > 0 ? undefined : this.whyRefused;
      if (why !== undefined) return { kind: 'Refused', message: `${unaccepted}: ${why}` };
      const message = `generation ${generation} of policy ${name} is being checked against all selected nodes`;
      return { kind: 'Checking', message };
    }
    if (!isPlanned(this.newest) || told === this.newest) return undefined;
    return { kind: 'Plan', message: `policy ${name} only plans since generation ${generation}` };
  }
}
