import type { GpuPartitionPolicy } from '../../api/types.ts';
import { coverDemand, readDemand } from '../demand/coverage.ts';
import type { DemandSlice, EvictionRule } from '../demand/pool.ts';
import { evictsNever } from '../policy/demand-wish.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';
import type { WantedPart, WantedSlice } from './wanted-slices.ts';

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
  const slices = putSpareLast(wanted.flatMap((one) => one.slices));
  return { slices, evict: evictsNever(policy) ? 'Never' : 'IfNeeded' };
}

/** Gives each slice that is asked for more weight than all spare ones that a GPU could lose for it. */
function putSpareLast(parts: readonly WantedPart[]): readonly DemandSlice[] {
  const weights = (ofSpare: boolean): readonly number[] =>
    parts.flatMap(({ isSpare = false, count, weight }) => (count > 0 && isSpare === ofSpare ? [weight] : []));
  const firm = weights(false);
  const mostSpare = mostOfGpu * Math.max(0, ...weights(true));
  const times = Math.min(Math.floor(mostWeight / Math.max(1, ...firm)), 1 + mostSpare);
  // Where the weights that are asked for leave no room for that, spare ones weigh less instead.
  const share = Math.min(1, (times * Math.min(...firm) - 1) / mostSpare);
  return parts.map(({ isSpare, weight, ...one }) => ({
    ...one,
    // Of a slice that nothing asks for now the weight was not looked at.
    weight: isSpare === true ? Math.max(1, Math.floor(weight * share)) : Math.min(mostWeight, weight * times),
  }));
}

/**
 * Whether nothing needs to change: what the members offer, once what was chosen before is done, serves the whole demand.
 *
 * @param offerOf what of a member counts, if not that
 */
export function isServed(
  { slices }: DemandAsked,
  members: readonly Member[],
  offerOf: (member: Member) => Member['present'] = ({ gpu }) => gpu.instances,
): boolean {
  const table = readDemand(slices, () => true);
  const offered = countPresent(members.flatMap(offerOf));
  const counts = table.profiles.map((name) => offered.get(name) ?? 0);
  return coverDemand(table, counts).cost === 0;
}
