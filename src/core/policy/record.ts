// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what is known of one policy and its nodes: its versions, schedule, history and counts, which nodes may start, and what undoes an edit.
import type { Phase, PlanReport, GpuPartitionPolicy, PolicyStatus, PolicySpec } from '../../api/types.ts';
import {
  accept,
  applySchedule,
  currentOf,
  isPlanned,
  isAccepted,
  type PolicyVersions,
  judgeSchedules,
  writerOf,
  readVersions,
  withoutServerFields,
} from './versions.ts';
import { deepEqual } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import type { Hold } from './decide-policy.ts';
import type { DemandReport } from './slices.ts';
import type { Mistake, PolicyRefusal } from './resolve-node.ts';
import { countWords, joinWithin } from '../text/words.ts';
import { fillDefaults } from './schema.ts';

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

/** What is new in a status: what becomes of an edit or a schedule, what somebody waits for, or words and counts. */
type StatusNews = 'Turn' | 'News' | 'Counts';

/** A turn is written at once, unless the last one was so shortly before; news so long after any other write; the rest after twice as long. In ms. */
const intervalMs = 1000;

/** How often a policy's status is written. Times are in ms since the epoch. */
export class WritePace {
  #lastMs = -Infinity;
  /** The time of the last turn. */
  #turnMs = -Infinity;

  /** In how many ms the status may be written; 0: now. Nodes start by a turn, so it does not wait for what is told of the one before. */
  dueInMs(before: PolicyStatus | undefined, after: PolicyStatus, now: number): number {
    const [last, turn] = [this.#lastMs, this.#turnMs];
    const due = { Turn: turn + intervalMs, News: last + intervalMs, Counts: last + 2 * intervalMs };
    return Math.max(0, due[newsOf(before, after)] - now);
  }

  written(before: PolicyStatus | undefined, after: PolicyStatus, now: number): void {
    this.#lastMs = now;
    if (newsOf(before, after) === 'Turn') this.#turnMs = now;
  }
}

function newsOf(before: PolicyStatus | undefined, after: PolicyStatus): StatusNews {
  if (!deepEqual(turnOf(before), turnOf(after))) return 'Turn';
  return deepEqual(gistOf(before), gistOf(after)) ? 'Counts' : 'News';
}

function turnOf({ observedGeneration, acceptedGeneration, schedule }: PolicyStatus = {}): unknown {
  return [observedGeneration, acceptedGeneration, schedule];
}

function gistOf({ defrag, failures = [], conditions = [] }: PolicyStatus = {}): unknown {
  return [defrag, failures, conditions.map(({ type, status: holds, reason }) => [type, holds, reason])];
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
  timesAt(now: number, accepts = false): ReturnType<typeof judgeSchedules> {
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
  admits(
    rolloutStates: { get(node: string): unknown },
    isOverdue: boolean,
  ): 'Nobody' | 'WithoutEvictions' | 'Everybody' {
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

/** The generations of a policy that came in force, newest first. */
export type PolicyHistory = NonNullable<PolicyStatus['history']>;

/** Most bytes of the history as JSON. A policy's object is stored as a whole, and etcd takes 1.5 MB. */
const mostBytes = 256 * 1024;
/** Most generations that the API keeps. */
const mostGenerations = 20;

/**
 * The history with the generation that is in force. What only pauses, resumes or previews is dropped first, then the oldest: behind
 * several emergency edits the last good one is still there. What is newer than the one in force is of a server that was restored since.
 *
 * @param time for a generation whose time of writing is unknown
 */
export function recordInForce(
  history: PolicyHistory,
  { newest, inForce }: Pick<PolicyVersions, 'newest' | 'inForce'>,
  time: string,
): PolicyHistory {
  if (inForce === undefined) return history;
  const { generation = 0 } = inForce.metadata;
  const earlier = history.filter((one) => one.generation < generation);
  const known = history.find((one) => one.generation === generation);
  // What the API server says of a policy's writers is about its newest generation.
  const writer = newest.metadata.generation === generation ? writerOf(newest) : undefined;
  const noted = known ?? { generation, time, ...writer, spec: inForce.spec };
  return shorten([noted, ...earlier]);
}

function shorten(history: PolicyHistory): PolicyHistory {
  let kept = history;
  while (kept.length > mostGenerations || countBytes(kept) > mostBytes) {
    const spare = kept.findLastIndex((one, index) => index > 0 && asksTheSame(one.spec, kept[index - 1]?.spec));
    kept = kept.toSpliced(spare === -1 ? kept.length - 1 : spare, 1);
  }
  return kept;
}

function countBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Whether two specs differ in nothing but `mode` and `rollout`: what becomes of nodes is the same, only when is not. */
function asksTheSame(one: object, other: object | undefined): boolean {
  return other !== undefined && deepEqual(askedBy(one), askedBy(other));
}

/**
 * The part of a spec that asks for something, with today's defaults: a newer CRD may have more of them than the one under which a spec was
 * stored.
 */
function askedBy(spec: object): object {
  const { mode: _mode, rollout: _rollout, ...asked } = fillDefaults(spec as PolicySpec);
  return asked;
}

/**
 * Whether a policy has asked for the same ever since an earlier generation came in force, but for `mode` and `rollout`. False where
 * that is not known.
 *
 * @param told the version that its nodes are told
 */
export function hasAskedSince(told: GpuPartitionPolicy, history: PolicyHistory, generation: number): boolean {
  const { generation: newest = 0 } = told.metadata;
  if (generation === newest) return true;
  const between = history.filter((one) => one.generation >= generation && one.generation < newest);
  return (
    between.some((one) => one.generation === generation) && between.every(({ spec }) => asksTheSame(spec, told.spec))
  );
}

/** The effect of `undo`. */
interface Undoing {
  /** The generation to which it goes back. */
  readonly generation: number;
  /** The spec of that generation, with `mode` and `rollout` as they are now. */
  readonly spec: PolicySpec;
  /** Whether the newest generation is itself an undoing, so that this brings back what was undone. */
  readonly isBack: boolean;
}

/**
 * What undoes the last edit of a policy: the last generation that came in force and asks for something else than the newest as written.
 * Of a pause, a resumption and a preview it undoes what they stopped or looked at, not the stop. Undefined if none is known.
 */
export function findUndoing({ newest, inForce }: PolicyVersions, isRefused: boolean): Undoing | undefined {
  const { history = [], acceptedGeneration } = newest.status ?? {};
  const { generation = 0 } = newest.metadata;
  const { mode, rollout } = newest.spec;
  const past = inForce ? [{ generation: inForce.metadata.generation ?? 0, spec: inForce.spec }, ...history] : history;
  const known = past.filter((one) => one.generation < generation);
  // A mistake in the rollout itself keeps the edit from taking effect: it goes, and a pause stays.
  const isRollout = isRefused && acceptedGeneration !== generation && asksTheSame(newest.spec, inForce?.spec);
  if (isRollout && inForce) {
    const paused = { ...inForce.spec.rollout, paused: rollout?.paused === true };
    return { generation: inForce.metadata.generation ?? 0, spec: { ...inForce.spec, rollout: paused }, isBack: false };
  }
  const index = known.findIndex(({ spec }) => !asksTheSame(spec, newest.spec));
  const found = known[index];
  if (found === undefined) return undefined;
  const { mode: _mode, rollout: _rollout, ...asked } = found.spec as PolicySpec;
  const spec = { ...asked, ...(mode && { mode }), ...(rollout && { rollout }) };
  const isBack = known.slice(index + 1).some((one) => asksTheSame(one.spec, newest.spec));
  return { generation: found.generation, spec, isBack };
}

/** What keeps a policy from changing nodes because its author wrote so, and the edit that ends it; undefined if nothing does. */
function stopOf({ mode, rollout }: PolicySpec): { readonly words: string; readonly edit: object } | undefined {
  const [isPlan, isPaused] = [mode === 'Plan', rollout?.paused === true];
  if (!isPlan && !isPaused) return undefined;
  const words = [...(isPaused ? ['paused'] : []), ...(isPlan ? ['in mode Plan'] : [])].join(' and ');
  return { words, edit: { ...(isPlan && { mode: 'Enforce' }), ...(isPaused && { rollout: { paused: false } }) } };
}

/** The undoing of the last edit of a policy, for people and programs. */
export interface UndoAnswer {
  /** The earlier generation as its author would write it, with `mode` and `rollout` of the newest. */
  readonly policy: GpuPartitionPolicy;
  readonly generation: number;
  /** The newest generation. */
  readonly replaces: number;
  /** Whether it was written. */
  readonly isApplied: boolean;
  readonly message: string;
  /** What resumes a policy that is paused, or in mode Plan. Absent if it is neither. */
  readonly resume?: string;
}

/** What undoes the last edit of a policy, and how it still is stopped then; in words why nothing does. @param isApplied whether that is written */
export function undoEdit(
  policy: GpuPartitionPolicy,
  isApplied: boolean,
): { readonly answer: UndoAnswer; readonly stop: string | undefined } | string {
  const { name, generation: replaces = 0 } = policy.metadata;
  const versions = readVersions(policy);
  if (versions.inForce === undefined) return `no generation of policy ${name} was ever accepted with mode Enforce`;
  const undoing = findUndoing(versions, isRefused(policy));
  if (undoing === undefined)
    return `nothing to undo: no earlier generation of policy ${name} is known that asks for something else than generation ${replaces}, apart from mode and rollout`;
  const { generation, spec, isBack } = undoing;
  const inForce = versions.inForce.metadata.generation;
  const which = inForce === generation ? 'is in force' : 'was in force before';
  const instead = inForce === replaces ? ', which is in force' : '';
  const back = isBack ? `this brings back what the newest edit had undone: ` : '';
  const what = `generation ${generation} of policy ${name}, which ${which}, instead of generation ${replaces}${instead}`;
  const message = `${back}${isApplied ? 'wrote ' : ''}${what}${describeWriter(policy)}`;
  const stop = stopOf(spec);
  const resume = stop && `kubectl patch gpp ${name} --type=merge -p '${JSON.stringify({ spec: stop.edit })}'`;
  const answer = { policy: withoutServerFields(policy, spec), generation, replaces, isApplied, message };
  return { answer: { ...answer, ...(resume !== undefined && { resume }) }, stop: stop?.words };
}

/** Whether the controller has found its newest generation not to be valid. */
function isRefused({ metadata, status }: GpuPartitionPolicy): boolean {
  const valid = status?.conditions?.find(({ type }) => type === 'Valid');
  return valid?.status === 'False' && valid.observedGeneration === metadata.generation;
}

/** Names who wrote a version, since a change that GitOps applied comes back. */
function describeWriter(policy: GpuPartitionPolicy): string {
  const { manager, time } = writerOf(policy);
  return manager === undefined ? '' : `; ${manager} wrote that at ${time}: if it comes from Git, revert it there too`;
}
