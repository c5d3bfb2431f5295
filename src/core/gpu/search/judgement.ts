import type { Layout } from '../geometry/geometry.ts';
import { findShortage } from './counters.ts';
import { explainShortage, explainUnreadable } from './explanation.ts';
import type { Grid } from './grid.ts';
import { isAnything } from './nearest-layout.ts';
import { refuse, type Refusal } from './refusal.ts';
import { nameSubject, type Question, type Subject } from './subject.ts';
import { readLayout, type GridLayout } from './grid-layout.ts';
import { withinBudget } from './search-budget.ts';

/** Maximum number of judgements cached per geometry: a fleet asks for the same few layouts on thousands of GPUs. */
const MOST_REMEMBERED = 500;

const remembered = new WeakMap<Grid, Map<string, GridLayout | Refusal>>();

/** Reads a layout and judges everything that does not depend on what is on the GPU. */
export function judgeLayout(grid: Grid, layout: Layout, subject: Subject): GridLayout | Refusal {
  const key = writeKey(layout, subject);
  const known = remembered.get(grid)?.get(key);
  return known ?? remember(grid, key, judgeAround({ grid, want: layout, subject, fits: isAnything }));
}

/** Gives up a layout that takes more work than allowed, so that the work is not repeated for every GPU that is to have it. */
export function giveUp(grid: Grid, layout: Layout, subject: Subject): Refusal {
  return remember(grid, writeKey(layout, subject), refuseTooLarge(subject));
}

function remember<Judged extends GridLayout | Refusal>(grid: Grid, key: string, judged: Judged): Judged {
  const known = remembered.get(grid) ?? new Map<string, GridLayout | Refusal>();
  remembered.set(grid, known);
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(key, judged);
  return judged;
}

/** Like {@link judgeLayout}, with alternatives of the asker's choice. */
export function judgeAround(question: Question): GridLayout | Refusal {
  const { grid, want, subject } = question;
  if (!grid.countable) return refuseTooLarge(subject);
  const judged = withinBudget((budget) => {
    const gridLayout = readLayout(grid, want, subject.model, budget);
    if ('code' in gridLayout) return explainUnreadable(question, gridLayout);
    const shortage = findShortage(grid, gridLayout.totals);
    return shortage === undefined ? gridLayout : explainShortage(question, shortage);
  });
  return judged?.result ?? refuseTooLarge(subject);
}

/** A table of no known model, or a layout with very many compute instances. */
function refuseTooLarge(subject: Subject): Refusal {
  return refuse(
    'TooManyCombinations',
    `${nameSubject(subject)} has a profile table, or a requested layout, with more combinations than the planner tries; ` +
      'ask for fewer compute instances, or report the table (nvidia-smi mig -lgip, -lgipp) with the driver version',
  );
}

/** Everything that the judgement and the wording of a refusal depend on. */
function writeKey(layout: Layout, subject: Subject): string {
  let key = `${subject.model?.id ?? ''}\n${nameSubject(subject)}`;
  for (const name in layout) key += `\n${name}\t${layout[name] ?? 0}`;
  return key;
}
