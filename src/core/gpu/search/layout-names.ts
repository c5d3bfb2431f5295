import type { Geometry, Layout, Profile } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';
import { MODELS } from '../geometry/models.ts';
import { isProfileNameError, parseProfile, type ParsedProfile } from '../geometry/profile-name.ts';
import type { Question } from './subject.ts';
import { readLayout } from './grid-layout.ts';
import type { SearchBudget } from './search-budget.ts';

/** A layout with names that the GPU does not have. */
interface Translation {
  /** Well-formed names that the GPU does not have, with what each probably means. */
  readonly unknown: readonly { readonly name: string; readonly nearest: NearestProfile | undefined }[];
  /** The entries that can be read, and the unknown ones under the name of the nearest profile of this GPU. */
  readonly layout: Layout;
}

export function translateNames({ grid, want, subject }: Question, budget: SearchBudget): Translation {
  const layout: Record<string, number> = {};
  const unknown: Translation['unknown'][number][] = [];
  const add = (name: string, count: number): void => void (layout[name] = (layout[name] ?? 0) + count);
  for (const [name, count] of Object.entries(want)) {
    const read = readLayout(grid, { [name]: count }, subject.model, budget);
    if (!('code' in read)) add(name, count);
    else if (read.code === 'UnknownProfile') {
      const parsed = parseProfile(name);
      const nearest = isProfileNameError(parsed) ? undefined : findNearestProfile(grid.geometry, parsed, subject.model);
      unknown.push({ name, nearest });
      if (nearest !== undefined) add(nearest.profile.name, count);
    }
  }
  return { unknown, layout };
}

/**
 * Writes counts of GPU instances as a layout in the terms of the wanted one: if all GPU instances of a profile are included, the
 * compute instances requested on them are named, else just the GPU instances.
 */
export function writeCounts(
  { grid, want, subject }: Question,
  totals: readonly number[],
  counts: readonly number[],
  budget: SearchBudget,
): Layout {
  const names = Object.keys(want).map((name) => {
    const read = readLayout(grid, { [name]: 1 }, subject.model, budget);
    return { name, profile: 'code' in read ? undefined : read.totals.findIndex((total) => total > 0) };
  });
  const layout: Record<string, number> = {};
  grid.profiles.forEach(({ name }, profile) => {
    const count = counts[profile] ?? 0;
    const requested = names.filter((entry) => entry.profile === profile);
    if (count === 0) return;
    if (requested.length === 0 || count !== totals[profile]) layout[name] = count;
    else for (const entry of requested) layout[entry.name] = want[entry.name] ?? 0;
  });
  return layout;
}

/** What a name that a GPU does not have probably means there. */
interface NearestProfile {
  readonly profile: Profile;
  /** True if it is the same slice under another name: the `1g.5gb` of a 40 GB board is the `1g.10gb` of an 80 GB board. */
  readonly same: boolean;
}

/**
 * The same slice under the name of this model if there is one, else the profile that is nearest in slices, then in memory.
 *
 * @returns undefined only if the geometry has no profiles
 */
function findNearestProfile(
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
