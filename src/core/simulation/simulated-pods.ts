import type { Arrival } from './arrival.ts';
import { EndQueue } from './end-queue.ts';
import type { SimulatedSlice, SimulationFleet } from './fleet.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';
import { type SimulatedPod, type TaskEnd, WaitingTasks } from './task.ts';

/** Pods that come, wait for slices, run, and end or are evicted. */
export class SimulatedPods {
  /** Those that have no slice. */
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

  /** When the next pod ends. */
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
