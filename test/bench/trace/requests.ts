import { readFile } from 'node:fs/promises';
import { findModel } from '../../../src/core/gpu/geometry.ts';
import {
  DAY,
  profileFor,
  superpose as superposeOnce,
  type TraceTask,
} from '../../../src/core/plan/simulation/trace.ts';

export { DAY };

/** A task that asks for a slice, or for a whole GPU as its largest slice. */
export interface TraceRequest {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly profile: string;
}

/** How a share of the recorded GPUs becomes a profile. */
export type BenchMapping = 'by memory' | 'by share';

/** The trace is played twice, and counted the second time: the first fills the pool. */
export const DAYS = 30;

/** Memory slices of the profiles that requests ask for, on GPUs of 80 GB. */
export const SIZES: Readonly<Record<string, number>> = { '1g.10gb': 1, '2g.20gb': 2, '3g.40gb': 4, '7g.80gb': 8 };

/** Memory of the recorded GPUs. */
const SOURCE_GB = 24;

export async function readTasks(): Promise<readonly TraceTask[]> {
  const text = await readFile(new URL('../../fixtures/trace/tasks.csv', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [arrival = 0, duration = 0, asked = 0] = line.split(',').map(Number);
      return { arrival, duration, asked };
    });
}

/** @param load mean memory slices in use if every request were served, as a share of all that there are */
export function superpose(
  tasks: readonly TraceTask[],
  mapping: BenchMapping,
  load: number,
  memorySlices: number,
  seed: number,
): readonly TraceRequest[] {
  const model = findModel('h100-80gb-sxm');
  if (model === undefined) throw new Error('the table has no H100');
  const by = mapping === 'by memory' ? ({ by: 'memory', cardGb: SOURCE_GB } as const) : ({ by: 'share' } as const);
  const arrivals = tasks.map(({ arrival, duration, asked }) => ({
    start: arrival,
    duration,
    profile: profileFor(model, Number(asked), by) ?? '',
  }));
  const sizeOf = (profile: string): number => SIZES[profile] ?? 0;
  const length = DAYS * DAY;
  return superposeOnce(arrivals, { slices: load * memorySlices, sizeOf, days: DAYS, seed })
    .flatMap(({ start, duration, profile }) =>
      [start, start + length].map((at) => ({ start: at, end: at + duration, profile })),
    )
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}
