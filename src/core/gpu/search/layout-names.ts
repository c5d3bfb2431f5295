import type { Layout } from '../geometry/geometry.ts';
import { isProfileNameError, parseProfile } from '../geometry/profile-name.ts';
import { findNearestProfile, type NearestProfile } from './nearest-profile.ts';
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
