import type { SimulatedSlice } from './fleet.ts';

/** A pod, from its arrival to its end. An evicted one waits again, and starts over. */
export interface SimulatedPod {
  /** Unique in a simulation. */
  readonly name: string;
  readonly profile: string;
  readonly priority: number;
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

interface Queue {
  tasks: SimulatedPod[];
  head: number;
}

/** Pods that wait, by profile: the highest priority first, of one priority the first come. */
export class WaitingTasks {
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

  /** By profile, how many wait. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#queues.keys()].map((profile) => [profile, this.count(profile)]));
  }

  /** By profile and priority, how many wait. */
  ranks(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return new Map(
      [...this.#queues].map(([profile, queues]) => [
        profile,
        new Map([...queues].map(([priority, queue]) => [priority, lengthOf(queue)])),
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
