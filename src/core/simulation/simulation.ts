import type { Arrival } from './arrival.ts';
import type { PoolPlanner } from './layout-choice.ts';
import { playSide, type SideStart } from './side.ts';
import { type DayFigures, type ProfileFigures, quantile, type SliceFigures, sumFigures } from './figures.ts';
import type { Tally } from './tally.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** Ways to partition a fleet, and the pods that come to each. */
export interface SimulationStart {
  readonly sides: readonly SideStart[];
  readonly running: readonly Arrival[];
  readonly arrivals: readonly Arrival[];
  readonly days: number;
  readonly seed: number;
  readonly startMs: number;
}

/** All profiles and days together. */
export interface SideTotal extends Omit<
  SliceFigures,
  'askedSeconds' | 'servedSeconds' | 'lostSeconds' | 'waitSeconds'
> {
  /** Of the time that pods would run if each started as it comes, the part that was served, by memory slices: from 0 to 1. */
  readonly servedShare: number;
  /** Of the same time, what evicted pods had run. */
  readonly lostShare: number;
  readonly medianWaitSeconds: number;
  readonly p95WaitSeconds: number;
  readonly stillWaiting: number;
  /** GPUs re-laid. */
  readonly relayouts: number;
  /** Of the mean GPU, in 30 days. */
  readonly relayoutsPerGpuMonth: number;
}

/** What came of one side. */
export interface SideFigures {
  readonly total: SideTotal;
  readonly profiles: readonly ProfileFigures[];
  readonly days: readonly DayFigures[];
  /** GPUs re-laid, by day. */
  readonly relayouts: readonly number[];
  /** By priority, the highest first: how long pods waited. */
  readonly priorities: readonly PriorityFigures[];
}

export interface PriorityFigures {
  readonly priority: number;
  readonly meanWaitSeconds: number;
  readonly p95WaitSeconds: number;
}

/** Plays each side with the same pods. The same input gives the same figures. */
export function simulate({ sides, ...rules }: SimulationStart, planner: PoolPlanner): readonly SideFigures[] {
  return sides.map((side) => {
    const { tally, waiting } = playSide(side, { ...rules, planner });
    const profiles = tally.listProfiles(sizesOf(side), (profile) => waiting.count(profile));
    return {
      total: sumUp(profiles, tally, side, rules.days),
      profiles,
      days: tally.listDays(),
      relayouts: tally.relayouts,
      priorities: [...tally.waitsByPriority].map(sumUpWaits).toSorted((a, b) => b.priority - a.priority),
    };
  });
}

function sumUpWaits([priority, waits]: readonly [number, readonly number[]]): PriorityFigures {
  const meanWaitSeconds = waits.reduce((sum, one) => sum + one, 0) / Math.max(1, waits.length);
  const sorted = waits.toSorted((a, b) => a - b);
  return { priority, meanWaitSeconds, p95WaitSeconds: quantile(sorted, 0.95) };
}

function sumUp(profiles: readonly ProfileFigures[], tally: Tally, { nodes }: SideStart, days: number): SideTotal {
  const { pods, started, longestWaitSeconds, evictions } = sumFigures(profiles);
  const waits = tally.listWaits();
  const add = (value: (one: ProfileFigures) => number): number => profiles.reduce((sum, one) => sum + value(one), 0);
  const asked = add((one) => one.askedSeconds * one.size);
  const relayouts = tally.relayouts.reduce((sum, one) => sum + one, 0);
  return {
    pods,
    started,
    longestWaitSeconds,
    evictions,
    servedShare: asked === 0 ? 1 : add((one) => one.servedSeconds * one.size) / asked,
    lostShare: asked === 0 ? 0 : add((one) => one.lostSeconds * one.size) / asked,
    medianWaitSeconds: quantile(waits, 0.5),
    p95WaitSeconds: quantile(waits, 0.95),
    stillWaiting: add((one) => one.stillWaiting),
    relayouts,
    relayoutsPerGpuMonth: (relayouts / nodes.reduce((sum, { gpus }) => sum + gpus.length, 0) / days) * 30,
  };
}

/** Memory slices of all profiles, the smallest first, and of whole GPUs. */
export function sizesOf({ nodes }: Pick<SideStart, 'nodes'>): ReadonlyMap<string, number> {
  const geometries = new Set(nodes.flatMap(({ gpus }) => gpus.map(({ geometry }) => geometry)));
  const sizes = new Map<string, number>();
  for (const { profiles } of geometries)
    for (const { name, memorySlices } of profiles) sizes.set(name, Math.min(memorySlices, sizes.get(name) ?? Infinity));
  const whole = Math.min(...[...geometries].flatMap(({ memorySlices }) => (memorySlices > 0 ? [memorySlices] : [])));
  sizes.set(WHOLE, Number.isFinite(whole) ? whole : 1);
  return new Map([...sizes].toSorted(([, a], [, b]) => a - b));
}
