import type { Geometry } from '../gpu/geometry.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { type AdvicePool, type ProfileCounts, sizeOf, geometriesOf } from './advice-pools.ts';
import { WHOLE } from '../gpu/profiles.ts';

/** Profiles of more memory slices are dear: to keep one for the highest of peaks costs as much as several cheap ones. */
const cheapSlices = 2;
const dearQuantile = 0.95;

/** How many slices of one resource pods of one node asked for, over time; without a node: of pods that waited for one. */
interface RequestSeries {
  /** The resource as kube-state-metrics writes it: `nvidia_com_mig_1g_5gb`. */
  readonly resource: string;
  readonly node: string | undefined;
  /** Slices requested, by time in the unit of {@link RequestHistory.times}; times without such pods have no entry. */
  readonly amounts: ReadonlyMap<number, number>;
}

/** What was asked for in the past. */
interface RequestHistory {
  /** The times at which it was known what pods ask for. */
  readonly times: readonly number[];
  readonly series: readonly RequestSeries[];
  /** The quantile of the requests that is enough, for all profiles; absent: the maximum of cheap ones, and what was enough 95 % of the time for dear ones. */
  readonly quantile?: number | undefined;
}

interface PoolHistory {
  readonly leastOf: ReadonlyMap<AdvicePool, ProfileCounts>;
  /** Resources that pods asked for and no pool has. */
  readonly unknown: readonly string[];
}

/**
 * How many slices each pool should offer by its history. What waited for a node, or ran on one that is gone, counts for the first pool
 * that has such slices.
 */
export function judgeHistory(pools: readonly AdvicePool[], { times, series, quantile }: RequestHistory): PoolHistory {
  const geometries = new Map(pools.map((pool) => [pool, geometriesOf(pool)]));
  const homes = new Map(pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool])));
  const sums = new Map<AdvicePool, Map<string, number[]>>();
  const unknown = new Set<string>();
  const places = new Map(times.map((time, index) => [time, index]));
  for (const { resource, node, amounts } of series) {
    const own = node === undefined ? undefined : homes.get(node);
    const found = findProfile(resource, own === undefined ? pools : [own], geometries);
    if (found === undefined) {
      unknown.add(resource);
      continue;
    }
    const byProfile = sums.get(found.pool) ?? new Map<string, number[]>();
    sums.set(found.pool, byProfile);
    const sum = byProfile.get(found.profile) ?? times.map(() => 0);
    byProfile.set(found.profile, sum);
    for (const [time, amount] of amounts) {
      const place = places.get(time);
      if (place !== undefined) sum[place] = (sum[place] ?? 0) + amount;
    }
  }
  return {
    unknown: [...unknown].toSorted(),
    leastOf: new Map(
      [...sums].map(([pool, byProfile]) => [
        pool,
        new Map(
          [...byProfile].map(([profile, amounts]) => {
            const isDear = sizeOf(profile, geometries.get(pool) ?? []) > cheapSlices;
            return [profile, Math.ceil(enoughFor(amounts, quantile ?? (isDear ? dearQuantile : 1)))] as const;
          }),
        ),
      ]),
    ),
  };
}

function findProfile(
  resource: string,
  pools: readonly AdvicePool[],
  geometries: ReadonlyMap<AdvicePool, readonly Geometry[]>,
): { readonly pool: AdvicePool; readonly profile: string } | undefined {
  // Under other strategies the same resource is a slice.
  const [home] = pools.filter(({ policy }) => (policy?.spec.strategy ?? 'mixed') === 'mixed');
  if (resource === mangle(GPU_RESOURCE)) return home && { pool: home, profile: WHOLE };
  for (const pool of pools)
    for (const { profiles } of geometries.get(pool) ?? []) {
      const found = profiles.find(({ name }) => mangle(migResourceName(labelProfile(name))) === resource);
      if (found !== undefined) return { pool, profile: found.name };
    }
  return undefined;
}

/** Writes the name of a resource as kube-state-metrics does. */
function mangle(resource: string): string {
  return resource.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

/** The least amount that was enough for a share of the time. */
function enoughFor(amounts: readonly number[], share: number): number {
  const sorted = amounts.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
