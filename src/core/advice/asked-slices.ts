import type { PolicyDemand } from '../../api/types.ts';
import { isResourceOf } from '../explain/cluster-facts.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { servingAny, shareProfiles } from '../policy/demand-profiles.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

type Slices = PolicyDemand['slices'];

/** How often slices are asked for, by profile as the GPUs name it. */
export type ProfileCounts = ReadonlyMap<string, number>;

/** Amounts of resources as amounts of profiles. Resources that these GPUs do not have are left out. */
export function byProfile(amounts: ReadonlyMap<string, number>, geometries: readonly Geometry[]): ProfileCounts {
  const counts = new Map<string, number>();
  for (const [resource, amount] of amounts) {
    const profile = profileOf(resource, geometries);
    if (profile !== undefined) counts.set(profile, (counts.get(profile) ?? 0) + amount);
  }
  return counts;
}

function profileOf(resource: string, geometries: readonly Geometry[]): string | undefined {
  for (const { profiles } of geometries) {
    const found = profiles.find(({ name }) => isResourceOf(resource, name));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** Memory slices of a profile, on the GPU on which it takes the fewest. */
export function sizeOf(profile: string, geometries: readonly Geometry[]): number {
  const sizes = geometries.flatMap(({ profiles }) =>
    profiles.flatMap(({ name, memorySlices }) => (name === profile ? [memorySlices] : [])),
  );
  return Math.min(...sizes, 16);
}

/**
 * The slices of a demand for what is asked for: one for each profile, the smallest first, after those that the policy has already.
 *
 * @param earlier slices of the demand that the pool has now
 * @param fixed whether they are to be counts, where a demand cannot follow pods
 */
export function adviseSlices(
  asked: ProfileCounts,
  geometries: readonly Geometry[],
  { earlier = [], least, fixed = false }: SliceRules,
): Slices {
  const serving = earlier.map((slice) => listServing(slice, geometries));
  const served = new Set(serving.flat());
  const counting = shareProfiles(earlier, serving);
  const missing = [...new Set([...asked.keys(), ...(least?.keys() ?? [])])]
    .filter((profile) => !served.has(profile))
    .toSorted((a, b) => sizeOf(a, geometries) - sizeOf(b, geometries) || (a < b ? -1 : 1));
  return [
    ...earlier.map((slice, index) => raise(slice, counting[index] ?? [], least)),
    ...missing.map((profile) => {
      const kind = profile === WHOLE ? { mig: 'Disabled' as const } : { profiles: [profile] };
      if (fixed) return { ...kind, count: Math.max(asked.get(profile) ?? 0, least?.get(profile) ?? 0) };
      const min = least?.get(profile) ?? 0;
      return min > 0 ? { ...kind, min } : kind;
    }),
  ];
}

/** A slice that follows pods is wanted as often as its history says, within its max. */
function raise(slice: Slices[number], profiles: readonly string[], least: ProfileCounts = new Map()): Slices[number] {
  const asked = profiles.reduce((sum, profile) => sum + (least.get(profile) ?? 0), 0);
  if (slice.count !== undefined || asked === 0) return slice;
  return { ...slice, min: Math.min(slice.max ?? Infinity, Math.max(slice.min ?? 0, asked)) };
}

function listServing(slice: Slices[number], geometries: readonly Geometry[]): readonly string[] {
  return servingAny(
    slice,
    geometries.map((geometry) => [geometry, ''] as const),
  );
}

export interface SliceRules {
  readonly earlier?: Slices;
  /** By profile, how many are wanted whatever pods ask for now. */
  readonly least?: ProfileCounts | undefined;
  readonly fixed?: boolean;
}
