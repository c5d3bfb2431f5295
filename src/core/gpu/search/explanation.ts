import type { Layout } from '../geometry/geometry.ts';
import type { Shortage } from './counters.ts';
import { joinWords, writeLayout } from './layout-words.ts';
import { listNearest } from './nearest-layout.ts';
import type { Occupancy } from './occupancy.ts';
import { refuse, type Refusal, type RefusalCode } from './refusal.ts';
import { nameSubject, type Question } from './subject.ts';
import { translateNames, writeCounts } from './layout-names.ts';
import { readLayout } from './grid-layout.ts';
import { withinBudget, SearchBudget } from './search-budget.ts';

/** A layout that names what the GPU does not have: tells what exists, and what the unknown name probably means. */
export function explainUnreadable(question: Question, refusal: Refusal): Refusal {
  // The meaning of a malformed entry is not guessed: layouts near the rest would mislead.
  if (refusal.code !== 'UnknownProfile') return refusal;
  const { unknown, layout } = translateNames(question, new SearchBudget());
  const hints = unknown.map(({ name, nearest }) => {
    if (nearest === undefined) return name;
    return `${name} (${nearest.same ? `${nearest.profile.name} is the same slice here` : `nearest is ${nearest.profile.name}`})`;
  });
  const names = question.grid.profiles.map(({ name }) => name);
  const why = `${nameSubject(question.subject)} has no profile ${joinWords(hints)}; it has ${joinWords(names)}`;
  return offerNearest({ ...question, want: layout }, refusal.code, why);
}

/** A layout that needs more than the GPU has: explains of what, with numbers, and what would fit. */
export function explainShortage(question: Question, { code, why }: Shortage): Refusal {
  return offerNearest(question, code, `${nameQuestion(question)}: ${why}`);
}

/** A layout that an empty GPU could hold, but not around what exists and must stay, or whose starts do not combine. */
export function explainBlocked(question: Question, occupancy: Occupancy): Refusal {
  const foreign = occupancy.foreign.map(({ profile, start }) => `${profile} at ${start}`);
  const why =
    foreign.length > 0
      ? `there is no room beside ${joinWords(foreign)}, which the profile table of this GPU does not know and which is ` +
        'therefore left alone; destroy it manually, or read the profile table from the driver again'
      : 'there are enough slices in total, but the allowed start positions of these profiles do not combine';
  const code = foreign.length > 0 ? 'ForeignInstanceInTheWay' : 'NoPlacement';
  return offerNearest(question, code, `${nameQuestion(question)}: ${why}`);
}

function nameQuestion({ want, subject }: Question): string {
  return `${writeLayout(want)} on ${nameSubject(subject)}`;
}

function offerNearest(question: Question, code: RefusalCode, why: string): Refusal {
  // Nothing is near if the table has more layouts than can be tried.
  const alternatives = withinBudget((budget) => searchNearby(question, budget))?.result ?? [];
  if (alternatives.length === 0) return refuse(code, why);
  const label = alternatives.length === 1 ? 'nearest layout that fits' : 'nearest layouts that fit';
  return { code, message: `${why}; ${label}: ${alternatives.map(writeLayout).join(', or ')}`, alternatives };
}

function searchNearby(question: Question, budget: SearchBudget): readonly Layout[] {
  const { grid, want, subject, fits } = question;
  const gridLayout = readLayout(grid, want, subject.model, budget);
  if ('code' in gridLayout || gridLayout.totals.every((count) => count === 0)) return [];
  const { totals } = gridLayout;
  return listNearest(grid, totals, fits).map((counts) => writeCounts(question, totals, counts, budget));
}
