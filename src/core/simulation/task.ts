import type { SimulatedSlice } from './fleet.ts';

/** A pod, from its arrival to its end. An evicted one waits again, and starts over. */
export interface SimulatedPod {
  readonly profile: string;
  readonly duration: number;
  waitsSince: number;
  /** Undefined while it waits. */
  slice: SimulatedSlice | undefined;
  startedAt: number;
  end: number;
}

/** An end to come; void if the task was evicted meanwhile. */
export interface TaskEnd {
  readonly task: SimulatedPod;
  readonly end: number;
  readonly slice: SimulatedSlice;
}

/** Pods that wait, by profile, the first come first. */
export class WaitingTasks {
  readonly #queues = new Map<string, { tasks: SimulatedPod[]; head: number }>();

  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(task: SimulatedPod): void {
    this.#size += 1;
    const queue = this.#queues.get(task.profile) ?? { tasks: [], head: 0 };
    this.#queues.set(task.profile, queue);
    queue.tasks.push(task);
  }

  count(profile: string): number {
    const queue = this.#queues.get(profile);
    return queue === undefined ? 0 : queue.tasks.length - queue.head;
  }

  takeFirst(profile: string): SimulatedPod | undefined {
    const queue = this.#queues.get(profile);
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

  /** By profile, how many wait. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#queues.keys()].map((profile) => [profile, this.count(profile)]));
  }

  all(): readonly SimulatedPod[] {
    return [...this.#queues.values()].flatMap(({ tasks, head }) => tasks.slice(head));
  }
}
