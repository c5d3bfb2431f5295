import { once } from 'node:events';
import { availableParallelism, constants, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { shareOfCore } from '../../src/simulator/control-plane/run.ts';

/** Below this share of a core others want to run all the time, and a thread of the lowest priority would never end. */
const crowdedShare = 1 / 6;

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

/** What a thread says of a story. */
interface Answer {
  /** How it violates an invariant. */
  readonly found?: string | undefined;
  /** Of the model itself: where it was thrown. */
  readonly error?: string | undefined;
}

/** Threads that run stories, one per core. */
export class Tellers {
  readonly #workers: readonly Worker[];
  /** Why a thread has ended: it would answer no request any more. */
  #lost: Error | undefined;

  /** @param script of a thread: calls {@link tellOnRequest} */
  constructor(script: URL) {
    this.#workers = Array.from({ length: availableParallelism() }, () => new Worker(script));
    for (const worker of this.#workers) worker.on('error', (error: Error) => (this.#lost ??= error));
  }

  /**
   * @returns the first violation that is found, which need not be that of the lowest seed; undefined if there is none
   * @throws Error of the model itself in a story
   */
  async find({ from, to, first, ...more }: Stories): Promise<string | undefined> {
    let broken: string | undefined;
    const seeds = listSeeds(from, to, first);
    const work = async (worker: Worker): Promise<void> => {
      for (const seed of seeds) {
        const request: StoryRequest = { seed, ...more };
        if (this.#lost) throw this.#lost;
        worker.postMessage(request, []);
        const [said]: readonly unknown[] = await once(worker, 'message');
        const { found, error } = said as Answer;
        if (error !== undefined) throw new Error(`story ${JSON.stringify(request)}: ${error}`);
        broken ??= found;
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
 * Runs stories in this thread, at the lowest priority unless the machine is crowded: tests that wait for real programs may run beside it.
 *
 * @param tell returns how the story violates an invariant, or nothing
 */
export function tellOnRequest<Theme extends string>(
  tell: (request: StoryRequest<Theme>) => Promise<string | undefined>,
): void {
  if (shareOfCore() > crowdedShare) setPriority(constants.priority.PRIORITY_LOW);
  parentPort?.on('message', (request: StoryRequest<Theme>) => {
    const answer = (said: Answer): void => parentPort?.postMessage(said, []);
    tell(request).then(
      (found) => answer({ found }),
      (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}
