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

export function askFor(policy: GpuPartitionPolicy, wanted: readonly WantedSlice[]): DemandAsked {
  return { slices: wanted.flatMap(({ slices }) => slices), evict: evictsNever(policy) ? 'Never' : 'IfNeeded' };
}

/** Whether nothing needs to change: what the members offer, once what was chosen before is done, serves the whole demand. */
export function isServed({ slices }: DemandAsked, members: readonly Member[]): boolean {
  const table = readDemand(slices, () => true);
  const offered = countPresent(members.flatMap(({ gpu }) => gpu.instances));
  const counts = table.profiles.map((name) => offered.get(name) ?? 0);
  return coverDemand(table, counts).cost === 0;
}
