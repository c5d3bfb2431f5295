// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what is known of one policy and its nodes: its generations, schedule, history and counts, who wrote it, which nodes may start, and what undoes an edit.
import { cleanupFinalizer } from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuSelector, PolicyStatus, PolicySpec } from '../../api/types.ts';
import {
  isCleaningUp,
  isPlanned,
  judgeSchedules,
  specUnder,
  variantsOf,
  type DemandReport,
  type QuotaReport,
} from './spec.ts';
import { compareText, deepEqual, omitUndefined } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import type { Hold } from './decide-policy.ts';
import { NodeCounts } from './tally.ts';
import type { Mistake, PolicyRefusal } from './resolve-node.ts';
import { countWords, joinWithin } from '../text/words.ts';
import { fillDefaults } from './schema.ts';

type ScheduleMark = NonNullable<Parameters<typeof judgeSchedules>[1]>;

/**
 * A policy that is being deleted, as it is carried out: the GPUs that it decided over become whole again, within its budget.
 * Whatever could keep it from ever finishing no longer applies: windows, a pause, a budget of 0, a threshold.
 */
export function asDeleted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { sharing: _over, demand: _served, schedules: _switched, ...spec } = policy.spec;
  const { canary: _first, windows: _windows, maxUnavailable = 1, ...rollout } = spec.rollout ?? {};
  const isHold = maxUnavailable === 0 || maxUnavailable === '0%';
  const whole: PolicySpec = {
    ...spec,
    mode: 'Enforce',
    layouts: selectorsOf(policy.spec).map((gpus) => ({ ...(gpus && { gpus }), mig: 'Disabled' })),
    rollout: { ...rollout, maxUnavailable: isHold ? 1 : maxUnavailable, failureThreshold: '100%', paused: false },
  };
  return { ...policy, spec: whole };
}

/** Selectors of all GPUs over which any schedule of a policy decided; of equal selectors the one that takes the most. */
function selectorsOf(spec: PolicySpec): readonly (GpuSelector | undefined)[] {
  const [own, ...others] = variantsOf(spec).map(({ spec: { layouts = [{}] } }) => layouts.map(({ gpus }) => gpus));
  const found = [...(own ?? [])];
  for (const gpus of others.flat()) {
    const same = found.findIndex((one) => deepEqual(withoutCount(one), withoutCount(gpus)));
    if (same === -1) found.push(gpus);
    else if ((gpus?.count ?? Infinity) > (found[same]?.count ?? Infinity)) found[same] = gpus;
  }
  return found;
}

function withoutCount({ count: _count, ...gpus }: GpuSelector = {}): GpuSelector {
  return gpus;
}

/** The finalizers that a policy should have; undefined if it already has them. */
export function wantedFinalizers(
  { metadata, spec }: GpuPartitionPolicy,
  isDone: boolean,
): readonly string[] | undefined {
  const { finalizers = [], deletionTimestamp } = metadata;
  const isWanted = spec.onDelete === 'DisableMig' && !isDone;
  const isThere = finalizers.includes(cleanupFinalizer);
  // No finalizer can be added to an object that is being deleted.
  if (isWanted === isThere || (isWanted && deletionTimestamp !== undefined)) return undefined;
  return isWanted ? [...finalizers, cleanupFinalizer] : finalizers.filter((one) => one !== cleanupFinalizer);
}

/**
 * The generations of a policy that matter. A generation that is not accepted changes nothing: neither what becomes of a node, nor
 * which nodes the policy decides over.
 */
export interface PolicyVersions {
  /** The newest version, as its author last wrote it; if the policy is being deleted, as it is carried out. */
  readonly newest: GpuPartitionPolicy;
  readonly acceptedGeneration: number | undefined;
  /** The newest accepted generation with mode Enforce, with which it competes for nodes. Undefined if there is none. */
  readonly inForce: GpuPartitionPolicy | undefined;
  /** The schedule in force; undefined if none was ever judged. */
  readonly schedule?: ScheduleMark | undefined;
}

type StoredVersion = NonNullable<PolicyStatus['inForce']>;

/**
 * The versions of a policy as the API server has it. What outlives the controller is in its status.
 *
 * @param known what was known of the same policy before: the watch may bring an edit before our own last write
 */
export function readVersions(given: GpuPartitionPolicy, known?: PolicyVersions): PolicyVersions {
  const { generation = 0, uid } = given.metadata;
  const before = known?.newest.metadata.uid === uid ? known : undefined;
  // A higher one is of a server that was restored from a backup since.
  const accepted = [given.status?.acceptedGeneration ?? 0, before?.acceptedGeneration ?? 0];
  const acceptedGeneration = Math.max(0, ...accepted.filter((one) => one <= generation)) || undefined;
  const found = newerOf(recall(given, given.status?.inForce), before?.inForce, generation);
  // Metadata changes without a new generation.
  const inForce = found && versionOf(given, found.metadata.generation, found.spec);
  const newest = readNewest(given, inForce, before?.newest);
  const isInForce = acceptedGeneration === generation && !isPlanned(newest);
  const schedule = laterMark(before?.schedule, given.status?.schedule);
  return { newest, acceptedGeneration, inForce: isInForce ? newest : inForce, schedule };
}

/** The later of two marks, by the time of the switch: the watch may bring a mark that is older than our own write. */
export function laterMark(known: ScheduleMark | undefined, given: ScheduleMark | undefined): ScheduleMark | undefined {
  if (known === undefined || given === undefined) return given ?? known;
  return Date.parse(known.since) >= Date.parse(given.since)
    ? known
    : { ...(given.name !== undefined && { name: given.name }), since: given.since };
}

/** The versions as the schedule that is in force has them: this is the only place where a schedule becomes layouts or a demand. */
export function applySchedule(versions: PolicyVersions): PolicyVersions {
  const { newest, inForce, schedule } = versions;
  const show = (policy: GpuPartitionPolicy): GpuPartitionPolicy => ({
    ...policy,
    spec: specUnder(policy.spec, schedule?.name),
  });
  return { ...versions, newest: show(newest), inForce: inForce && show(inForce) };
}

function newerOf(
  recalled: GpuPartitionPolicy | undefined,
  known: GpuPartitionPolicy | undefined,
  newest: number,
): GpuPartitionPolicy | undefined {
  const [one, other] = [known, recalled].flatMap((version) =>
    version !== undefined && generationOf(version) <= newest ? [version] : [],
  );
  // Equal specs stay one object: what was worked out for it is kept.
  return one && other && generationOf(other) > generationOf(one) ? other : one;
}

function readNewest(
  given: GpuPartitionPolicy,
  inForce: GpuPartitionPolicy | undefined,
  before: GpuPartitionPolicy | undefined,
): GpuPartitionPolicy {
  if (before && isSameEdit(before, given)) return { ...given, spec: before.spec };
  if (!isCleaningUp(given) || !inForce) return given;
  // What it decided over becomes whole, not what a generation selects that was never accepted. How that goes may still be edited.
  const { onDelete, rollout, drain, allow } = given.spec;
  const { rollout: _pace, drain: _drain, allow: _allowed, ...what } = inForce.spec;
  return asDeleted({ ...given, spec: { ...what, ...omitUndefined({ onDelete, rollout, drain, allow }) } });
}

function generationOf({ metadata }: GpuPartitionPolicy): number {
  return metadata.generation ?? 0;
}

/** Whether two versions are the same edit, or deletion, of the same policy. */
function isSameEdit({ metadata: a }: GpuPartitionPolicy, { metadata: b }: GpuPartitionPolicy): boolean {
  return a.uid === b.uid && a.generation === b.generation && a.deletionTimestamp === b.deletionTimestamp;
}

/** The same versions with the newest accepted. @param schedule that is then in force */
export function accept({ newest, inForce }: PolicyVersions, schedule?: ScheduleMark): PolicyVersions {
  const acceptedGeneration = newest.metadata.generation;
  return { newest, acceptedGeneration, inForce: !isPlanned(newest) ? newest : inForce, schedule };
}

export function isAccepted({ newest, acceptedGeneration }: PolicyVersions): boolean {
  return acceptedGeneration !== undefined && acceptedGeneration === newest.metadata.generation;
}

/** The version that its nodes are told: the newest if that is accepted, else the one in force, else the newest, which then only explains. */
export function currentOf(versions: PolicyVersions): GpuPartitionPolicy {
  return isAccepted(versions) ? versions.newest : (versions.inForce ?? versions.newest);
}

/** Whether a policy that is being deleted first makes the GPUs whole that it decides over. */
export function hasWorkLeft(versions: PolicyVersions): boolean {
  return isCleaningUp(versions.newest) && versions.inForce !== undefined;
}

/** What of the versions is kept in the policy's status. */
export function storeVersions({
  acceptedGeneration,
  inForce,
}: Omit<PolicyVersions, 'newest'>): Pick<PolicyStatus, 'acceptedGeneration' | 'inForce'> {
  return omitUndefined({ acceptedGeneration, inForce: inForce && storeVersion(inForce) });
}

function storeVersion(version: GpuPartitionPolicy): StoredVersion {
  return { generation: generationOf(version), spec: version.spec };
}

function recall(given: GpuPartitionPolicy, stored: StoredVersion | undefined): GpuPartitionPolicy | undefined {
  return stored && isSpec(stored.spec) ? versionOf(given, stored.generation, stored.spec) : undefined;
}

/** Whether a stored spec has the form of one; the API server has checked it when it was the policy's own. */
function isSpec(spec: StoredVersion['spec']): spec is PolicySpec {
  const { nodeSelector, strategy, layouts, demand } = spec;
  return (
    typeof nodeSelector === 'object' &&
    nodeSelector !== null &&
    typeof strategy === 'string' &&
    (Array.isArray(layouts) || (typeof demand === 'object' && demand !== null))
  );
}

function versionOf(given: GpuPartitionPolicy, generation: number | undefined, spec: PolicySpec): GpuPartitionPolicy {
  const { generation: _newest, ...metadata } = given.metadata;
  return { ...given, metadata: { ...metadata, ...(generation !== undefined && { generation }) }, spec };
}

/** What an author would write to get this spec: without what the API server and the controller add. */
function withoutServerFields({ apiVersion, kind, metadata }: GpuPartitionPolicy, spec: PolicySpec): GpuPartitionPolicy {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

/** An entry of `metadata.managedFields`. */
interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Finds out who wrote a spec last, and when, by the field managers that the API server knows; empty if it knows none. */
export function writerOf({ metadata }: Pick<GpuPartitionPolicy, 'metadata'>): Pick<ManagedFields, 'manager' | 'time'> {
  const writers = ((metadata['managedFields'] ?? []) as readonly ManagedFields[])
    .filter(({ fieldsV1 = {}, subresource = '' }) => subresource === '' && 'f:spec' in fieldsV1)
    .toSorted((a, b) => compareText(b.time ?? '', a.time ?? ''));
  const { manager, time } = writers[0] ?? {};
  return omitUndefined({ manager, time });
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
  /** How its quotas in Kueue stand; undefined if it has none kept, or they were not looked at yet. */
  quota: QuotaReport | undefined;
  /** The pace of writes of the policy's status. An edit begins no new count. */
  writes = new WritePace();
  /** Counts of the nodes that are its own, as they are under the current version. */
  tally = new NodeCounts([]);

  /** Reads a policy as the API server has it. @param known what was known of it before: the watch may bring an edit before our own last write */
  static read(
    given: GpuPartitionPolicy,
    known?: PolicyRecord,
  ): {
    readonly versions: PolicyVersions;
    /** The generation that its nodes are told. */
    readonly told: number | undefined;
    readonly isSameEdit: boolean;
    readonly isGone: boolean;
  } {
    const versions = readVersions(given, known?.versions);
    return {
      versions,
      told: currentOf(versions).metadata.generation,
      isSameEdit: known !== undefined && isSameEdit(known.newest, versions.newest),
      // One that is being deleted decides over nothing, unless it has work left to do.
      isGone: given.metadata.deletionTimestamp !== undefined && !hasWorkLeft(versions),
    };
  }

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

  /** Its versions once the newest generation is accepted, if it is. @param schedule that is then in force */
  versionsIf(accepts: boolean, schedule?: ScheduleMark): PolicyVersions {
    return accepts ? accept(this.versions, schedule) : this.versions;
  }

  /** What of these is kept in the policy's status. */
  storedIf(accepts: boolean): ReturnType<typeof storeVersions> {
    return storeVersions(this.versionsIf(accepts));
  }

  /** What becomes of its nodes with other versions of the same edit: what is asked of them is another, only its acceptance, or nothing. */
  compare(versions: PolicyVersions): 'Switch' | 'Acceptance' | undefined {
    const shown = applySchedule(versions);
    if (currentOf(shown).spec !== this.policy.spec || shown.inForce?.spec !== this.inForce?.spec) return 'Switch';
    return this.acceptedGeneration === versions.acceptedGeneration ? undefined : 'Acceptance';
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
