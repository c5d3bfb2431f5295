import type { GpuPartitionPolicy } from '../../api/types.ts';
import { coverDemand, readDemand } from '../demand/coverage.ts';
import type { DemandSlice, EvictionRule } from '../demand/pool.ts';
import { evictsNever } from '../policy/demand-wish.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';
import type { WantedSlice } from './wanted-slices.ts';

/** What is asked of the planner. */
export interface DemandAsked {
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
}

/** More slices than a GPU has. */
const mostOfGpu = 16;
/** The most that a policy may write, and a solver tells from rounding errors. */
const mostWeight = 1_000_000;

export function askFor(policy: GpuPartitionPolicy, wanted: readonly WantedSlice[]): DemandAsked {
  const parts = wanted.flatMap(({ slices }) => slices);
  const heaviest = Math.max(0, ...parts.map(({ isSpare, weight }) => (isSpare === true ? weight : 0)));
  // One that is asked for weighs more than all spare ones that a GPU could lose for it.
  const room = Math.floor(mostWeight / Math.max(1, ...parts.map(({ weight }) => weight)));
  const times = Math.min(room, 1 + mostOfGpu * heaviest);
  const slices = parts.map(({ isSpare, ...one }) => (isSpare === true ? one : { ...one, weight: one.weight * times }));
  return { slices, evict: evictsNever(policy) ? 'Never' : 'IfNeeded' };
}

/** Whether nothing needs to change: what the members offer, once what was chosen before is done, serves the whole demand. */
export function isServed({ slices }: DemandAsked, members: readonly Member[]): boolean {
  const table = readDemand(slices, () => true);
  const offered = countPresent(members.flatMap(({ gpu }) => gpu.instances));
  const counts = table.profiles.map((name) => offered.get(name) ?? 0);
  return coverDemand(table, counts).cost === 0;
}
