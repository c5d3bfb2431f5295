import type { SimulatedSlice, SimulationFleet } from './fleet.ts';
import { type Arrival, EndQueue, type Random, DAY } from './trace.ts';
import { compareText } from '../../text/json.ts';

/** A pod, from its arrival to its end. An evicted one waits again, and starts over. */
export interface SimulatedPod {
  /** Unique in a simulation. */
  readonly name: string;
  readonly profile: string;
  readonly priority: number;
  readonly duration: number;
  waitsSince: number;
  /** The pod's slice; undefined while it waits. */
  slice: SimulatedSlice | undefined;
  startedAt: number;
  end: number;
}

/** An end to come; void if the task was evicted meanwhile. */
interface TaskEnd {
  readonly task: SimulatedPod;
  readonly end: number;
  readonly slice: SimulatedSlice;
}

interface Queue {
  tasks: SimulatedPod[];
  head: number;
}

/** Pods that wait, by profile: the highest priority first, of one priority the first come. */
class WaitingTasks {
  readonly #queues = new Map<string, Map<number, Queue>>();

  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(task: SimulatedPod): void {
    this.#size += 1;
    const queues = this.#queues.get(task.profile) ?? new Map<number, Queue>();
    this.#queues.set(task.profile, queues);
    const queue = queues.get(task.priority) ?? { tasks: [], head: 0 };
    queues.set(task.priority, queue);
    queue.tasks.push(task);
  }

  count(profile: string): number {
    return [...(this.#queues.get(profile)?.values() ?? [])].reduce((sum, one) => sum + lengthOf(one), 0);
  }

  takeFirst(profile: string): SimulatedPod | undefined {
    const queues = [...(this.#queues.get(profile) ?? [])].filter(([, one]) => lengthOf(one) > 0);
    const [, queue] = queues.reduce<(typeof queues)[number] | []>(
      (best, one) => (best[0] === undefined || one[0] > best[0] ? one : best),
      [],
    );
    const first = queue?.tasks[queue.head];
    if (queue === undefined || first === undefined) return undefined;
    queue.head += 1;
    this.#size -= 1;
    if (queue.head > 1000 && queue.head * 2 > queue.tasks.length) {
      queue.tasks = queue.tasks.slice(queue.head);
      queue.head = 0;
    }
    return first;
  }

  /** How many pods wait, by profile. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#queues.keys()].map((profile) => [profile, this.count(profile)]));
  }

  /** How many pods wait, by profile and priority. @param since only those that wait since then, in seconds, or for longer */
  ranks(since = Infinity): ReadonlyMap<string, ReadonlyMap<number, number>> {
    const countIn = ({ tasks, head }: Queue): number => {
      const next = tasks.findIndex(({ waitsSince }, index) => index >= head && waitsSince > since);
      return (next === -1 ? tasks.length : next) - head;
    };
    return new Map(
      [...this.#queues].map(([profile, queues]) => [
        profile,
        new Map([...queues].map(([priority, queue]) => [priority, countIn(queue)])),
      ]),
    );
  }

  all(): readonly SimulatedPod[] {
    return [...this.#queues.values()].flatMap((queues) =>
      [...queues.values()].flatMap(({ tasks, head }) => tasks.slice(head)),
    );
  }
}

function lengthOf({ tasks, head }: Queue): number {
  return tasks.length - head;
}

/** Pods that come, wait for slices, run, and end or are evicted. */
export class SimulatedPods {
  /** Pods that have no slice. */
  readonly waiting = new WaitingTasks();
  readonly #fleet: SimulationFleet;
  readonly #tally: Tally;
  readonly #random: Random;
  readonly #ends = new EndQueue<TaskEnd>();
  #received = 0;

  constructor(fleet: SimulationFleet, tally: Tally, random: Random) {
    this.#fleet = fleet;
    this.#tally = tally;
    this.#random = random;
  }

  /** The time at which the next pod ends; infinite if none runs. */
  get nextEnd(): number {
    return this.#ends.peek()?.end ?? Infinity;
  }

  /** Pods that run when it starts, on the slices that are in use then; those for which there is none wait. */
  begin(running: readonly Arrival[], inUse: readonly SimulatedSlice[]): void {
    const slices = Map.groupBy(inUse, ({ profile }) => profile);
    for (const arrival of running) {
      const task = this.#receive(arrival, 0);
      const slice = slices.get(arrival.profile)?.shift();
      if (slice === undefined) this.waiting.add(task);
      else this.#run(task, slice, 0);
    }
    for (const { profile } of running) this.dispatch(profile, 0);
  }

  arrive(arrival: Arrival): void {
    this.waiting.add(this.#receive(arrival, arrival.start));
    this.dispatch(arrival.profile, arrival.start);
  }

  /** Gives idle slices to pods that wait for them. */
  dispatch(profile: string, now: number): void {
    while (this.waiting.count(profile) > 0) {
      const slice = this.#fleet.pick(profile, this.#random);
      const task = slice && this.waiting.takeFirst(profile);
      if (slice === undefined || task === undefined) return;
      this.#run(task, slice, now);
    }
  }

  /** The next pod ends. */
  endNext(): void {
    const done = this.#ends.takeUntil(this.nextEnd);
    if (done === undefined) return;
    const { task, end, slice } = done;
    // The end of a run that was evicted.
    if (task.slice !== slice || task.end !== end) return;
    this.#tally.run(task.profile, task.startedAt, end);
    this.#release(task, slice);
    this.dispatch(task.profile, end);
  }

  evict(task: SimulatedPod, slice: SimulatedSlice, now: number): void {
    this.#tally.evict(task.profile, task.startedAt, now);
    this.#release(task, slice);
    task.waitsSince = now;
    this.waiting.add(task);
  }

  /** What runs or waits still counts until the end. */
  finish(now: number): void {
    for (const { slices } of this.#fleet.gpus)
      for (const { task } of slices) if (task !== undefined) this.#tally.run(task.profile, task.startedAt, now);
    for (const task of this.waiting.all()) this.#tally.leaveWaiting(task, task.waitsSince);
  }

  #receive({ profile, duration, priority = 0 }: Arrival, now: number): SimulatedPod {
    this.#tally.arrive(profile, now, duration);
    this.#received += 1;
    return {
      name: `pod-${this.#received}`,
      profile,
      priority,
      duration,
      waitsSince: now,
      slice: undefined,
      startedAt: 0,
      end: 0,
    };
  }

  #run(task: SimulatedPod, slice: SimulatedSlice, now: number): void {
    this.#fleet.use(slice, task);
    task.slice = slice;
    task.startedAt = now;
    task.end = now + task.duration;
    this.#tally.start(task, task.waitsSince, now);
    this.#ends.add({ task, end: task.end, slice });
  }

  #release(task: SimulatedPod, slice: SimulatedSlice): void {
    task.slice = undefined;
    this.#fleet.free(slice);
  }
}

/** What came of one profile on one day, or in a span of days. */
interface SliceFigures {
  /** Pods that came. */
  readonly pods: number;
  /** Slice-seconds in which pods would run if each started as it comes, until the end of the simulation at most. */
  readonly askedSeconds: number;
  /** Slice-seconds in which pods ran: the work that was done. Of a backlog, a day may serve more than it was asked for. */
  readonly servedSeconds: number;
  /** Slice-seconds in which pods ran that were evicted: they start over. */
  readonly lostSeconds: number;
  /** Slice-seconds in which pods waited. */
  readonly waitSeconds: number;
  /** Pods that got their slice. */
  readonly started: number;
  /** The longest wait of a pod that has its slice, or still waits at the end. */
  readonly longestWaitSeconds: number;
  readonly evictions: number;
}

interface DayFigures extends SliceFigures {
  /** The number of the day, from 1. */
  readonly day: number;
  readonly profile: string;
}

interface ProfileFigures extends SliceFigures {
  readonly profile: string;
  /** Memory slices that it takes. */
  readonly size: number;
  /** The wait that half of the pods did not exceed, and 95 %; one that still waits at the end counts by its wait until then. */
  readonly medianWaitSeconds: number;
  readonly p95WaitSeconds: number;
  /** Pods that still wait at the end. */
  readonly stillWaiting: number;
}

/** The figures of all profiles and days together. */
interface SideTotal extends Omit<SliceFigures, 'askedSeconds' | 'servedSeconds' | 'lostSeconds' | 'waitSeconds'> {
  /** The share of the time that pods would run if each started as it comes, in which they ran, by memory slices: from 0 to 1. */
  readonly servedShare: number;
  /** The share of the same time that evicted pods had run: from 0 to 1. */
  readonly lostShare: number;
  readonly medianWaitSeconds: number;
  readonly p95WaitSeconds: number;
  readonly stillWaiting: number;
  /** GPUs re-laid. */
  readonly relayouts: number;
  /** How often the mean GPU is re-laid in 30 days. */
  readonly relayoutsPerGpuMonth: number;
}

/** The figures of one side. */
interface SideFigures {
  readonly total: SideTotal;
  readonly profiles: readonly ProfileFigures[];
  readonly days: readonly DayFigures[];
  /** GPUs re-laid, by day. */
  readonly relayouts: readonly number[];
  /** How long pods waited, by priority, the highest first. */
  readonly priorities: readonly PriorityFigures[];
}

interface PriorityFigures {
  readonly priority: number;
  readonly meanWaitSeconds: number;
  readonly p95WaitSeconds: number;
}

/** Figures that are still counted. */
type Counted = { -readonly [Key in keyof SliceFigures]: SliceFigures[Key] };

const nothing: SliceFigures = {
  pods: 0,
  askedSeconds: 0,
  servedSeconds: 0,
  lostSeconds: 0,
  waitSeconds: 0,
  started: 0,
  longestWaitSeconds: 0,
  evictions: 0,
};

function sumFigures(all: readonly SliceFigures[]): SliceFigures {
  const sum: Counted = { ...nothing };
  for (const one of all) {
    sum.pods += one.pods;
    sum.askedSeconds += one.askedSeconds;
    sum.servedSeconds += one.servedSeconds;
    sum.lostSeconds += one.lostSeconds;
    sum.waitSeconds += one.waitSeconds;
    sum.started += one.started;
    sum.longestWaitSeconds = Math.max(sum.longestWaitSeconds, one.longestWaitSeconds);
    sum.evictions += one.evictions;
  }
  return sum;
}

/** @param sorted ascending */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sumUpWaits([priority, waits]: readonly [number, readonly number[]]): PriorityFigures {
  const meanWaitSeconds = waits.reduce((sum, one) => sum + one, 0) / Math.max(1, waits.length);
  const sorted = waits.toSorted((a, b) => a - b);
  return { priority, meanWaitSeconds, p95WaitSeconds: quantile(sorted, 0.95) };
}

type Span = 'askedSeconds' | 'servedSeconds' | 'lostSeconds' | 'waitSeconds';

interface WaitingPod {
  readonly profile: string;
  readonly priority: number;
}

/** Adds up what happens, by day and profile. */
export class Tally {
  readonly #days: Map<string, Counted>[];
  readonly #waits = new Map<string, number[]>();
  /** How long pods waited, in seconds, by priority; an evicted pod that waits again counts twice. */
  readonly #waitsByPriority = new Map<number, number[]>();
  /** GPUs re-laid, by day. */
  readonly #relayouts: number[];
  readonly #end: number;

  constructor(days: number) {
    this.#end = days * DAY;
    this.#days = Array.from({ length: days }, () => new Map<string, Counted>());
    this.#relayouts = Array.from({ length: days }, () => 0);
  }

  /** @param duration how long it runs, once it has its slice */
  arrive(profile: string, now: number, duration: number): void {
    this.#of(profile, now).pods += 1;
    this.#spend(profile, 'askedSeconds', now, now + duration);
  }

  start(pod: WaitingPod, since: number, now: number): void {
    this.#of(pod.profile, now).started += 1;
    this.#wait(pod, since, now);
  }

  /** Counts the work of a pod that has run, to its end or to that of the simulation. */
  run(profile: string, since: number, until: number): void {
    this.#spend(profile, 'servedSeconds', since, until);
  }

  /** Counts an eviction: the pod has run in vain. */
  evict(profile: string, since: number, now: number): void {
    this.#of(profile, now).evictions += 1;
    this.#spend(profile, 'lostSeconds', since, now);
  }

  relay(now: number): void {
    const day = this.#dayOf(now);
    this.#relayouts[day] = (this.#relayouts[day] ?? 0) + 1;
  }

  /** Counts the wait of a pod that still waits at the end. */
  leaveWaiting(pod: WaitingPod, since: number): void {
    this.#wait(pod, since, this.#end);
  }

  /**
   * The figures of a side that has ended.
   *
   * @param sizes memory slices by profile, in the order in which they are listed
   * @param gpus how many GPUs it has
   */
  sumUp(sizes: ReadonlyMap<string, number>, gpus: number, stillWaiting: (profile: string) => number): SideFigures {
    const profiles = this.#listProfiles(sizes, stillWaiting);
    return {
      total: this.#total(profiles, gpus),
      profiles,
      days: this.#listDays(),
      relayouts: this.#relayouts,
      priorities: [...this.#waitsByPriority].map(sumUpWaits).toSorted((a, b) => b.priority - a.priority),
    };
  }

  #total(profiles: readonly ProfileFigures[], gpus: number): SideTotal {
    const { pods, started, longestWaitSeconds, evictions } = sumFigures(profiles);
    const waits = [...this.#waits.values()].flat().toSorted((a, b) => a - b);
    const add = (value: (one: ProfileFigures) => number): number => profiles.reduce((sum, one) => sum + value(one), 0);
    const asked = add((one) => one.askedSeconds * one.size);
    const relayouts = this.#relayouts.reduce((sum, one) => sum + one, 0);
    return {
      pods,
      started,
      longestWaitSeconds,
      evictions,
      servedShare: asked === 0 ? 1 : add((one) => one.servedSeconds * one.size) / asked,
      lostShare: asked === 0 ? 0 : add((one) => one.lostSeconds * one.size) / asked,
      medianWaitSeconds: quantile(waits, 0.5),
      p95WaitSeconds: quantile(waits, 0.95),
      stillWaiting: add((one) => one.stillWaiting),
      relayouts,
      relayoutsPerGpuMonth: (relayouts / gpus / this.#days.length) * 30,
    };
  }

  #listDays(): readonly DayFigures[] {
    return this.#days.flatMap((profiles, day) =>
      [...profiles]
        .toSorted(([a], [b]) => compareText(a, b))
        .map(([profile, figures]) => ({ day: day + 1, profile, ...figures })),
    );
  }

  #listProfiles(
    sizes: ReadonlyMap<string, number>,
    stillWaiting: (profile: string) => number,
  ): readonly ProfileFigures[] {
    return [...sizes].flatMap(([profile, size]) => {
      const days = this.#days.flatMap((one) => one.get(profile) ?? []);
      if (days.length === 0) return [];
      const waits = (this.#waits.get(profile) ?? []).toSorted((a, b) => a - b);
      return [
        {
          profile,
          size,
          ...sumFigures(days),
          medianWaitSeconds: quantile(waits, 0.5),
          p95WaitSeconds: quantile(waits, 0.95),
          stillWaiting: stillWaiting(profile),
        },
      ];
    });
  }

  #wait({ profile, priority }: WaitingPod, since: number, until: number): void {
    const wait = until - since;
    const alike = this.#waitsByPriority.get(priority) ?? [];
    this.#waitsByPriority.set(priority, alike);
    alike.push(wait);
    const figures = this.#of(profile, until);
    figures.longestWaitSeconds = Math.max(figures.longestWaitSeconds, wait);
    const waits = this.#waits.get(profile) ?? [];
    this.#waits.set(profile, waits);
    waits.push(wait);
    this.#spend(profile, 'waitSeconds', since, until);
  }

  /** What a stretch of time adds to each of its days. */
  #spend(profile: string, span: Span, since: number, until: number): void {
    for (let from = Math.max(0, since); from < Math.min(until, this.#end);) {
      const to = Math.min(until, this.#end, (Math.floor(from / DAY) + 1) * DAY);
      this.#of(profile, from)[span] += to - from;
      from = to;
    }
  }

  #of(profile: string, now: number): Counted {
    const day = this.#days[this.#dayOf(now)] ?? new Map<string, Counted>();
    const known = day.get(profile) ?? { ...nothing };
    day.set(profile, known);
    return known;
  }

  #dayOf(now: number): number {
    return Math.min(this.#days.length - 1, Math.floor(now / DAY));
  }
}
