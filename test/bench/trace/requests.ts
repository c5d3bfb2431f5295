import { readFile } from 'node:fs/promises';
import { Random } from '../../model/random.ts';

/** A task that asks for a slice, or for a whole GPU as its largest slice. */
export interface TraceRequest {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly profile: string;
}

/** How a share of the recorded GPUs becomes a profile. */
export type TraceMapping = 'by memory' | 'by share';

interface TraceTask {
  readonly arrival: number;
  readonly duration: number;
  readonly milli: number;
}

export const DAY = 86_400;
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
      const [arrival = 0, duration = 0, milli = 0] = line.split(',').map(Number);
      return { arrival, duration, milli };
    });
}

/**
 * Copies of the trace, each shifted by whole days and up to an hour, until the wanted load is reached; the last one is thinned.
 *
 * @param load mean memory slices in use if every request were served, as a share of all that there are
 */
export function superpose(
  tasks: readonly TraceTask[],
  mapping: TraceMapping,
  load: number,
  memorySlices: number,
  seed: number,
): readonly TraceRequest[] {
  const random = new Random(seed);
  const length = DAYS * DAY;
  const each =
    tasks.reduce((sum, task) => sum + task.duration * (SIZES[profileOf(task.milli, mapping)] ?? 0), 0) / length;
  const copies = (load * memorySlices) / each;
  const requests: TraceRequest[] = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const shift = random.integer(DAYS) * DAY + random.integer(3600);
    const share = Math.min(1, copies - copy);
    for (const { arrival, duration, milli } of tasks) {
      if (!random.chance(share)) continue;
      const start = (arrival + shift) % length;
      const profile = profileOf(milli, mapping);
      requests.push({ start, end: start + duration, profile });
      requests.push({ start: start + length, end: start + length + duration, profile });
    }
  }
  return requests.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function profileOf(milli: number, mapping: TraceMapping): string {
  if (mapping === 'by memory') {
    const gb = (SOURCE_GB * milli) / 1000;
    return gb <= 10 ? '1g.10gb' : gb <= 20 ? '2g.20gb' : '3g.40gb';
  }
  return milli <= 125 ? '1g.10gb' : milli <= 250 ? '2g.20gb' : milli <= 500 ? '3g.40gb' : '7g.80gb';
}
