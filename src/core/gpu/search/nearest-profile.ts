import type { Geometry, Profile } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';
import { MODELS } from '../geometry/models.ts';
import type { ParsedProfile } from '../geometry/profile-name.ts';

/** What a name that a GPU does not have probably means there. */
export interface NearestProfile {
  readonly profile: Profile;
  /** True if it is the same slice under another name: the `1g.5gb` of a 40 GB board is the `1g.10gb` of an 80 GB board. */
  readonly same: boolean;
}

/**
 * The same slice under the name of this model if there is one, else the profile that is nearest in slices, then in memory.
 *
 * @returns undefined only if the geometry has no profiles
 */
export function findNearestProfile(
  geometry: Geometry,
  parsed: ParsedProfile,
  model: GpuModel | undefined,
): NearestProfile | undefined {
  const twin = findTwin(geometry, parsed.instanceProfile, model);
  if (twin !== undefined) return { profile: twin, same: true };
  const nearest = geometry.profiles.toSorted((a, b) => measure(a, parsed) - measure(b, parsed))[0];
  return nearest && { profile: nearest, same: false };
}

/** The profile with the id that the name has on another model of the same grid; the model itself excluded. */
function findTwin(geometry: Geometry, name: string, model: GpuModel | undefined): Profile | undefined {
  const ids = MODELS.filter(
    (other) =>
      other.id !== model?.id &&
      other.memorySlices === geometry.memorySlices &&
      other.computeSlices === geometry.computeSlices,
  ).map((other) => other.profiles.find((profile) => profile.name === name)?.id);
  const known = new Set(ids.filter((id) => id !== undefined));
  return known.size === 1
    ? geometry.profiles.find((profile) => profile.id !== undefined && known.has(profile.id))
    : undefined;
}

function measure(profile: Profile, parsed: ParsedProfile): number {
  const gb = Number(/(\d+)gb/.exec(profile.name)?.[1] ?? 0);
  const attributes = profile.name.replace(/^.*gb/, '') === parsed.instanceProfile.replace(/^.*gb/, '') ? 0 : 1;
  return Math.abs(profile.computeSlices - parsed.gpuSlices) * 1000 + Math.abs(gb - parsed.gb) * 2 + attributes;
}
