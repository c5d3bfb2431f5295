import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Takes a line for people about the search for the programs. */
export type OnProgress = (line: string) => void;

const phases = {
  waiting: "waiting for another process that builds Kubernetes' control plane",
  building: "building Kubernetes' control plane (once, it is kept)",
} as const;

/**
 * Reports at once and every few seconds until stopped. The timer keeps no process alive.
 *
 * @param expectedSeconds that the whole build takes: as measured here before, else those of a cold build on two cores
 */
export function reportProgress(
  onProgress: OnProgress | undefined,
  phase: keyof typeof phases,
  startedAt: number,
  expectedSeconds: number,
): Disposable {
  const report = (): void => {
    const elapsedSeconds = Math.round((Date.now() - startedAt) / 1000);
    onProgress?.(`${phases[phase]}: ${elapsedSeconds} s of about ${expectedSeconds} s`);
  };
  report();
  const timer = setInterval(report, 5_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Longest time between two looks that counts: a machine that stood still meanwhile says nothing about the programs. */
const longestStepMs = 5_000;

/** Milliseconds in which the machine went on, as far as somebody looked. */
export class FairClock {
  readonly #shareNow: () => number;
  #spentMs = 0;
  #lookedMs: number | undefined;

  /** @param shareNow of the time since the last look that counts */
  constructor(shareNow: () => number = () => 1) {
    this.#shareNow = shareNow;
  }

  read(nowMs: number): number {
    this.#spentMs += this.#shareNow() * Math.min(longestStepMs, nowMs - (this.#lookedMs ?? nowMs));
    this.#lookedMs = nowMs;
    return this.#spentMs;
  }
}

/** What a program that wants to run has of a core: a quarter if eight want to run on two. Where Linux does not tell, all of it. */
function shareOfCore(): number {
  try {
    const [, wanting = '1'] = /(\d+)\//.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
    return Math.min(1, availableParallelism() / Math.max(1, Number(wanting)));
  } catch {
    return 1;
  }
}

/** What changes though nothing happens: times, and the revisions of what is written with them. */
const restless = /\d{4}-\d\d-\d\dT[\d:.]+Z?|"resourceVersion":"\d+"/g;

/** Tells slowness from standstill: a wait ends once nothing is seen for too long that was not seen before, on a loaded machine later. */
export class Waiting {
  readonly #allowanceMs: number;
  readonly #clock: FairClock;
  readonly #seen = new Set<string>();
  #newsMs = 0;
  #lookedMs = -Infinity;

  /** @param allowanceMs for which nothing new may be seen */
  constructor(allowanceMs: number, clock = new FairClock(shareOfCore)) {
    this.#allowanceMs = allowanceMs;
    this.#clock = clock;
  }

  /** @param describe what is seen now; it is asked only now and then */
  isOver(describe: () => string = () => '', nowMs = Date.now()): boolean {
    const atMs = this.#clock.read(nowMs);
    if (atMs - this.#lookedMs < this.#allowanceMs / 20) return false;
    this.#lookedMs = atMs;
    const seen = hash('sha1', describe().replaceAll(restless, ''));
    if (!this.#seen.has(seen)) this.#newsMs = atMs;
    this.#seen.add(seen);
    return atMs - this.#newsMs > this.#allowanceMs;
  }
}
