// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here how nodes stand for rollouts, how many of them a limit allows, and whether a window is open, until when, in ms since the epoch.
import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus, PolicySpec } from '../../api/types.ts';
import { durationMs } from '../text/syntax.ts';
import { RolloutStates } from './states.ts';
import { Cron } from 'croner';

/** A number of nodes, or a percentage of them. */
type Limit = number | string;

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
/** An entry of the ledger: a node that has been admitted, until it is verified or given up. */
export type Slot = NonNullable<PolicyStatus['inFlight']>[number];
/** The slot that a node which wants to change requests. */
interface SlotRequest {
  /**
   * Why: `Repair` if something else has changed its GPUs, `Retry` if it failed before, `Fresh` if it is already tainted, so that making
   * it available disrupts nobody, else `New`.
   */
  readonly kind: Exclude<NonNullable<Slot['kind']>, 'Found'>;
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

/** A node in a ledger. */
interface SlotHolder {
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

/** What tells one node from another of its name. */
interface Named {
  readonly metadata: { readonly name: string; readonly uid?: string | undefined };
}

/** A node's slot in the ledger of a policy, if it was given for the node's current wish. */
export function slotIn(
  policy: Pick<GpuPartitionPolicy, 'status'> | undefined,
  { metadata }: Named,
  partition: GpuNodePartition | undefined,
): Slot | undefined {
  const wishGeneration = partition?.spec.policy?.generation ?? 0;
  return slotOf(policy?.status?.inFlight, { node: metadata.name, nodeUID: metadata.uid ?? '', wishGeneration });
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

/** How all nodes stand, each under the policy that decides over it. */
export class FleetRollout {
  readonly #nodes = new Map<string, NodeRolloutState>();
  readonly #policies = new Map<string, RolloutStates>();
  #withGpus = 0;

  /** How many nodes have been looked at. */
  get known(): number {
    return this.#nodes.size;
  }

  /** How many nodes have GPUs, whichever policy decides over them: the base of the cap over all policies. */
  get size(): number {
    return this.#withGpus;
  }

  /** What all policies together may have in flight beside one of them. @param ledgers of all policies, by name */
  capBeside(
    policy: string,
    most: Limit,
    ledgers: Iterable<readonly [policy: string, ledger: readonly Slot[]]>,
  ): ClusterCap {
    return capBeside(policy, countLimit(most, this.size), ledgers);
  }

  /** Policies of which nodes wait for a slot. */
  get asking(): readonly string[] {
    return [...this.#policies].flatMap(([name, { isAsked }]) => (isAsked ? [name] : []));
  }

  /** @returns policies whose rollout this may advance */
  put(rolloutState: NodeRolloutState): readonly string[] {
    const before = this.#nodes.get(rolloutState.node);
    const left = before !== undefined && before.policy !== rolloutState.policy ? this.#leave(before) : [];
    this.#nodes.set(rolloutState.node, rolloutState);
    const resized = this.#count(before, rolloutState);
    const { policy } = rolloutState;
    const moved = policy !== undefined && this.of(policy).put(rolloutState) ? [policy] : [];
    return [...new Set([...left, ...moved, ...resized])];
  }

  /** @returns policies whose rollout this may advance */
  remove(node: string): readonly string[] {
    const before = this.#nodes.get(node);
    this.#nodes.delete(node);
    this.#count(before, undefined);
    return before === undefined ? [] : this.#leave(before);
  }

  /** Called before a node with a slot is processed: it counts as under way until its outcome is known. */
  begin(node: string): void {
    const before = this.#nodes.get(node);
    if (before && !before.isUnderWay) this.put({ ...before, isUnderWay: true, isBegun: true });
  }

  rolloutStateOf(node: string): NodeRolloutState | undefined {
    return this.#nodes.get(node);
  }

  /**
   * How nodes stand for a ledger. A standing from before a node's slot was known, or before another policy won the node, says nothing about
   * the slot: an old leader would take it from a node that the new leader lets proceed.
   *
   * @param winnerOf the policy that decides over a node now
   */
  standingFor(
    ledger: readonly Slot[],
    winnerOf: (node: string) => string | undefined,
  ): (node: string) => NodeRolloutState | undefined {
    const slots = new Map(ledger.map((slot) => [slot.node, slot]));
    return (node) => {
      const state = this.#nodes.get(node);
      const slot = slots.get(node);
      const isOutdated = state && (state.policy !== winnerOf(node) || (slot && isNewSlot(slot, state)));
      return isOutdated === true ? { ...state, isUnderWay: true } : state;
    };
  }

  /** Nodes in a ledger that have not been looked at since their slot appeared: another leader gave it. */
  newIn(ledger: readonly Slot[]): readonly string[] {
    return ledger.flatMap((slot) => {
      const state = this.#nodes.get(slot.node);
      return state && isNewSlot(slot, state) ? [slot.node] : [];
    });
  }

  of(policy: string): RolloutStates {
    const known = this.#policies.get(policy) ?? new RolloutStates();
    this.#policies.set(policy, known);
    return known;
  }

  dropPolicy(policy: string): void {
    this.#policies.delete(policy);
  }

  /** @returns policies whose nodes wait for a slot, if there is more to share among all */
  #count(before: NodeRolloutState | undefined, after: NodeRolloutState | undefined): readonly string[] {
    const more = Number(after?.hasGpus === true) - Number(before?.hasGpus === true);
    this.#withGpus += more;
    return more > 0 ? this.asking : [];
  }

  #leave({ node, policy }: NodeRolloutState): readonly string[] {
    // Of a policy that is gone, nothing is made again.
    return policy !== undefined && this.#policies.get(policy)?.remove(node) === true ? [policy] : [];
  }
}

function isNewSlot({ startTime = '' }: Slot, { seen }: NodeRolloutState): boolean {
  return seen?.includes(startTime) !== true;
}

/** @param ledgers of all policies, by name */
function capBeside(
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
  const [written] = policies.flatMap(({ status }) => status?.limits?.maxConcurrentNodes ?? []);
  if (given === undefined && written !== undefined) return written;
  return countLimit(given ?? usualCap, partitions.filter(hasGpus).length);
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

/** Whether a window of these is open, and until when that holds at least, in ms since the epoch; undefined: forever. No windows means always. */
export function stateOfWindows(
  windows: readonly Window[] | undefined,
  time: number,
): { readonly isOpen: boolean; readonly until: number | undefined } {
  if (windows === undefined || windows.length === 0) return { isOpen: true, until: undefined };
  const states = windows.map((window) => stateOfWindow(window, time));
  const isOpen = states.some((state) => state.isOpen);
  const times = states.flatMap((state) => (state.isOpen === isOpen ? (state.until ?? []) : []));
  return { isOpen, until: times.length > 0 ? Math.min(...times) : undefined };
}

function stateOfWindow(window: Window, time: number): ReturnType<typeof stateOfWindows> {
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
