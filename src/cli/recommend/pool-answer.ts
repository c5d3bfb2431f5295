import type { ClassLayout } from '../../core/demand/demand-plan.ts';
import { type CostGap } from '../../core/demand/pool.ts';
import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import { resolveProfile } from '../../core/gpu/geometry/profile-lookup.ts';
import { drawGpu } from '../../core/gpu/plan/picture.ts';
import { listProfiles, writeLayout } from '../../core/gpu/search/layout-words.ts';
import { countPresent } from '../../core/supply/count.ts';
import { countWords } from '../../core/text/cut-text.ts';
import { wrapHanging } from '../../core/text/wrap.ts';
import type { DemandPlan } from '../../process/demand-solver.ts';
import { paint, printLine, type Terminal } from '../terminal.ts';
import type { FiledGpu } from './pool-file.ts';
import { WHOLE } from '../../core/gpu/geometry/profile-name.ts';

interface PlacedSlice {
  readonly profile: string;
  readonly start: number;
  /** In memory slices. */
  readonly size: number;
}

/** What one GPU is to become. */
interface RecommendedGpu {
  readonly id: string;
  /** It is whole, or becomes so. */
  readonly mig?: 'Disabled';
  readonly profiles: Layout;
  /** Every instance once the layout is in place; by start, like the lists of what goes and comes. */
  readonly placements: readonly PlacedSlice[];
  readonly destroy: readonly PlacedSlice[];
  readonly create: readonly PlacedSlice[];
}

export interface PoolAnswer {
  /** Whether it is proven that no plan is better. */
  readonly optimal: boolean;
  /** Slice of the demand to how many of it cannot be offered. */
  readonly unserved: Readonly<Record<string, number>>;
  /** Busy instances that must go, by weight. */
  readonly evictions: number;
  readonly gpusChanged: number;
  /** Idle ones; a whole GPU that is partitioned counts as one. */
  readonly instancesDestroyed: number;
  /** Absent if the plan is optimal: no plan has less than `bound` of this figure. */
  readonly gap?: CostGap;
  /** In the order of the pool. */
  readonly gpus: readonly RecommendedGpu[];
}

/** GPUs drawn as text; programs read all of them as JSON. */
const MOST_DRAWN = 40;

export function writePoolAnswer(gpus: readonly FiledGpu[], { cost, gap, unserved, layouts }: DemandPlan): PoolAnswer {
  return {
    optimal: gap === undefined,
    unserved,
    evictions: cost.evictions,
    gpusChanged: cost.gpusChanged,
    instancesDestroyed: cost.instancesDestroyed,
    ...(gap && { gap }),
    gpus: gpus.map((gpu, index) => writeGpu(gpu, layouts[index])),
  };
}

function writeGpu({ id, geometry }: FiledGpu, layout: ClassLayout | undefined): RecommendedGpu {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  const isSlice = ({ profile }: { readonly profile: string }): boolean => profile !== WHOLE;
  const place = ({ profile, start }: Omit<PlacedSlice, 'size'>): PlacedSlice => ({
    profile,
    start,
    size: resolveProfile(geometry, profile)?.memorySlices ?? 0,
  });
  const placements = [...keep, ...create]
    .filter(isSlice)
    .map(place)
    .toSorted((a, b) => a.start - b.start);
  return {
    id,
    ...([...keep, ...create].every(isSlice) ? {} : { mig: 'Disabled' as const }),
    profiles: Object.fromEntries(listProfiles(Object.fromEntries(countPresent(placements)))),
    placements,
    destroy: destroy.filter(isSlice).map(place),
    create: create.filter(isSlice).map(place),
  };
}

export function printPoolAnswer({ stdout }: Terminal, gpus: readonly FiledGpu[], answer: PoolAnswer): void {
  const changed = answer.gpus.flatMap((gpu, index) => {
    const now = gpus[index];
    const isChanged = gpu.destroy.length + gpu.create.length > 0 || (now && isWhole(now)) !== (gpu.mig === 'Disabled');
    return now !== undefined && isChanged ? [{ now, gpu }] : [];
  });
  for (const { now, gpu } of changed.slice(0, MOST_DRAWN)) {
    const isKept = (start: number) => !gpu.create.some((one) => one.start === start);
    const isBusy = (start: number) => isKept(start) && now.instances.some((one) => one.busy && one.start === start);
    const then = gpu.placements.map((one) => ({ ...one, busy: isBusy(one.start) }));
    printLine(stdout, `${gpu.id} (${now.geometry.id}): ${gpu.mig === 'Disabled' ? WHOLE : writeLayout(gpu.profiles)}`);
    printLine(stdout, `  now   ${drawGpu(now.geometry, isWhole(now) ? undefined : now.instances)}`);
    printLine(stdout, `  then  ${drawGpu(now.geometry, gpu.mig === 'Disabled' ? undefined : then)}`);
  }
  if (changed.length > MOST_DRAWN)
    printLine(stdout, `… and ${countWords(changed.length - MOST_DRAWN, 'more GPU')}; -o json has all`);
  const lacking = Object.entries(answer.unserved);
  const served =
    lacking.length === 0
      ? paint(stdout, 'green', 'the demand is served')
      : `${paint(stdout, 'yellow', 'unserved')}: ${writeLayout(answer.unserved)}`;
  printLine(stdout, served);
  const bill = [
    `${countWords(answer.gpusChanged, 'GPU')} of ${gpus.length} changed`,
    answer.evictions === 0 ? 'no eviction' : `evictions: ${answer.evictions}`,
    `${countWords(answer.instancesDestroyed, 'idle instance')} destroyed`,
  ];
  printLine(stdout, bill.join(', '));
  for (const line of wrapHanging(explainProof(answer.gap), 80, '  ')) printLine(stdout, line);
}

function isWhole({ instances }: FiledGpu): boolean {
  return instances.some(({ profile }) => profile === WHOLE);
}

function explainProof(gap: CostGap | undefined): string {
  if (gap === undefined)
    return 'proven: no plan serves more, or as much with fewer evictions, changes or destroyed instances';
  const words = {
    unserved: 'weight unserved',
    evictions: 'evictions',
    minutesLost: 'minutes of work lost',
    gpusChanged: 'GPUs changed',
    instancesDestroyed: 'idle instances destroyed',
  } as const;
  return `not proven in time: this plan has ${gap.value} ${words[gap.figure]}, and a better one has at least ${gap.bound}; raise --time-limit`;
}
