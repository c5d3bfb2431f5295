// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here what stops a rollout, in words, how many nodes a limit allows, and whether a window is open, until when, in ms since the epoch.
import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus, PolicySpec } from '../../api/types.ts';
import type { PolicyReason } from '../../api/names.ts';
import { countWords } from '../text/words.ts';
import { timeText, durationMs } from '../text/syntax.ts';
import type { LedgerSnapshot, RolloutStates } from './ledger.ts';
import { Cron } from 'croner';

/** A number of nodes, or a percentage of them. */
export type Limit = number | string;

/** Rounded down, at least 1 unless it is 0. @param of the number of nodes that a percentage refers to */
export function countLimit(limit: Limit, of: number): number {
  const [, percent] = typeof limit === 'string' ? (/^([0-9]+)%$/.exec(limit) ?? []) : [];
  const share = percent === undefined ? Number(limit) : (of * Number(percent)) / 100;
  // An unreadable limit holds everything back: it must never admit more than was meant.
  if (!Number.isFinite(share) || Number(percent ?? limit) <= 0) return 0;
  return Math.max(1, Math.floor(share));
}

/** Whether a node has GPUs, or had some that are lost; false until its agent has reported. Percentages of nodes are of these. */
export function hasGpus(partition: GpuNodePartition | undefined): boolean {
  const { gpus = [], lastGood } = partition?.status?.device ?? {};
  return gpus.length > 0 || (lastGood?.gpus ?? []).length > 0;
}

/**
 * Why nodes that request a slot do not get one, other than that others have it. Points in time rather than remaining time: otherwise
 * every look would be a write.
 */
export type RolloutGate =
  | { readonly reason: 'Frozen'; readonly why: string }
  | { readonly reason: 'Paused' }
  | { readonly reason: 'Held' }
  | {
      readonly reason: 'Halted';
      readonly failed: ReadonlySet<string>;
      readonly threshold: number;
      readonly isCanary: boolean;
    }
  | { readonly reason: 'WindowClosed'; readonly opensAt: number | undefined }
  | { readonly reason: 'Capped'; readonly most: number; readonly others: readonly SlotHolder[] }
  | {
      readonly reason: 'NodesUnavailable';
      readonly most: number;
      readonly count: number;
      /** The first of them. */
      readonly nodes: readonly NodeRolloutState[];
      /** Nodes in flight besides those: they take places too. */
      readonly changing: number;
    }
  | { readonly reason: 'CanarySoak'; readonly nodes: readonly string[]; readonly endsAt: number | undefined };

/** How many of the nodes that keep others waiting are named. */
const mostNames = 5;

/** How the words for a frozen cluster begin: they end the message of every policy. */
export const frozenWords = 'the whole cluster is frozen';

/** Describes a gate for conditions: why it is closed, and what to do. */
export function describeGate(gate: RolloutGate): string {
  switch (gate.reason) {
    case 'Frozen':
      return `${frozenWords}: ${gate.why}. No node starts to change; restart the controller without --freeze to continue`;
    case 'Paused':
      return 'the rollout is paused; set spec.rollout.paused to false to continue';
    case 'Held':
      return 'spec.rollout.maxUnavailable is 0: no node starts to change; raise it to continue';
    case 'Halted': {
      const names = listNames([...gate.failed]);
      const limit = gate.isCanary ? 'a canary must not fail' : `spec.rollout.failureThreshold is ${gate.threshold}`;
      return `${gate.failed.size} failed (${names}), and ${limit}: no new node starts. Failed nodes are retried; the rollout continues when they are Ready, or when the policy changes`;
    }
    case 'WindowClosed':
      return gate.opensAt === undefined
        ? 'no window in spec.rollout.windows ever opens'
        : `outside spec.rollout.windows; the next window opens at ${timeText(gate.opensAt)}`;
    case 'Capped': {
      const most = countWords(gate.most, 'node');
      return `--max-concurrent-nodes of the controller allows ${most} of all policies at a time, and others change now: ${listHolders(gate.others)}`;
    }
    case 'NodesUnavailable': {
      const { count, nodes, changing } = gate;
      const beside = changing === 0 ? '' : ` beside ${changing} that ${changing === 1 ? 'changes' : 'change'}`;
      const names = nodes.map(({ node, isReady }) => `${node} (${isReady ? 'cordoned' : 'not Ready'})`);
      const most = countWords(gate.most, 'unavailable node');
      return `spec.rollout.maxUnavailable allows ${most}, and there ${count === 1 ? 'is' : 'are'} ${count} already${beside}: ${listNames(names, count)}. The rollout continues when fewer are`;
    }
    case 'CanarySoak': {
      const names = listNames(gate.nodes);
      return gate.endsAt === undefined
        ? `waiting for the canary: ${names}`
        : `the canary is Ready (${names}); the rest follows at ${timeText(gate.endsAt)}`;
    }
  }
}

/** What keeps every node of a policy from starting, whichever asks. */
interface RolloutStop {
  readonly reason: PolicyReason;
  /** The reason in words, with what to do. */
  readonly message: string;
}

/**
 * Finds what stops the whole rollout of a policy, by what its author wrote and by its status; undefined if nothing does.
 *
 * @param now in ms since the epoch; undefined: what depends on the time is not told
 */
export function findStop({ spec, status }: GpuPartitionPolicy, now: number | undefined): RolloutStop | undefined {
  if (spec.mode === 'Plan') return { reason: 'PlanOnly', message: 'mode Plan changes nothing: set mode: Enforce' };
  const { paused, maxUnavailable = 1, windows } = spec.rollout ?? {};
  if (paused === true) return stopBy({ reason: 'Paused' });
  if (countLimit(maxUnavailable, 1) === 0) return stopBy({ reason: 'Held' });
  const window = now === undefined ? undefined : stateOfWindows(windows, now);
  if (window?.isOpen === false) return stopBy({ reason: 'WindowClosed', opensAt: window.opensAt });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const reason = (['Frozen', 'Halted'] as const).find((one) => one === ready?.reason);
  return ready?.status === 'False' && reason !== undefined ? { reason, message: ready.message } : undefined;
}

function stopBy(gate: RolloutGate): RolloutStop {
  return { reason: gate.reason, message: describeGate(gate) };
}

function listHolders(holders: readonly SlotHolder[]): string {
  const named = holders.slice(0, mostNames);
  const more = holders.length - named.length;
  const groups = [...Map.groupBy(named, ({ policy }) => policy)].map(([policy, nodes]) => {
    const words = nodes.map(({ node, since }) => (since === undefined ? node : `${node} (since ${since})`));
    return `policy ${policy} ${words.join(', ')}`;
  });
  return [...groups, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param count if these are only the first of so many */
function listNames(names: readonly string[], count = names.length): string {
  const more = count - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}

/** The API keeps at most this many entries. */
export const mostSlots = 500;

/** How many nodes may start now, and what keeps the others waiting. */
export interface RolloutBudget extends Places {
  readonly gate: RolloutGate | undefined;
  /** The part of the status about what the rollout may do now, in numbers of nodes. */
  readonly counts: NonNullable<PolicyStatus['limits']>;
  /** Whether a node whose change disrupts nobody may start. */
  readonly mayStart: boolean;
  /** Whether a node that may run pods may start. */
  readonly mayDisrupt: boolean;
  /** True if nothing new may start. */
  readonly isHalted: boolean;
  /** Waits in ms from now, after each of which something of this changes with time alone. */
  readonly changesIn: readonly number[];
  /** The most slots of kind New. */
  readonly mostNew: number;
  /** The most slots of all kinds. */
  readonly room: number;
}

interface Places {
  /** Part of maxUnavailable not used by nodes that are in flight or not ready. */
  readonly open: number;
  /** The open places, less the nodes that have failed. */
  readonly free: number;
  /** Nodes that are not in flight have used it up, or the rest of it. */
  readonly isTakenByOthers: boolean;
  /** Nodes in flight that are available otherwise. */
  readonly changing: number;
}

export function judgeBudget(snapshot: LedgerSnapshot, ledger: readonly Slot[], canary: CanaryState): RolloutBudget {
  const { policy, rolloutStates, size, now, frozen, cap } = snapshot;
  const { maxUnavailable = 1, failureThreshold = 1, windows, paused } = policy.spec.rollout ?? {};
  const most = countLimit(maxUnavailable, size);
  const isCanary = canary.places !== undefined;
  const threshold = isCanary ? 1 : Math.max(1, countLimit(failureThreshold, size));
  const isHalted = rolloutStates.failed.size >= threshold;
  const window = stateOfWindows(windows, now);
  const stops: RolloutGate | undefined =
    frozen === undefined ? (paused === true ? { reason: 'Paused' } : undefined) : { reason: 'Frozen', why: frozen };
  const holds: RolloutGate | undefined =
    most === 0 ? { reason: 'Held' } : window.isOpen ? undefined : { reason: 'WindowClosed', opensAt: window.opensAt };
  const halts: RolloutGate | undefined = isHalted
    ? { reason: 'Halted', failed: rolloutStates.failed, threshold, isCanary }
    : undefined;
  const waits: RolloutGate | undefined =
    canary.places === 0
      ? { reason: 'CanarySoak', nodes: canary.record?.nodes ?? [], endsAt: canary.endsAt }
      : undefined;
  const places = countPlaces(most, ledger, rolloutStates);
  const room = Math.min(cap.most - cap.others.length, mostSlots) - ledger.length;
  const changesAt = [window.isOpen ? window.closesAt : window.opensAt, canary.endsAt];
  return {
    gate: stops ?? halts ?? holds ?? waits ?? findShortage(snapshot, most, places, room),
    counts: { nodes: size, maxUnavailable: most, maxConcurrentNodes: cap.most },
    ...places,
    room,
    mayStart: stops === undefined,
    mayDisrupt: stops === undefined && holds === undefined,
    isHalted,
    changesIn: changesAt.flatMap((time) => (time === undefined ? [] : [time - now])),
    mostNew: canary.places ?? Infinity,
  };
}

/**
 * Counts nodes that are in flight, not ready or have failed. Failed nodes that are open again slow a rollout down to one node at a
 * time but do not stop it: that is what the threshold is for.
 */
function countPlaces(most: number, ledger: readonly Slot[], rolloutStates: RolloutStates): Places {
  const held = ledger.flatMap(({ node, kind }) => (kind === 'Fresh' ? [] : [node]));
  const countOthers = (nodes: ReadonlySet<string>): number =>
    nodes.size - held.filter((node) => nodes.has(node)).length;
  const open = Math.max(0, most - held.length - countOthers(rolloutStates.unavailable));
  const free = Math.max(0, open - countOthers(rolloutStates.failedOpen));
  const isTakenByOthers = open === 0 && held.length < most;
  const changing = held.filter((node) => !rolloutStates.unavailable.has(node)).length;
  return { open, free: held.length === 0 ? Math.min(open, Math.max(1, free)) : free, isTakenByOthers, changing };
}

/** What uses up the missing places, if not nodes of this ledger: those finish, and that is progress. */
function findShortage(
  { rolloutStates, cap }: LedgerSnapshot,
  most: number,
  { isTakenByOthers, changing }: Places,
  room: number,
): RolloutGate | undefined {
  if (isTakenByOthers) {
    const nodes = rolloutStates.firstUnavailable(mostNames);
    return { reason: 'NodesUnavailable', most, count: rolloutStates.unavailable.size, nodes, changing };
  }
  return room <= 0 && cap.others.length > 0 ? { reason: 'Capped', ...cap } : undefined;
}

/** A node in a ledger. */
export interface SlotHolder {
  readonly policy: string;
  readonly node: string;
  /** The time at which it was admitted, RFC 3339. */
  readonly since: string | undefined;
}

/** What all policies together may have in flight. */
export interface ClusterCap {
  /** How many nodes. */
  readonly most: number;
  /** Nodes in the ledgers of other policies. */
  readonly others: readonly SlotHolder[];
}

/** @param ledgers of all policies, by name */
export function capBeside(
  policy: string,
  most: number,
  ledgers: Iterable<readonly [policy: string, ledger: readonly Slot[]]>,
): ClusterCap {
  const others = [...ledgers].filter(([name]) => name !== policy);
  return { most, others: others.flatMap(([name, ledger]) => ledger.map((slot) => holderOf(name, slot))) };
}

function holderOf(policy: string, { node, startTime }: Slot): SlotHolder {
  return { policy, node, since: startTime };
}

/** The cap of a controller that has no such option, or of which nothing is known. */
const usualCap = '10%';

/**
 * How many nodes of all policies may change at a time: as given, else as the leading controller has written it.
 *
 * @param partitions of all nodes
 * @param given the controller's `--max-concurrent-nodes`
 */
export function findCap(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  given?: Limit,
): number {
  const written = findWritten(policies);
  if (given === undefined && written !== undefined) return written;
  return countLimit(given ?? usualCap, partitions.filter(hasGpus).length);
}

/** Whether {@link findCap} assumes the controller's default: no option says otherwise, and no leader has written its own. */
export function isCapAssumed(policies: readonly GpuPartitionPolicy[], given?: Limit): boolean {
  return given === undefined && findWritten(policies) === undefined;
}

function findWritten(policies: readonly GpuPartitionPolicy[]): number | undefined {
  return policies.flatMap(({ status }) => status?.limits?.maxConcurrentNodes ?? [])[0];
}

export interface CanaryState {
  /** The canaries to keep in the status; undefined if the policy asks for none. */
  readonly record: Canary | undefined;
  /** How many more nodes may start as canaries; undefined if the rest may follow. */
  readonly places: number | undefined;
  /** The time at which the rest may follow, in ms since the epoch; undefined if the canaries are not ready. */
  readonly endsAt?: number | undefined;
}

/** Progress of a generation's canary. @param held nodes with a slot */
export function judgeCanary(snapshot: LedgerSnapshot, held: ReadonlySet<string>): CanaryState {
  const { policy, now, rolloutStateOf, hasAskedSince } = snapshot;
  const spec = policy.spec.rollout?.canary;
  if (!spec) return { record: undefined, places: undefined };
  const { generation = 0 } = policy.metadata;
  const { canary: known, schedule } = policy.status ?? {};
  // Each switch has its own: what was right by day says nothing about the night.
  const of = { generation, ...(schedule?.name !== undefined && { schedule: schedule.name }) };
  // One that only looks starts nothing: what was found of the generation in force still holds when that continues.
  if (known && policy.spec.mode === 'Plan') return { record: known, places: 0 };
  // A pause, a resumption and a change of pace ask for nothing new.
  const isSame = known !== undefined && known.schedule === schedule?.name && hasAskedSince(known.generation);
  const before = isSame ? { ...known, generation } : { ...of, nodes: [] };
  // What happens to its nodes later no longer affects it.
  if (before.passedTime !== undefined) return { record: before, places: undefined };
  const nodes = before.nodes.filter((node) => isCanary(node, snapshot, held));
  const places = Math.max(0, spec.nodes - nodes.length);
  // A new leader has not seen all of them yet: do not start over because of that.
  const isUnknown = nodes.some((node) => rolloutStateOf(node) === undefined);
  if (isUnknown && nodes.length === before.nodes.length) return { record: known, places };
  const areReady = places === 0 && nodes.every((node) => isWell(rolloutStateOf(node)));
  // Nor because of a pause or resumption that its nodes have not been looked at for: it asks for what they have.
  const isUnseen = isSame && known.generation !== generation && places === 0;
  if (!areReady && isUnseen && nodes.every((node) => isUntouched(rolloutStateOf(node)) && !held.has(node)))
    return { record: known, places };
  if (!areReady) return { record: { ...of, nodes }, places };
  const readySince = before.readySince ?? timeText(now);
  const endsAt = Date.parse(readySince) + durationMs(spec.soak ?? '0s');
  const record = { ...of, nodes, readySince };
  if (endsAt > now) return { record, places: 0, endsAt };
  return { record: { ...record, passedTime: timeText(now) }, places: undefined };
}

/** A node whose kubelet is gone says nothing about the new layout, however well it was before. */
function isWell(rolloutState: NodeRolloutState | undefined): boolean {
  return rolloutState?.isVerified === true && rolloutState.isReady;
}

/** Nothing happens on a node, nor has to as far as is known. */
function isUntouched(rolloutState: NodeRolloutState | undefined): boolean {
  if (rolloutState === undefined) return false;
  const { isReady, isUnderWay, hasFailed, request } = rolloutState;
  return isReady && !isUnderWay && !hasFailed && request === undefined;
}

/** A canary node that is gone is replaced, and so is one that gave up its slot and waits for another: its pods did not go. */
function isCanary(node: string, { policy, rolloutStateOf, uidOf }: LedgerSnapshot, held: ReadonlySet<string>): boolean {
  if (uidOf(node) === undefined) return false;
  const rolloutState = rolloutStateOf(node);
  if (rolloutState === undefined || held.has(node)) return true;
  return rolloutState.policy === policy.metadata.name && rolloutState.request?.kind !== 'New';
}

/** An entry of the ledger: a node that has been admitted, until it is verified or given up. */
export type Slot = NonNullable<PolicyStatus['inFlight']>[number];

/** The nodes that change first at a generation. */
export type Canary = NonNullable<PolicyStatus['canary']>;

/** How fast nodes change at a generation. */
export type Pace = NonNullable<PolicyStatus['pace']>;

export type SlotKind = NonNullable<Slot['kind']>;

/** The slot that a node which wants to change requests. */
export interface SlotRequest {
  /**
   * Why: `Repair` if something else has changed its GPUs, `Retry` if it failed before, `Fresh` if it is already tainted, so that making
   * it available disrupts nobody, else `New`.
   */
  readonly kind: Exclude<SlotKind, 'Found'>;
  /** Closed until its first layout is verified, or since a restart, and evicts no pod. */
  readonly isClosedAnyway: boolean;
  /** How often its pods failed to go for this change. */
  readonly failedDrains: number;
  /** Pods that have to go. */
  readonly evictions: number;
  /** GPU instances that are destroyed. */
  readonly destroys: number;
}

/** How a node stands in the rollout of the policy that decides over it, as last found. */
export interface NodeRolloutState {
  readonly node: string;
  readonly nodeUID: string;
  /** The policy that decides over it; undefined if none does. */
  readonly policy: string | undefined;
  /** Whether its kubelet reports so. */
  readonly isReady: boolean;
  /** True if somebody has cordoned the node: no pod can be bound to it, whatever the rollout does. */
  readonly isCordoned: boolean;
  readonly hasGpus: boolean;
  /** A grant of this generation has failed, and it has not become ready since. */
  readonly hasFailed: boolean;
  /** Device, labels and advertised resources match the policy. */
  readonly isVerified: boolean;
  readonly isClosedAnyway: boolean;
  /** True if the node is being changed, closed for it, or about to be. */
  readonly isUnderWay: boolean;
  /** True if the node is under way only because its slot is being looked at: no evidence of a change if the slot is gone meanwhile. */
  readonly isBegun?: boolean;
  /** Generation of the policy when it got its current wish: slots that were given before are for another change. */
  readonly wishGeneration: number;
  /** `startTime` of the slot with which this was found; undefined if the node had none. */
  readonly slot?: string | undefined;
  /** `startTime` of all slots of the node that were known by then, in any ledger. */
  readonly seen?: readonly string[];
  readonly request?: SlotRequest | undefined;
}

/** The slot of a node in a ledger, if it was given for the node's current wish. */
export function slotOf(
  ledger: readonly Slot[] | undefined,
  node: Pick<NodeRolloutState, 'node' | 'nodeUID' | 'wishGeneration'>,
): Slot | undefined {
  return ledger?.find((slot) => slot.node === node.node && slot.nodeUID === node.nodeUID && isFor(slot, node));
}

/** Whether a slot was given for the node's current wish. An edit that does not change the wish takes nothing away from the node. */
export function isFor({ generation = 0 }: Slot, { wishGeneration }: Pick<NodeRolloutState, 'wishGeneration'>): boolean {
  return generation >= wishGeneration;
}

/** How fast nodes change at a generation, including those that have just released their slots because they are verified. */
export function recordPace(
  { policy, rolloutStateOf, now }: LedgerSnapshot,
  released: readonly Slot[],
): Pace | undefined {
  const { generation = 0, name } = policy.metadata;
  const known = policy.status?.pace;
  const took = released.flatMap((slot): readonly number[] => {
    const rolloutState = rolloutStateOf(slot.node);
    const isDone = rolloutState?.isVerified === true && rolloutState.policy === name && isFor(slot, rolloutState);
    const startedAt = Date.parse(slot.startTime ?? '');
    // A node that was found changing began at an unknown time.
    const counts = isDone && slot.generation === generation && slot.kind !== 'Found' && Number.isFinite(startedAt);
    return counts ? [Math.max(0, Math.round((now - startedAt) / 1000))] : [];
  });
  // The pace of an earlier generation stays until then: a new generation alone causes no write.
  if (took.length === 0) return known;
  const { nodes, seconds } = known?.generation === generation ? known : { nodes: 0, seconds: 0 };
  return { generation, nodes: nodes + took.length, seconds: took.reduce((sum, one) => sum + one, seconds) };
}

const hourMs = 3_600_000;
/** No zone is further from UTC than 14 hours, and none has left out more than a day at once (Samoa, 2011). */
const farMs = 48 * hourMs;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The clocks of a time zone. A reading is in ms, as if the clock showed UTC. */
class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError if there is no such time zone */
  constructor(timeZone: string) {
    this.#format = formatOf(timeZone);
  }

  /** What the clocks show at a time, to the second. */
  reading(time: number): number {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const of = (part: Intl.DateTimeFormatPartTypes): number => parts.get(part) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  }

  /** The time at which the clocks first show this reading or, where it is left out, a later one. */
  firstShowing(reading: number): number {
    const before = this.#offset(reading - farMs);
    const after = this.#offset(reading + farMs);
    if (before === after) return reading - before;
    const change = this.#change(reading - farMs, reading + farMs, before);
    return reading - before < change ? reading - before : Math.max(change, reading - after);
  }

  /** Milliseconds by which the clocks are ahead of UTC. */
  #offset(time: number): number {
    return this.reading(time) - Math.floor(time / 1000) * 1000;
  }

  /** The time at which clocks are changed between two times, to the second; `before` is the offset at the first. */
  #change(from: number, to: number, before: number): number {
    let [last, first] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (first - last > 1) {
      const middle = Math.floor((last + first) / 2);
      if (this.#offset(middle * 1000) === before) last = middle;
      else first = middle;
    }
    return first * 1000;
  }
}

/** The format of a time zone. It is kept, because one is costly to make. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

export type Window = NonNullable<NonNullable<PolicySpec['rollout']>['windows']>[number];

/** Times in ms since the epoch; undefined: never. */
type WindowState =
  /** The first that is open closes at `closesAt`; another may still be open then. */
  | { readonly isOpen: true; readonly closesAt: number | undefined }
  | { readonly isOpen: false; readonly opensAt: number | undefined };

/** Whether nodes may start to change now. No windows means always. */
export function stateOfWindows(windows: readonly Window[] | undefined, now: number): WindowState {
  if (windows === undefined || windows.length === 0) return { isOpen: true, closesAt: undefined };
  const states = windows.map((window) => stateOfWindow(window, now));
  const isOpen = states.some((state) => state.isOpen);
  const times = states.flatMap((state) => (state.isOpen === isOpen ? (state.until ?? []) : []));
  const first = times.length > 0 ? Math.min(...times) : undefined;
  return isOpen ? { isOpen, closesAt: first } : { isOpen, opensAt: first };
}

/** Whether a window is open, and until when that holds at least; undefined: forever. */
export function stateOfWindow(
  window: Window,
  time: number,
): { readonly isOpen: boolean; readonly until: number | undefined } {
  const lastsMs = durationMs(window.duration);
  const start = nextStart(window, time - lastsMs);
  if (start === undefined) return { isOpen: false, until: undefined };
  return start <= time ? { isOpen: true, until: start + lastsMs } : { isOpen: false, until: start };
}

/** What is wrong with a window, in words; undefined if nothing is. */
export function explainWindow(window: Window): string | undefined {
  const { schedule, duration, timeZone } = window;
  const name = `${JSON.stringify(schedule)}${timeZone === undefined ? '' : ` in ${timeZone}`}`;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return `${name}: unknown time zone; use an IANA name such as Europe/Berlin`;
  }
  try {
    if (cronOf(window).nextRun(new Date(0)) === null) return `${name}: this time never occurs`;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron(Pattern|Date)?: /, '') : String(error);
    return `${name}: ${why}`;
  }
  return durationMs(duration) > 0 ? undefined : `duration ${duration} must be longer than zero`;
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The first start after a given time; none if the window is unreadable: its policy is refused. */
function nextStart(window: Window, after: number): number | undefined {
  try {
    return isHourly(window) ? cronOf(window).nextRun(new Date(after))?.getTime() : nextTimeOfDay(window, after);
  } catch {
    return undefined;
  }
}

/**
 * Whether a window is hourly. With `*` as the hour no hour is left out and none counts twice: it opens whenever the clock shows a time of
 * the schedule.
 */
function isHourly({ schedule }: Window): boolean {
  return /^[*?]$/.test(schedule.split(' ')[1] ?? '');
}

/** A time of day is one start a day: when the clock first shows it or, on the day that leaves it out, the time after it. */
function nextTimeOfDay(window: Window, after: number): number | undefined {
  const clock = new WallClock(window.timeZone ?? 'UTC');
  const readings = cronOf({ ...window, timeZone: 'UTC' });
  for (let next = readings.nextRun(new Date(clock.reading(after))); next !== null; next = readings.nextRun(next)) {
    const start = clock.firstShowing(next.getTime());
    if (start > after) return start;
  }
  return undefined;
}

function cronOf({ schedule, timeZone = 'UTC' }: Window): Cron {
  return new Cron(schedule, { timezone: timeZone, mode: '5-part' });
}
