import type { PolicyDemand } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { matchesGlob } from '../gpu/geometry/glob.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { resolveProfile } from '../gpu/geometry/profile-lookup.ts';

/** A kind of slices that a policy wants. */
export type WantedSlice = PolicyDemand['slices'][number];

/** By which status and messages call it. */
export function nameSlice({ name, profiles }: WantedSlice): string {
  return name ?? profiles[0] ?? '';
}

/** A demand is read again and again, and asks for the same each time. */
const known = new WeakMap<WantedSlice, Map<Geometry, readonly string[]>>();

/** The profiles of a GPU that serve a slice, as this GPU's geometry names them. @param product of the GPU, for names of other drivers */
export function profilesServing(slice: WantedSlice, geometry: Geometry, product: string): readonly string[] {
  const before = known.get(slice) ?? new Map<Geometry, readonly string[]>();
  known.set(slice, before);
  const names = before.get(geometry) ?? listServing(slice, geometry, product);
  before.set(geometry, names);
  return names;
}

function listServing({ profiles }: WantedSlice, geometry: Geometry, product: string): readonly string[] {
  const model = findModel(product);
  const names = profiles.flatMap((wanted) =>
    /[*?]/.test(wanted)
      ? geometry.profiles.filter(({ name }) => meets(wanted, name)).map(({ name }) => name)
      : (resolveProfile(geometry, wanted, model)?.name ?? []),
  );
  return [...new Set(names)];
}

/** Who writes 1g.* does not expect the one slice with media engines. */
function meets(glob: string, name: string): boolean {
  return matchesGlob(glob, name) && (glob.includes('+') || glob.includes('-') || !/[+-]/.test(name));
}
