import type { Layout } from '../geometry/geometry.ts';
import type { Shortage } from './counters.ts';
import type { Grid } from './grid.ts';
import { joinWords, writeLayout } from './layout-words.ts';
import { listNearest, type Holds } from './nearest-layout.ts';
import type { Occupancy } from './occupancy.ts';
import { refuse, type Refusal, type RefusalCode } from './refusal.ts';
import { nameSubject, type Subject } from './subject.ts';
import { translateNames, writeCounts } from './layout-names.ts';
import { readLayout } from './grid-layout.ts';
import { withinBudget, SearchBudget } from './search-budget.ts';

/** A layout that names what the GPU does not have: tells what exists, and what the unknown name probably means. */
export function explainUnreadable(grid: Grid, want: Layout, refusal: Refusal, subject: Subject, fits: Holds): Refusal {
  // The meaning of a malformed entry is not guessed: layouts near the rest would mislead.
  if (refusal.code !== 'UnknownProfile') return refusal;
  const { unknown, layout } = translateNames(grid, want, subject, new SearchBudget());
  const hints = unknown.map(({ name, nearest }) => {
    if (nearest === undefined) return name;
    return `${name} (${nearest.same ? `${nearest.profile.name} is the same slice here` : `nearest is ${nearest.profile.name}`})`;
  });
  const names = grid.profiles.map(({ name }) => name);
  const why = `${nameSubject(subject)} has no profile ${joinWords(hints)}; it has ${joinWords(names)}`;
  return offerNearest(refusal.code, why, findNearby(grid, layout, subject, fits));
}

/** A layout that needs more than the GPU has: explains of what, with numbers, and what would fit. */
export function explainShortage(
  grid: Grid,
  want: Layout,
  { code, why }: Shortage,
  subject: Subject,
  fits: Holds,
): Refusal {
  const what = `${writeLayout(want)} on ${nameSubject(subject)}: `;
  return offerNearest(code, `${what}${why}`, findNearby(grid, want, subject, fits));
}

/** A layout that an empty GPU could hold, but not around what exists and must stay, or whose starts do not combine. */
export function explainBlocked(grid: Grid, want: Layout, occupancy: Occupancy, subject: Subject, fits: Holds): Refusal {
  const foreign = occupancy.foreign.map(({ profile, start }) => `${profile} at ${start}`);
  const what = `${writeLayout(want)} on ${nameSubject(subject)}: `;
  const why =
    foreign.length > 0
      ? `${what}there is no room beside ${joinWords(foreign)}, which the profile table of this GPU does not know and which is ` +
        'therefore left alone; destroy it manually, or read the profile table from the driver again'
      : `${what}there are enough slices in total, but the allowed start positions of these profiles do not combine`;
  const code = foreign.length > 0 ? 'ForeignInstanceInTheWay' : 'NoPlacement';
  return offerNearest(code, why, findNearby(grid, want, subject, fits));
}

/** Nothing is near if the table has more layouts than can be tried. */
function findNearby(grid: Grid, want: Layout, subject: Subject, fits: Holds): readonly Layout[] {
  return withinBudget((budget) => searchNearby(grid, want, subject, fits, budget))?.result ?? [];
}

function searchNearby(
  grid: Grid,
  want: Layout,
  subject: Subject,
  fits: Holds,
  budget: SearchBudget,
): readonly Layout[] {
  const gridLayout = readLayout(grid, want, subject.model, budget);
  if ('code' in gridLayout || gridLayout.totals.every((count) => count === 0)) return [];
  const { totals } = gridLayout;
  return listNearest(grid, totals, fits).map((counts) => writeCounts(grid, want, totals, counts, subject, budget));
}

function offerNearest(code: RefusalCode, why: string, alternatives: readonly Layout[]): Refusal {
  if (alternatives.length === 0) return refuse(code, why);
  const label = alternatives.length === 1 ? 'nearest layout that fits' : 'nearest layouts that fit';
  return { code, message: `${why}; ${label}: ${alternatives.map(writeLayout).join(', or ')}`, alternatives };
}
