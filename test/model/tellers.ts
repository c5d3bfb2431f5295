import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

interface Seeds {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
  readonly theme?: string | undefined;
}

/** Seeds that a thread gets at a time: some stories are ten times as long as others. */
const mostSeeds = 20;

/** Threads that run stories, one per core. */
export class Tellers {
  readonly #workers: readonly Worker[];

  /** @param script of a thread: answers a range of seeds with its first violation, or nothing */
  constructor(script: URL) {
    this.#workers = Array.from({ length: availableParallelism() }, () => new Worker(script));
  }

  /** @throws Error of a story that violates an invariant */
  async tell({ from, to, theme }: Seeds): Promise<void> {
    const broken: string[] = [];
    let next = from;
    const work = async (worker: Worker): Promise<void> => {
      while (next < to) {
        const range = { from: next, to: Math.min(next + mostSeeds, to), theme };
        next = range.to;
        worker.postMessage(range, []);
        const [found]: readonly unknown[] = await once(worker, 'message');
        if (typeof found !== 'string') continue;
        next = to;
        broken.push(found);
      }
    };
    await Promise.all(this.#workers.map(work));
    if (broken.length > 0) throw new Error(broken.join('\n'));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
