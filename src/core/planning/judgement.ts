import type { Layout } from '../geometry/geometry.ts';
import { findShortage } from './counters.ts';
import { explainShortage, explainUnreadable } from './explanation.ts';
import type { Grid } from './grid.ts';
import type { Refusal } from './refusal.ts';
import type { Subject } from './subject.ts';
import { readLayout, type Wanted } from './wanted.ts';

/** Reads a layout and judges it by everything that does not depend on what is on the GPU. */
export function judgeLayout(grid: Grid, layout: Layout, subject: Subject): Wanted | Refusal {
  const wanted = readLayout(grid, layout, subject.model);
  if ('code' in wanted) return explainUnreadable(grid, layout, wanted, subject);
  const shortage = findShortage(grid, wanted.totals);
  return shortage === undefined ? wanted : explainShortage(grid, layout, wanted, shortage, subject);
}
