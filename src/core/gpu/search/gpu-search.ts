import type { Layout } from '../geometry/geometry.ts';
import { explainBlocked } from './explanation.ts';
import type { Grid } from './grid.ts';
import { judgeLayout } from './judgement.ts';
import type { Present } from './present.ts';
import { refuse, type Refusal } from './refusal.ts';
import { searchPlan, type Found } from './search.ts';
import { nameSubject, type Subject } from './subject.ts';

/** Whether a layout can be made of what is on a GPU, and how, not yet written out as a plan. */
export type SearchResult =
  { readonly fits: true; readonly found: Found } | { readonly fits: false; readonly refusal: Refusal };

/** Judges a layout, then searches the best way to it from what is on the GPU. */
export function searchGpu(grid: Grid, present: Present | Refusal, want: Layout, subject: Subject): SearchResult {
  const wanted = judgeLayout(grid, want, subject);
  if ('code' in wanted) return { fits: false, refusal: wanted };
  if ('code' in present) return { fits: false, refusal: present };
  if (!grid.placeable && (present.known.length > 0 || wanted.totals.some((count) => count > 0)))
    return { fits: false, refusal: refuseUnplaced(subject) };
  const found = searchPlan(grid, present, wanted);
  return found === undefined
    ? { fits: false, refusal: explainBlocked(grid, want, present, subject) }
    : { fits: true, found };
}

function refuseUnplaced(subject: Subject): Refusal {
  return refuse(
    'PlacementsUnknown',
    `where instances may sit on ${nameSubject(subject)} is not published; plans need the table of the driver (nvidia-smi mig -lgipp)`,
  );
}
