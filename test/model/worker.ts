import { backoffMs } from '../../src/kube/api-error.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './timeline.ts';

/** Work of a program: it yields how many ms the next answer takes, and returns when to run again. */
export type WorkerTask = Generator<number, number | undefined, undefined>;

/** The environment of a program. */
export interface Workplace {
  readonly timeline: VirtualTime;
  readonly random: Random;
  /** Whether an error is one that programs survive. */
  isFault(error: unknown): boolean;
}

/** The work queue of a program for its single key: as `src/kube/queue.ts`, in virtual time. */
export class Worker {
  readonly #world: Workplace;
  readonly #start: () => WorkerTask;
  #task: WorkerTask | undefined;
  #isDirty = false;
  #delayed: { readonly at: number; readonly cancel: () => void } | undefined;
  #failures = 0;
  #isStopped = false;
  /** The next answer takes this many ms longer: the process hangs. */
  stallMs = 0;

  constructor(world: Workplace, start: () => WorkerTask) {
    this.#world = world;
    this.#start = start;
  }

  get isIdle(): boolean {
    return this.#task === undefined && !this.#isDirty;
  }

  /** When it next runs by itself. */
  get wakesAt(): number | undefined {
    return this.#delayed?.at;
  }

  add(): void {
    if (this.#isStopped || this.#isDirty) return;
    this.#isDirty = true;
    if (!this.#task) this.#world.timeline.after(0, () => this.#begin());
  }

  addAfter(ms: number): void {
    if (this.#isStopped) return;
    const at = this.#world.timeline.now + ms;
    if (this.#delayed && this.#delayed.at <= at) return;
    this.#delayed?.cancel();
    const cancel = this.#world.timeline.after(ms, () => {
      this.#delayed = undefined;
      this.add();
    });
    this.#delayed = { at, cancel };
  }

  /** The process is gone, whatever it was doing. */
  stop(): void {
    this.#isStopped = true;
    this.#task = undefined;
    this.#delayed?.cancel();
    this.#delayed = undefined;
  }

  #begin(): void {
    if (this.#isStopped || this.#task || !this.#isDirty) return;
    this.#isDirty = false;
    this.#delayed?.cancel();
    this.#delayed = undefined;
    this.#task = this.#start();
    this.#resume();
  }

  #resume(): void {
    const task = this.#task;
    if (!task) return;
    try {
      const { done, value } = task.next();
      // The process was killed in the middle of it.
      if (this.#task !== task) return;
      if (done === true) {
        this.#failures = 0;
        return this.#finish(value);
      }
      const stall = this.stallMs;
      this.stallMs = 0;
      this.#world.timeline.after((value ?? 0) + stall, () => {
        if (this.#task === task) this.#resume();
      });
    } catch (error) {
      if (!this.#world.isFault(error)) throw error;
      if (this.#task !== task) return;
      this.#failures += 1;
      this.#finish(backoffMs({ baseMs: 500, maxMs: 300_000 }, this.#failures, () => this.#world.random.next()));
      return;
    }
  }

  #finish(requeueAfterMs: number | undefined): void {
    this.#task = undefined;
    if (requeueAfterMs !== undefined) this.addAfter(requeueAfterMs);
    if (this.#isDirty) this.#world.timeline.after(0, () => this.#begin());
  }
}
