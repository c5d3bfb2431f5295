import type { PolicyDemand } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { matchesGlob } from '../gpu/geometry/glob.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { resolveProfile } from '../gpu/geometry/profile-lookup.ts';
import { listByMemory } from '../gpu/plan/memory-fit.ts';
import { mebibytes } from '../text/quantity.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** A kind of slices that a policy wants. */
export type SliceEntry = PolicyDemand['slices'][number];

/** By which status and messages call it. */
export function nameSlice({ name, profiles, memory }: SliceEntry): string {
  return name ?? profiles?.[0] ?? memory ?? WHOLE;
}

/** Whether it stands for whole GPUs. */
export function isWhole({ mig }: SliceEntry): boolean {
  return mig === 'Disabled';
}

/** Whether a demand speaks of whole GPUs: else it leaves those alone that are in use. */
export function countsWhole({ slices }: PolicyDemand): boolean {
  return slices.some(isWhole);
}

interface Serving {
  readonly product: string;
  readonly names: readonly string[];
}

/**
 * A demand is read again and again, and asks for the same each time. It may outlive many a table: those that agents report come as other
 * objects every now and then.
 */
const known = new WeakMap<SliceEntry, WeakMap<Geometry, Serving>>();

/** The profiles of a GPU that serve a slice, as this GPU's geometry names them. @param product of the GPU, for names of other drivers */
export function profilesServing(slice: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  const before = known.get(slice) ?? new WeakMap<Geometry, Serving>();
  known.set(slice, before);
  const last = before.get(geometry);
  if (last?.product === product) return last.names;
  const names = listServing(slice, geometry, product);
  before.set(geometry, { product, names });
  return names;
}

/** The same of several kinds of GPUs, with {@link WHOLE} for whole GPUs. @param kinds each with a product */
export function servingAny(
  slice: SliceEntry,
  kinds: Iterable<readonly [geometry: Geometry, product: string]>,
): readonly string[] {
  if (isWhole(slice)) return [WHOLE];
  return [...kinds].flatMap(([geometry, product]) => profilesServing(slice, geometry, product));
}

function listServing({ profiles = [], memory }: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  if (memory !== undefined) return listHolding(geometry, memory);
  const model = findModel(product);
  const names = profiles.flatMap((wanted) =>
    /[*?]/.test(wanted)
      ? geometry.profiles.filter(({ name }) => meets(wanted, name)).map(({ name }) => name)
      : (resolveProfile(geometry, wanted, model)?.name ?? []),
  );
  return [...new Set(names)];
}

/** The profiles that serve a slice on a pool: by memory only those that have it on every GPU, since a pod requests just the profile. */
export function profilesServingAll(slice: SliceEntry, geometries: ReadonlyMap<Geometry, string>): readonly string[] {
  const serving = [...geometries].map(([geometry, product]) => ({
    geometry,
    names: profilesServing(slice, geometry, product),
  }));
  const names = [...new Set(serving.flatMap((one) => one.names))];
  if (slice.memory === undefined) return names;
  return names.filter((name) =>
    serving.every((one) => one.names.includes(name) || !one.geometry.profiles.some((profile) => profile.name === name)),
  );
}

/**
 * For which of several slices each profile counts, by index: for a slice by memory only if no other names the profile.
 *
 * @param served profiles that serve each slice
 */
export function countersOf(
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

/** The smallest first. Of what NVIDIA has not published it is not known that it holds as much. */
function listHolding(geometry: Geometry, memory: string): readonly string[] {
  const least = mebibytes(memory);
  return listByMemory(geometry).flatMap(({ profile, memoryMiB }) =>
    isPlain(profile) && memoryMiB >= least ? [profile] : [],
  );
}

/** Who writes 1g.* does not expect the one slice with media engines. */
function meets(glob: string, name: string): boolean {
  return matchesGlob(glob, name) && (glob.includes('+') || glob.includes('-') || isPlain(name));
}

function isPlain(profile: string): boolean {
  return !/[+-]/.test(profile);
}
