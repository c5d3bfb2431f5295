import { findModel } from '../../src/core/gpu/geometry.ts';
import { planGpu } from '../../src/core/gpu/plan.ts';
import { Random } from '../../src/core/plan/simulation/trace.ts';
import { printMetric } from './metric.ts';
import { DAY, readTasks } from './trace/requests.ts';

/** A node of four A100-40GB, each with seven 1g.5gb, of which each is offered four times. */
const GPUS = 4;
const SLICES = 7;
const REPLICAS = 4;
const LOADS = [0.2, 0.5, 0.7];
const SEEDS = [1, 2, 3];
const DAYS = 30;
/** Until then the node fills. */
const FIRST_DAY = 10;
const HOUR = 3600;
/** Layouts that a GPU of the node is asked to become: what is idle goes first. */
const wanted = [
  { '1g.5gb': 3, '3g.20gb': 1 },
  { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 },
];

/**
 * How many pods one change of a GPU with shared slices evicts if the device plugin packs them, against its default. The plugin's rule is
 * that of its source (v0.20, `internal/rm/allocate.go`): the slice with the most, or the fewest, replicas in use; of equal ones any.
 */
export async function measureSharing(): Promise<void> {
  const durations = (await readTasks()).map(({ duration }) => duration);
  for (const load of LOADS) {
    const evicted = (packs: boolean): number =>
      SEEDS.reduce((sum, seed) => sum + playNode(durations, { load, packs, random: new Random(seed) }), 0) /
      SEEDS.length;
    const metric = `sharing: pods evicted by one change of a GPU, ${100 * load} % of the replicas in use`;
    printMetric({ metric, value: evicted(true), unit: 'pods', baseline: evicted(false) });
  }
}

interface Play {
  readonly load: number;
  readonly packs: boolean;
  readonly random: Random;
}

/** Plays recorded durations at random arrivals on the node. @returns the mean of pods on what an hourly change would destroy */
function playNode(durations: readonly number[], { load, packs, random }: Play): number {
  const model = findModel('A100-SXM4-40GB');
  if (model === undefined) throw new Error('the table has no A100');
  const mean = durations.reduce((sum, one) => sum + one, 0) / durations.length;
  const rate = (load * GPUS * SLICES * REPLICAS) / mean;
  /** The ends of the pods on each slice. */
  const slices: number[][] = Array.from({ length: GPUS * SLICES }, () => []);
  let [evicted, changes, nextLook] = [0, 0, FIRST_DAY * DAY];
  const end = (now: number): void => {
    for (const [index, ends] of slices.entries()) slices[index] = ends.filter((at) => at > now);
  };
  const look = (): void => {
    const first = random.integer(GPUS) * SLICES;
    const podsAt = (start: number): number => slices[first + start]?.length ?? 0;
    const have = Array.from({ length: SLICES }, (_, start) => ({ profile: '1g.5gb', start, busy: podsAt(start) > 0 }));
    for (const want of wanted) {
      const plan = planGpu(model, have, want);
      if (!plan.fits) throw new Error('the layout does not fit');
      evicted += plan.destroy.reduce((sum, { start }) => sum + podsAt(start), 0);
      changes += 1;
    }
  };
  for (let now = 0; now < DAYS * DAY; now -= Math.log(1 - random.next()) / rate) {
    for (; nextLook < now; nextLook += HOUR) {
      end(nextLook);
      look();
    }
    end(now);
    const free = slices.filter(({ length }) => length < REPLICAS);
    const counts = free.map(({ length }) => length);
    const count = packs ? Math.max(...counts) : Math.min(...counts);
    const equal = free.filter(({ length }) => length === count);
    equal[random.integer(equal.length)]?.push(now + (durations[random.integer(durations.length)] ?? 0));
  }
  return evicted / changes;
}
