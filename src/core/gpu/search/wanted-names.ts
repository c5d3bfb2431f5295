import type { Layout } from '../geometry/geometry.ts';
import { isProfileNameError, parseProfile } from '../geometry/profile-name.ts';
import type { Grid } from './grid.ts';
import { findNearestProfile } from './nearest-profile.ts';
import type { Subject } from './subject.ts';
import { readLayout } from './wanted.ts';
import type { Work } from './work.ts';

/** The entries of a layout, sorted by whether the GPU has their profile. */
export interface SortedNames {
  readonly readable: Layout;
  /** Well-formed names that the GPU does not have. */
  readonly unknown: readonly string[];
  /** The readable entries, and the unknown ones under the name of the nearest profile of this GPU. */
  readonly translated: Layout;
}

export function sortNames(grid: Grid, want: Layout, subject: Subject, work: Work): SortedNames {
  const readable: Record<string, number> = {};
  const translated: Record<string, number> = {};
  const unknown: string[] = [];
  for (const [name, count] of Object.entries(want)) {
    const read = readLayout(grid, { [name]: count }, subject.model, work);
    if (!('code' in read)) {
      readable[name] = count;
      translated[name] = (translated[name] ?? 0) + count;
    } else if (read.code === 'UnknownProfile') {
      unknown.push(name);
      const parsed = parseProfile(name);
      const nearest = isProfileNameError(parsed) ? undefined : findNearestProfile(grid.geometry, parsed, subject.model);
      if (nearest !== undefined) translated[nearest.profile.name] = (translated[nearest.profile.name] ?? 0) + count;
    }
  }
  return { readable, unknown, translated };
}

/**
 * Writes counts of GPU instances as a layout in the terms of the wanted one: if all GPU instances of a profile are included, the
 * compute instances requested on them are named, else just the GPU instances.
 */
export function writeCounts(
  grid: Grid,
  want: Layout,
  totals: readonly number[],
  counts: readonly number[],
  subject: Subject,
  work: Work,
): Layout {
  const names = Object.keys(want).map((name) => ({ name, profile: findProfileOf(grid, name, subject, work) }));
  const layout: Record<string, number> = {};
  grid.profiles.forEach(({ name }, profile) => {
    const count = counts[profile] ?? 0;
    const wanted = names.filter((entry) => entry.profile === profile);
    if (count === 0) return;
    if (wanted.length === 0 || count !== totals[profile]) layout[name] = count;
    else for (const entry of wanted) layout[entry.name] = want[entry.name] ?? 0;
  });
  return layout;
}

function findProfileOf(grid: Grid, name: string, subject: Subject, work: Work): number | undefined {
  const read = readLayout(grid, { [name]: 1 }, subject.model, work);
  return 'code' in read ? undefined : read.totals.findIndex((total) => total > 0);
}
