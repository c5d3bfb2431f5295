import type { PolicyDemand } from '../../api/types.ts';
import { type DemandSlice, NOBODY } from './solver/pool.ts';
import { isWholeGpu, nameSlice, profilesServing, profilesServingAll, type SliceEntry } from '../policy/spec.ts';
import { countPresent, type Geometry } from '../gpu/geometry.ts';
import { mostSlices, type DemandGpu } from './members.ts';
import { isOfProfile, type WaitingSlices } from './waiting-pods.ts';
import { WHOLE } from '../gpu/profiles.ts';

/** Slices that are wanted for one reason. */
export interface WantedPart extends DemandSlice {
  /** True if nothing asks for these slices yet: they go short before those of any slice for which something does. */
  readonly isSpare?: boolean;
  /** True for slices beyond those that pods ask for by profile, up to the slice's min: they go short before the other parts of the slice. */
  readonly isRest?: boolean;
  /** The part of the count for pods that nothing idle serves: only nodes that take such pods make these slices. */
  readonly missing?: number;
}

/** How many of a slice of the policy are wanted, and what that is for the planner. */
export interface WantedSlice {
  readonly name: string;
  readonly count: number;
  /** Slices in use now. */
  readonly used: number;
  /** Requested by pods that wait; undefined if the demand does not follow pods. */
  readonly waiting: number | undefined;
  /** Used and waited for long enough; undefined for a fixed number. */
  readonly lasting?: number;
  /** Used and waited for beyond the slice's max. */
  readonly beyond: number;
  /** What no GPU of the pool has, in words; absent if one has it. */
  readonly unknown?: string;
  /** What serves pods counts by profile, since a pod requests one; the rest may be of any profile. */
  readonly slices: readonly WantedPart[];
}

/** The subject of a count; if undefined, a profile of a slice. */
interface SteadyOf {
  /** Name of the slice. */
  readonly name?: string;
  /** True for a count of pods for which others may go. */
  readonly isRanked?: boolean;
}

/** The requests of pods, and how long they have lasted. */
interface Asked {
  /** Requests of pods that wait, by resource; undefined if the demand does not follow pods. */
  readonly waiting?: WaitingSlices | undefined;
  /**
   * Takes in how many of a slice, and its profiles, pods ask for now.
   *
   * @param used how many of these are in use
   * @returns how many they have asked for long enough
   */
  readonly steady: (slice: string, count: number, used: number, of?: SteadyOf) => number;
  /** Waiting slices that nothing idle serves (`missing`), and those idle where these pods cannot use them (`stranded`); by resource. */
  readonly missing?: ReadonlyMap<string, number>;
  readonly stranded?: ReadonlyMap<string, number>;
}

/** A `count` is written like a layout: pods of no priority go for it. */
const outrankedByCount = 1;

/** How many slices of a profile, or whole GPUs, are waited for. */
function waitingFor(waiting: ReadonlyMap<string, number>, profile: string): number {
  return [...waiting].reduce((sum, [resource, count]) => sum + (isOfProfile(resource, profile) ? count : 0), 0);
}

/** @param requests whatever is asked for now counts as asked for long enough, unless they say otherwise (`steady`) */
export function wantedSlices(
  { slices, evict }: PolicyDemand,
  members: readonly DemandGpu[],
  requests: Partial<Asked> = {},
): readonly WantedSlice[] {
  const asked: Asked = { steady: (_, count) => count, ...requests };
  const geometries = new Map(members.map(({ gpu, product }) => [gpu.geometry, product]));
  const used = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => busy)));
  const served = slices.map((slice) => ({ slice, ...serve(slice, geometries) }));
  const counters = countersOf(
    slices,
    served.map(({ profiles }) => profiles),
  );
  const waitingOf = (profile: string): number =>
    asked.waiting ? Math.min(mostSlices, waitingFor(asked.waiting, profile)) : 0;
  const uses = shareUses(slices, counters, (profile) => ({
    used: used.get(profile) ?? 0,
    waiting: waitingOf(profile),
  }));
  const ranked = shareRanks(evict === 'IfNeeded' ? asked.waiting?.ranks : undefined, uses);
  const missing = shareLacking(asked.missing, uses);
  const lacking = asked.missing ?? new Map<string, number>();
  const beside = [...(asked.stranded ?? [])].map(([of, idle]) => [of, Math.min(idle, lacking.get(of) ?? 0)] as const);
  const stranded = shareLacking(new Map(beside), uses);
  /** How much of a profile is idle in vain beyond what lacks of it. */
  const surplusOf = (profile: string): number =>
    waitingFor(asked.stranded ?? new Map<string, number>(), profile) - waitingFor(new Map(beside), profile);
  return served.map(({ slice, ...parts }, index) => {
    const found = want(slice, uses[index] ?? [], ranked[index] ?? new Map(), parts, asked);
    const firm = markMissing(found.slices, missing[index] ?? new Map());
    const isFollowing = slice.count === undefined && asked.missing !== undefined;
    const more = isFollowing ? strand(slice, found.used, stranded[index] ?? new Map(), { ...parts, firm }, asked) : [];
    const surplus = sum([...new Set(more.flatMap(({ profiles }) => profiles))].map(surplusOf));
    const all = [...countIdle(found, firm, sum(more.map(({ count }) => count)), surplus), ...more];
    return {
      ...found,
      slices: evict === 'IfNeeded' ? all.map((part) => withRank(slice, part)) : all,
      ...(parts.profiles.length === 0 && { unknown: sayServing(slice) }),
    };
  });
}

/**
 * The slices, by index, for which each profile counts: for a slice by memory only if no other names the profile.
 *
 * @param served profiles that serve each slice
 */
function countersOf(
  slices: readonly SliceEntry[],
  served: readonly (readonly string[])[],
): ReadonlyMap<string, readonly number[]> {
  const named = new Set(served.filter((_, index) => slices[index]?.memory === undefined).flat());
  const counters = new Map<string, number[]>();
  slices.forEach(({ memory }, index) => {
    for (const one of new Set(served[index]))
      if (memory === undefined || !named.has(one)) counters.set(one, [...(counters.get(one) ?? []), index]);
  });
  return counters;
}

/** The profiles that count for each of several slices, where each counts for the first. @param served as in {@link countersOf} */
export function shareProfiles(
  slices: readonly SliceEntry[],
  served: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const counters = countersOf(slices, served);
  return slices.map((_, index) => [...new Set(served[index])].filter((one) => counters.get(one)?.[0] === index));
}

function sayServing({ profiles = [], memory }: SliceEntry): string {
  return memory === undefined ? `a profile ${profiles.join(' or ')}` : `a plain profile with ${memory} of memory`;
}

/** The key under which the demand for a slice, or for a profile of it, is steadied: an edit of what serves starts over. */
export function steadyKeyOf(slice: SliceEntry, profile?: string): string {
  const { profiles, memory, mig } = slice;
  return JSON.stringify([nameSlice(slice), profiles ?? memory ?? mig, profile]);
}

/** Adds the rank below which running pods go for a slice: none go for a min, for spare slices, or for what is in use already. */
function withRank({ count }: SliceEntry, part: WantedPart): WantedPart {
  return { outranks: count === undefined ? NOBODY : outrankedByCount, ...part };
}

/**
 * Of what lacks of a resource, the part of each slice, by profile: as much as counts for it of what is waited for. What is idle counts for
 * the first slices, so what lacks is that of the last ones.
 */
function shareLacking(
  lacking: ReadonlyMap<string, number> | undefined,
  uses: readonly (readonly ProfileUse[])[],
): readonly ReadonlyMap<string, number>[] {
  const left = new Map<string, number>();
  const partOf = ({ profile, waiting }: ProfileUse): readonly [string, number] => {
    const all = left.get(profile) ?? (lacking ? waitingFor(lacking, profile) : 0);
    const part = Math.min(all, waiting);
    left.set(profile, all - part);
    return [profile, part];
  };
  return uses
    .toReversed()
    .map((own) => new Map(own.map(partOf)))
    .toReversed();
}

/**
 * Splits the pods for which others may go into the part of each slice, by profile: the highest priority counts for the first slice that
 * takes any.
 */
function shareRanks(
  ranks: WaitingSlices['ranks'],
  uses: readonly (readonly ProfileUse[])[],
): readonly ReadonlyMap<string, readonly RankedCount[]>[] {
  const left = new Map<string, readonly RankedCount[]>();
  return uses.map(
    (own) =>
      new Map(
        own.map(({ profile, waiting }) => {
          const [part, rest] = takeRanks(left.get(profile) ?? ranksFor(ranks, profile), waiting);
          left.set(profile, rest);
          return [profile, part] as const;
        }),
      ),
  );
}

/** The first ones, as far as they go, and the others. */
function takeRanks(
  ranks: readonly RankedCount[],
  most: number,
): readonly [readonly RankedCount[], readonly RankedCount[]] {
  let room = most;
  const split = ranks.map((one) => {
    const count = Math.min(room, one.count);
    room -= count;
    return [
      { ...one, count },
      { ...one, count: one.count - count },
    ] as const;
  });
  const some = (all: readonly RankedCount[]): readonly RankedCount[] => all.filter(({ count }) => count > 0);
  return [some(split.map(([taken]) => taken)), some(split.map(([, rest]) => rest))];
}

/** Tells of the parts of a slice how many nothing idle serves: first of those that rank, as is known of these, then of the others. */
function markMissing(parts: readonly WantedPart[], missing: ReadonlyMap<string, number>): readonly WantedPart[] {
  const left = new Map(missing);
  return parts.map(({ missing: most = Infinity, ...part }) => {
    const [profile = '', ...others] = part.profiles;
    if (part.isSpare === true || others.length > 0) return part;
    const all = left.get(profile) ?? 0;
    const count = Math.min(part.count, all, most);
    left.set(profile, all - count);
    return count === 0 ? part : { ...part, missing: count };
  });
}

/**
 * What is idle where the pods cannot use it counts for others: as many are wanted beside it, by profile, within its max. It counts for those
 * of the highest priority, so that is how these rank.
 */
function strand(
  slice: SliceEntry,
  used: number,
  stranded: ReadonlyMap<string, number>,
  { weight, firm }: Pick<DemandSlice, 'weight'> & { readonly firm: readonly WantedPart[] },
  { steady }: Pick<Asked, 'steady'>,
): readonly WantedPart[] {
  let room = Math.max(0, (slice.max ?? Infinity) - used);
  return [...stranded].flatMap(([profile, now]): readonly WantedPart[] => {
    let count = Math.min(room, now, steady(steadyKeyOf(slice, `${profile} elsewhere`), now, 0));
    room -= count;
    const name = `${nameSlice(slice)}/${profile} elsewhere`;
    const ranked = firm.flatMap((part): readonly WantedPart[] => {
      const isRanked = part.isWaitedFor === true && part.profiles.includes(profile);
      const more = isRanked ? Math.min(count, part.missing ?? 0) : 0;
      count -= more;
      return more === 0 ? [] : [{ ...part, name: `${part.name} elsewhere`, count: more, missing: more }];
    });
    return count === 0 ? ranked : [...ranked, { name, profiles: [profile], count, weight, missing: count }];
  });
}

/**
 * What is idle and counts for no pod that waits counts for what nothing asks for yet: the min of a slice, then spare ones. Without that as
 * many would be made again.
 *
 * @param stranded of these, those beside which others are wanted
 * @param surplus the others
 */
function countIdle(
  { count, used, lasting = 0 }: Pick<WantedSlice, 'count' | 'used' | 'lasting'>,
  parts: readonly WantedPart[],
  stranded: number,
  surplus: number,
): readonly WantedPart[] {
  const unasked = Math.max(0, count - Math.max(used, lasting));
  let left = Math.min(stranded, Math.max(0, unasked - surplus));
  if (left === 0) return parts;
  const spare = sum(parts.map((one) => (one.isSpare === true ? one.count : 0)));
  let rest = Math.min(left, Math.max(0, unasked - spare));
  left -= rest;
  // Of several parts that are asked for the rest is the last.
  return parts
    .toReversed()
    .map((part) => {
      const taken = Math.min(part.count, part.isSpare === true ? left : rest);
      if (part.isSpare === true) left -= taken;
      else rest -= taken;
      return taken === 0 ? part : { ...part, count: part.count - taken };
    })
    .toReversed();
}

interface ProfileUse {
  readonly profile: string;
  readonly used: number;
  readonly waiting: number;
}

/** Pods of a priority for which others may go. */
interface RankedCount {
  readonly priority: number;
  readonly count: number;
  /** The part of the count that has waited for long enough. */
  readonly patient: number;
  /** The part of the count that nothing idle serves. */
  readonly missing: number;
}

/** The highest priority first. */
function ranksFor(ranks: WaitingSlices['ranks'], profile: string): readonly RankedCount[] {
  const sumOf = (counts: ReadonlyMap<string, ReadonlyMap<number, number>> = new Map()): ReadonlyMap<number, number> => {
    const found = [...counts].flatMap(([resource, of]) => (isOfProfile(resource, profile) ? [...of] : []));
    const sums = new Map<number, number>();
    for (const [priority, count] of found) sums.set(priority, Math.min(mostSlices, count + (sums.get(priority) ?? 0)));
    return sums;
  };
  const [patient, missing] = [sumOf(ranks?.patient), sumOf(ranks?.missing)];
  const partOf = (of: ReadonlyMap<number, number>, priority: number): number => of.get(priority) ?? 0;
  return [...sumOf(ranks?.counts)]
    .map(([priority, count]) => ({
      priority,
      count,
      patient: partOf(patient, priority),
      missing: partOf(missing, priority),
    }))
    .toSorted((a, b) => b.priority - a.priority);
}

/**
 * The ranks that have waited long enough, as far as there is room for them beside what is in use: as many pods all the time, and these
 * pods themselves, since in a busy pool some pod always waits.
 */
function lastingRanks(
  slice: SliceEntry,
  { profile, waiting }: ProfileUse,
  ranks: readonly RankedCount[],
  room: number,
  { steady }: Asked,
): readonly Omit<RankedCount, 'patient'>[] {
  let [asked, waited, lasted] = [0, 0, 0];
  return ranks.flatMap(({ priority, count, patient, missing }) => {
    asked += count;
    waited += patient;
    // One of higher priority that has just come takes nothing from how long others have waited.
    const steadied = steady(steadyKeyOf(slice, `${profile} ${priority}`), asked, 0, { isRanked: true });
    const lasting = Math.min(asked, waited, waiting, room, steadied);
    const more = Math.max(0, lasting - lasted);
    lasted += more;
    return more > 0 ? [{ priority, count: more, missing: Math.min(more, missing) }] : [];
  });
}

/**
 * What counts for each slice: of what is in use, and then of what is waited for, each takes as much as its max or count allows, in their
 * order. What is left counts for the first: nothing else could want it.
 *
 * @param counters slices for which each profile counts
 */
function shareUses(
  slices: readonly SliceEntry[],
  counters: ReadonlyMap<string, readonly number[]>,
  amountsOf: (profile: string) => Pick<ProfileUse, 'used' | 'waiting'>,
): readonly (readonly ProfileUse[])[] {
  const left = slices.map(({ count, max = Infinity }) => count ?? max);
  const shares = slices.map((_, index) => {
    const own = [...counters].filter(([, counting]) => counting.includes(index));
    return new Map(own.map(([profile]) => [profile, { profile, used: 0, waiting: 0 }]));
  });
  for (const kind of ['used', 'waiting'] as const)
    for (const [profile, counting] of counters) {
      let rest = amountsOf(profile)[kind];
      const give = (index: number, amount: number): void => {
        const share = shares[index]?.get(profile);
        if (share) share[kind] += amount;
        rest -= amount;
      };
      for (const index of counting) {
        const taken = Math.min(rest, left[index] ?? 0);
        left[index] = (left[index] ?? 0) - taken;
        give(index, taken);
      }
      give(counting[0] ?? 0, rest);
    }
  return shares.map((share) => [...share.values()]);
}

function want(
  slice: SliceEntry,
  uses: readonly ProfileUse[],
  ranks: ReadonlyMap<string, readonly RankedCount[]>,
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
  const lasting = asked.steady(steadyKeyOf(slice), asks, used, { name });
  const steady = Math.min(max, Math.max(min, lasting + countSpare(spare, lasting)));
  // What is in use is wanted at once: the planner must not take it for room that others may have.
  const count = Math.max(steady, Math.min(max, used));
  const firm = Math.min(max, Math.max(min, lasting, used));
  // A pod that comes and goes changes no profile either.
  const lastingUses =
    uses.length < 2
      ? uses
      : uses.map((one) => {
          const most = asked.steady(steadyKeyOf(slice, one.profile), one.used + one.waiting, one.used);
          return { ...one, waiting: Math.max(0, Math.min(one.waiting, most - one.used)) };
        });
  let room = Math.max(0, firm - used);
  const ranked = lastingUses.map((one) => {
    const lasted = lastingRanks(slice, one, ranks.get(one.profile) ?? [], room, asked);
    const count = sum(lasted.map((of) => of.count));
    room -= count;
    return { ...one, waiting: one.waiting - count, ranks: lasted };
  });
  const firsts = ranked.flatMap(({ profile, ranks: lasted }) =>
    lasted.map((of) => ({
      name: `${name}/${profile} of ${of.priority}`,
      profiles: [profile],
      count: of.count,
      weight: parts.weight,
      outranks: of.priority,
      isWaitedFor: true,
      missing: of.missing,
    })),
  );
  return {
    name,
    count,
    used,
    waiting,
    ...(asked.waiting && { lasting }),
    beyond: Math.max(0, asks - max),
    slices: [
      ...firsts,
      ...split(name, firm - sum(firsts.map((one) => one.count)), ranked, parts),
      ...(count > firm ? [{ name: `${name}/spare`, count: count - firm, ...parts, isSpare: true }] : []),
    ],
  };
}

/** Splits a count among the slices in use first, then among those waited for. */
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
  const profiles = isWholeGpu(slice) ? [WHOLE] : profilesServingAll(slice, geometries);
  const sizes = [...geometries.keys()].flatMap((geometry) =>
    isWholeGpu(slice)
      ? geometry.memorySlices
      : geometry.profiles.flatMap(({ name, memorySlices }) => (profiles.includes(name) ? [memorySlices] : [])),
  );
  return {
    profiles,
    weight: slice.weight ?? Math.max(1, isWholeGpu(slice) ? Math.max(...sizes) : Math.min(...sizes, 16)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Lists the profiles of several kinds of GPUs that serve a slice, with {@link WHOLE} for whole GPUs. @param kinds each with a product */
export function servingAny(
  slice: SliceEntry,
  kinds: Iterable<readonly [geometry: Geometry, product: string]>,
): readonly string[] {
  if (isWholeGpu(slice)) return [WHOLE];
  return [...kinds].flatMap(([geometry, product]) => profilesServing(slice, geometry, product));
}
