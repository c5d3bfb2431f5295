import type { Layout } from '../geometry/geometry.ts';
import { isProfileNameError, parseProfile } from '../geometry/profile-name.ts';
import type { Shortage } from './counters.ts';
import type { Grid } from './grid.ts';
import { joinWords, writeLayout } from './layout-words.ts';
import { findLargestPart, listNearest, type Holds } from './nearest-layout.ts';
import { findNearestProfile } from './nearest-profile.ts';
import type { Present } from './present.ts';
import type { Refusal } from './refusal.ts';
import { describeShortage } from './shortage-words.ts';
import { nameSubject, type Subject } from './subject.ts';
import { sortNames, writeCounts } from './wanted-names.ts';
import { readLayout, type Wanted } from './wanted.ts';
import { tryWork, Work } from './work.ts';

type Nearby = Pick<Refusal, 'largestPart' | 'alternatives'>;

/** A layout that names what the GPU does not have: tells what exists, and what the unknown name probably means. */
export function explainUnreadable(grid: Grid, want: Layout, refusal: Refusal, subject: Subject, fits: Holds): Refusal {
  const { readable, unknown, translated } = sortNames(grid, want, subject, new Work());
  const { largestPart } = findNearby(grid, readable, subject, fits);
  // The meaning of a malformed entry is not guessed: layouts near the rest would mislead.
  if (refusal.code !== 'UnknownProfile') return { ...refusal, largestPart };
  const { alternatives } = findNearby(grid, translated, subject, fits);
  const message = joinNearest(explainUnknown(grid, unknown, subject), alternatives);
  return { ...refusal, message, largestPart, alternatives };
}

/** A layout that needs more than the GPU has: explains of what, with numbers, and what would fit. */
export function explainShortage(
  grid: Grid,
  want: Layout,
  wanted: Wanted,
  shortage: Shortage,
  subject: Subject,
  fits: Holds,
): Refusal {
  const { code, resource, needed, available } = shortage;
  const nearby = findNearby(grid, want, subject, fits);
  const why = `${writeLayout(want)} on ${nameSubject(subject)}: ${describeShortage(grid, wanted, shortage)}`;
  return { code, message: joinNearest(why, nearby.alternatives), resource, needed, available, ...nearby };
}

/** A layout that an empty GPU could hold, but not around what exists and must stay, or whose starts do not combine. */
export function explainBlocked(grid: Grid, want: Layout, present: Present, subject: Subject, fits: Holds): Refusal {
  const nearby = findNearby(grid, want, subject, fits);
  const foreign = present.foreign.map(({ profile, start }) => `${profile} at ${start}`);
  const what = `${writeLayout(want)} on ${nameSubject(subject)}: `;
  const why =
    foreign.length > 0
      ? `${what}there is no room beside ${joinWords(foreign)}, which the profile table of this GPU does not know and which is ` +
        'therefore left alone; destroy it manually, or read the profile table from the driver again'
      : `${what}there are enough slices in total, but the allowed start positions of these profiles do not combine`;
  const code = foreign.length > 0 ? 'ForeignInstanceInTheWay' : 'NoPlacement';
  return { code, message: joinNearest(why, nearby.alternatives), ...nearby };
}

/** Nothing is near if the table has more layouts than can be tried. */
function findNearby(grid: Grid, want: Layout, subject: Subject, fits: Holds): Nearby {
  return (
    tryWork((work) => searchNearby(grid, want, subject, fits, work))?.result ?? { largestPart: {}, alternatives: [] }
  );
}

function searchNearby(grid: Grid, want: Layout, subject: Subject, fits: Holds, work: Work): Nearby {
  const wanted = readLayout(grid, want, subject.model, work);
  if ('code' in wanted) return { largestPart: {}, alternatives: [] };
  const write = (counts: readonly number[]): Layout => writeCounts(grid, want, wanted.totals, counts, subject, work);
  return {
    largestPart: write(findLargestPart(grid, wanted.totals, fits)),
    alternatives: wanted.totals.some((count) => count > 0) ? listNearest(grid, wanted.totals, fits).map(write) : [],
  };
}

function joinNearest(why: string, alternatives: readonly Layout[]): string {
  if (alternatives.length === 0) return why;
  const label = alternatives.length === 1 ? 'nearest layout that fits' : 'nearest layouts that fit';
  return `${why}; ${label}: ${alternatives.map(writeLayout).join(', or ')}`;
}

function explainUnknown(grid: Grid, unknown: readonly string[], subject: Subject): string {
  const hints = unknown.map((name) => {
    const parsed = parseProfile(name);
    const nearest = isProfileNameError(parsed) ? undefined : findNearestProfile(grid.geometry, parsed, subject.model);
    if (nearest === undefined) return name;
    return `${name} (${nearest.same ? `${nearest.profile.name} is the same slice here` : `nearest is ${nearest.profile.name}`})`;
  });
  const names = grid.profiles.map(({ name }) => name);
  return `${nameSubject(subject)} has no profile ${joinWords(hints)}; it has ${joinWords(names)}`;
}
