import { once } from 'node:events';
import { availableParallelism, constants, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

/** A story to tell, with a planted bug or without. */
export interface StoryRequest<Theme extends string = string> {
  readonly seed: number;
  readonly theme?: Theme | undefined;
  /** Name of the bug. */
  readonly bug?: string | undefined;
}

interface Stories extends Omit<StoryRequest, 'seed'> {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
  /** A seed that is tried before the others. */
  readonly first?: number | undefined;
}

/** Threads that run stories, one per core. */
export class Tellers {
  readonly #workers: readonly Worker[];

  /** @param script of a thread: calls {@link tellOnRequest} */
  constructor(script: URL) {
    this.#workers = Array.from({ length: availableParallelism() }, () => new Worker(script));
  }

  /** @returns the first violation that is found, which need not be that of the lowest seed; undefined if there is none */
  async find({ from, to, first, ...more }: Stories): Promise<string | undefined> {
    let broken: string | undefined;
    const seeds = listSeeds(from, to, first);
    const work = async (worker: Worker): Promise<void> => {
      for (const seed of seeds) {
        const request: StoryRequest = { seed, ...more };
        worker.postMessage(request, []);
        const [found]: readonly unknown[] = await once(worker, 'message');
        if (typeof found === 'string') broken ??= found;
        if (broken !== undefined) return;
      }
    };
    await Promise.all(this.#workers.map(work));
    return broken;
  }

  /** @throws Error of a story that violates an invariant */
  async tell(stories: Stories): Promise<void> {
    const found = await this.find(stories);
    if (found !== undefined) throw new Error(found);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function* listSeeds(from: number, to: number, first: number | undefined): Generator<number> {
  if (first !== undefined) yield first;
  for (let seed = from; seed < to; seed += 1) if (seed !== first) yield seed;
}

/**
 * Runs stories in this thread, at the lowest priority: tests that wait for real programs may run beside it.
 *
 * @param tell returns how the story violates an invariant, or nothing
 */
export function tellOnRequest<Theme extends string>(
  tell: (request: StoryRequest<Theme>) => Promise<string | undefined>,
): void {
  setPriority(constants.priority.PRIORITY_LOW);
  // What it throws is not caught: an error of this thread.
  parentPort?.on('message', (request: StoryRequest<Theme>) => {
    void tell(request).then((found) => parentPort?.postMessage(found, []));
  });
}
