import type { PolicyDemand } from '../../api/types.ts';
import { type DemandSlice, NOBODY, WHOLE } from '../demand/pool.ts';
import { isWhole, nameSlice, profilesServingAll, shareProfiles, type SliceEntry } from '../policy/demand-profiles.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';
import { isOfProfile, waitingFor } from './pod-demand.ts';
import type { WaitingSlices } from './waiting-share.ts';

/** Slices that are wanted for one reason. */
export interface WantedPart extends DemandSlice {
  /** Nothing asks for them yet: they go short before those of any slice for which something does. */
  readonly isSpare?: boolean;
  /** Beyond what pods ask for by profile, up to the min of the slice: they go short before those parts of the same slice. */
  readonly isRest?: boolean;
}

/** How many of a slice of the policy are wanted, and what that is for the planner. */
export interface WantedSlice {
  readonly name: string;
  readonly count: number;
  /** In use now. */
  readonly used: number;
  /** Requested by pods that wait; undefined if the demand does not follow pods. */
  readonly waiting: number | undefined;
  /** Used and waited for beyond the slice's max. */
  readonly beyond: number;
  /** What serves pods counts by profile, since a pod requests one; the rest may be of any profile. */
  readonly slices: readonly WantedPart[];
}

/** What pods ask for. */
export interface Asked {
  /** Requests of pods that wait, by resource; undefined if the demand does not follow pods. */
  readonly waiting: WaitingSlices | undefined;
  /**
   * Takes in how many of a slice, and its profiles, pods ask for now.
   *
   * @param isPart none were asked for under this name before, though the slice is known
   * @returns how many they have asked for long enough
   */
  readonly steady: (slice: string, count: number, isPart?: boolean) => number;
}

/** A `count` is written like a layout: pods of no priority go for it. */
const outrankedByCount = 1;

/** Whether a demand follows what pods ask for. */
export function followsPods({ from = 'Declared' }: PolicyDemand): boolean {
  return from !== 'Declared';
}

export function wantedSlices(
  { slices, evict }: PolicyDemand,
  members: readonly Member[],
  asked: Asked,
): readonly WantedSlice[] {
  const geometries = new Map(members.map(({ gpu, product }) => [gpu.geometry, product]));
  const used = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => busy)));
  const served = slices.map((slice) => ({ slice, ...serve(slice, geometries) }));
  const counting = shareProfiles(
    slices,
    served.map(({ profiles }) => profiles),
  );
  return served.map(({ slice, ...parts }, index) => {
    const own = counting[index] ?? [];
    const uses = own.map((profile) => ({
      profile,
      used: used.get(profile) ?? 0,
      waiting: asked.waiting ? waitingFor(asked.waiting, profile) : 0,
      ranks: evict === 'IfNeeded' ? ranksFor(asked.waiting, profile) : [],
    }));
    const wanted = want(slice, uses, parts, asked);
    return evict === 'IfNeeded' ? { ...wanted, slices: wanted.slices.map((part) => withRank(slice, part)) } : wanted;
  });
}

/** Under what the demand for a slice, or for a profile of it, is steadied: an edit of what serves starts over. */
export function steadyKeyOf(slice: SliceEntry, profile?: string): string {
  const { profiles, memory, mig } = slice;
  return JSON.stringify([nameSlice(slice), profiles ?? memory ?? mig, profile]);
}

/** For a min and for spare slices nobody goes, nor for what is in use already. */
function withRank({ count }: SliceEntry, part: WantedPart): WantedPart {
  return { outranks: count === undefined ? NOBODY : outrankedByCount, ...part };
}

interface ProfileUse {
  readonly profile: string;
  readonly used: number;
  readonly waiting: number;
  /** Of these, those for which others may go, the highest priority first. */
  readonly ranks: readonly RankedCount[];
}

interface RankedCount {
  readonly priority: number;
  readonly count: number;
}

function ranksFor(waiting: WaitingSlices | undefined, profile: string): readonly RankedCount[] {
  const found = [...(waiting?.ranks?.counts ?? [])].filter(([resource]) => isOfProfile(resource, profile));
  const counts = new Map<number, number>();
  for (const [priority, count] of found.flatMap(([, of]) => [...of]))
    counts.set(priority, count + (counts.get(priority) ?? 0));
  return [...counts].map(([priority, count]) => ({ priority, count })).toSorted((a, b) => b.priority - a.priority);
}

/** Those that have waited long enough, as far as there is room for them beside what is in use. */
function lastingRanks(
  slice: SliceEntry,
  { profile, waiting, ranks }: ProfileUse,
  room: number,
  { steady }: Asked,
): readonly RankedCount[] {
  let [asked, lasted] = [0, 0];
  return ranks.flatMap(({ priority, count }) => {
    asked += count;
    // One of higher priority that has just come takes nothing from how long others have waited.
    const lasting = Math.min(asked, waiting, room, steady(steadyKeyOf(slice, `${profile} ${priority}`), asked, true));
    const more = Math.max(0, lasting - lasted);
    lasted += more;
    return more > 0 ? [{ priority, count: more }] : [];
  });
}

function want(
  slice: SliceEntry,
  uses: readonly ProfileUse[],
  parts: Pick<DemandSlice, 'profiles' | 'weight'>,
  asked: Asked,
): WantedSlice {
  const name = nameSlice(slice);
  const used = sum(uses.map((one) => one.used));
  const waits = sum(uses.map((one) => one.waiting));
  const waiting = asked.waiting && waits;
  if (slice.count !== undefined) {
    const { count } = slice;
    return { name, count, used, waiting, beyond: 0, slices: [{ name, count, ...parts }] };
  }
  const { min = 0, max = Infinity, spare = 0 } = slice;
  const asks = used + waits;
  // Bounds and spare ones are the policy's: an edit of them counts at once.
  const lasting = asked.steady(steadyKeyOf(slice), asks);
  const steady = Math.min(max, Math.max(min, lasting + countSpare(spare, lasting)));
  // What is in use is wanted at once: the planner must not take it for room that others may have.
  const count = Math.max(steady, Math.min(max, used));
  const firm = Math.min(max, Math.max(min, lasting, used));
  // A pod that comes and goes changes no profile either.
  const lastingUses =
    uses.length < 2
      ? uses
      : uses.map((one) => {
          const most = asked.steady(steadyKeyOf(slice, one.profile), one.used + one.waiting);
          return { ...one, waiting: Math.max(0, Math.min(one.waiting, most - one.used)) };
        });
  let room = Math.max(0, firm - used);
  const ranked = lastingUses.map((one) => {
    const ranks = lastingRanks(slice, one, room, asked);
    const count = sum(ranks.map((of) => of.count));
    room -= count;
    return { ...one, waiting: one.waiting - count, ranks };
  });
  const firsts = ranked.flatMap(({ profile, ranks }) =>
    ranks.map((of) => ({
      name: `${name}/${profile} of ${of.priority}`,
      profiles: [profile],
      count: of.count,
      weight: parts.weight,
      outranks: of.priority,
      isWaitedFor: true,
    })),
  );
  return {
    name,
    count,
    used,
    waiting,
    beyond: Math.max(0, asks - max),
    slices: [
      ...firsts,
      ...split(name, firm - sum(firsts.map((one) => one.count)), ranked, parts),
      ...(count > firm ? [{ name: `${name}/spare`, count: count - firm, ...parts, isSpare: true }] : []),
    ],
  };
}

/** Those in use first, then those waited for, as far as the count goes. */
function split(
  name: string,
  count: number,
  uses: readonly ProfileUse[],
  parts: Pick<DemandSlice, 'profiles' | 'weight'>,
): readonly WantedPart[] {
  let left = count;
  const take = (most: number): number => {
    const taken = Math.min(left, most);
    left -= taken;
    return taken;
  };
  if (parts.profiles.length < 2) return [{ name, count, ...parts }];
  const inUse = uses.map((one) => ({ ...one, count: take(one.used) }));
  const exact = inUse.map(({ profile, waiting, count: used }) => ({ profile, count: used + take(waiting) }));
  return [
    ...exact
      .filter((one) => one.count > 0)
      .map((one) => ({
        name: `${name}/${one.profile}`,
        profiles: [one.profile],
        count: one.count,
        weight: parts.weight,
      })),
    { name, count: left, ...parts, isRest: true },
  ];
}

function countSpare(spare: number | string, of: number): number {
  return typeof spare === 'number' ? spare : Math.ceil((of * Number.parseInt(spare, 10)) / 100);
}

function serve(slice: SliceEntry, geometries: ReadonlyMap<Geometry, string>): Pick<DemandSlice, 'profiles' | 'weight'> {
  const profiles = isWhole(slice) ? [WHOLE] : profilesServingAll(slice, geometries);
  const sizes = [...geometries.keys()].flatMap((geometry) =>
    isWhole(slice)
      ? geometry.memorySlices
      : geometry.profiles.flatMap(({ name, memorySlices }) => (profiles.includes(name) ? [memorySlices] : [])),
  );
  return {
    profiles,
    weight: slice.weight ?? Math.max(1, isWhole(slice) ? Math.max(...sizes) : Math.min(...sizes, 16)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
