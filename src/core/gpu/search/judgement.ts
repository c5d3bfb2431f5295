import type { Layout } from '../geometry/geometry.ts';
import { findShortage } from './counters.ts';
import { explainShortage, explainUnreadable } from './explanation.ts';
import type { Grid } from './grid.ts';
import type { Refusal } from './refusal.ts';
import { nameSubject, type Subject } from './subject.ts';
import { readLayout, type Wanted } from './wanted.ts';

/** Judgements that are remembered per geometry: a fleet asks for the same few layouts on thousands of GPUs. */
const MOST_REMEMBERED = 500;

const remembered = new WeakMap<Grid, Map<string, Wanted | Refusal>>();

/** Reads a layout and judges it by everything that does not depend on what is on the GPU. */
export function judgeLayout(grid: Grid, layout: Layout, subject: Subject): Wanted | Refusal {
  const known = remembered.get(grid) ?? new Map<string, Wanted | Refusal>();
  remembered.set(grid, known);
  const key = writeKey(layout, subject);
  const judged = known.get(key) ?? judge(grid, layout, subject);
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(key, judged);
  return judged;
}

function judge(grid: Grid, layout: Layout, subject: Subject): Wanted | Refusal {
  const wanted = readLayout(grid, layout, subject.model);
  if ('code' in wanted) return explainUnreadable(grid, layout, wanted, subject);
  const shortage = findShortage(grid, wanted.totals);
  return shortage === undefined ? wanted : explainShortage(grid, layout, wanted, shortage, subject);
}

/** Everything that the judgement and the words of a refusal depend on. */
function writeKey(layout: Layout, subject: Subject): string {
  let key = `${subject.model?.id ?? ''}\n${nameSubject(subject)}`;
  for (const name in layout) key += `\n${name}\t${layout[name] ?? 0}`;
  return key;
}
