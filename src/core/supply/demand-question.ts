import type { GpuPartitionPolicy } from '../../api/types.ts';
import { coverDemand, readDemand } from '../demand/coverage.ts';
import type { DemandSlice, EvictionRule } from '../demand/pool.ts';
import { evictsNever } from '../policy/demand-wish.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';
import type { WantedPart, WantedSlice } from './wanted-slices.ts';

/** A slice that is asked for. */
export interface AskedSlice extends DemandSlice {
  /** So many are for pods that wait and that nothing idle serves: only nodes that take such pods make them. */
  readonly missing?: number;
}

/** What is asked of the planner. */
export interface DemandAsked {
  readonly slices: readonly AskedSlice[];
  readonly evict: EvictionRule;
}

/** More slices than a GPU has. */
const mostOfGpu = 16;
/** The most that a policy may write, and a solver tells from rounding errors. */
const mostWeight = 1_000_000;

/** @param members of the pool: what is lacking only because slices are out of reach takes no eviction */
export function askFor(
  policy: GpuPartitionPolicy,
  wanted: readonly WantedSlice[],
  members: readonly Member[] = [],
): DemandAsked {
  const slices = rankParts(wanted.flatMap((one) => one.slices));
  return { slices, evict: evictsNever(policy) || lacksLost(slices, members) ? 'Never' : 'IfNeeded' };
}

/** Whether slices that are out of reach, and count no more, would serve what is lacking. */
function lacksLost(slices: readonly DemandSlice[], members: readonly Member[]): boolean {
  const lost = members.flatMap((one) => (one.lost?.counts === false ? one.lost.instances : []));
  if (lost.length === 0) return false;
  const there = members.flatMap(({ gpu }) => gpu.instances);
  return weighUnserved({ slices }, [...there, ...lost]) < weighUnserved({ slices }, there);
}

/**
 * Gives each slice that is asked for more weight than all spare ones that a GPU could lose for it, and what pods ask for a bit more than the
 * rest of the same slice: one that serves a pod serves the min as well.
 */
function rankParts(parts: readonly WantedPart[]): readonly AskedSlice[] {
  const weights = (ofSpare: boolean): readonly number[] =>
    parts.flatMap(({ isSpare = false, count, weight }) => (count > 0 && isSpare === ofSpare ? [weight] : []));
  const firm = weights(false);
  const mostSpare = mostOfGpu * Math.max(0, ...weights(true));
  const hasRest = parts.some(({ isRest, count }) => isRest === true && count > 0);
  const most = Math.floor(mostWeight / Math.max(1, ...firm));
  const times = Math.min(most, 1 + mostSpare + (hasRest ? mostOfGpu : 0));
  // Less than the difference between any two weights of the policy, for all slices of a GPU together.
  const step = hasRest && times > mostOfGpu ? 1 : 0;
  // Where the weights that are asked for leave no room for that, spare ones weigh less instead.
  const share = Math.min(1, (times * Math.min(...firm) - 1 - step) / mostSpare);
  return parts.map(({ isSpare, isRest, weight, ...one }) => ({
    ...one,
    // Of a slice that nothing asks for now the weight was not looked at.
    weight:
      isSpare === true
        ? Math.max(1, Math.floor(weight * share))
        : Math.min(mostWeight, weight * times) - (isRest === true ? step : 0),
  }));
}

/**
 * Whether nothing needs to change: what the members offer, once what was chosen before is done, serves the whole demand.
 *
 * @param offerOf what of a member counts, if not that
 */
export function isServed(
  asked: DemandAsked,
  members: readonly Member[],
  offerOf: (member: Member) => Member['present'] = ({ gpu }) => gpu.instances,
): boolean {
  return weighUnserved(asked, members.flatMap(offerOf)) === 0;
}

/** How much of a demand is lacking with these instances, by weight. */
export function weighUnserved(
  { slices }: Pick<DemandAsked, 'slices'>,
  instances: readonly { readonly profile: string }[],
): number {
  const table = readDemand(slices, () => true);
  const offered = countPresent(instances);
  return coverDemand(
    table,
    table.profiles.map((name) => offered.get(name) ?? 0),
  ).cost;
}
