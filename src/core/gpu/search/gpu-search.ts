import type { Layout } from '../geometry/geometry.ts';
import { arrangerOf } from './arrangement.ts';
import { explainBlocked } from './explanation.ts';
import type { Grid } from './grid.ts';
import { giveUp, judgeAround, judgeLayout } from './judgement.ts';
import type { Holds } from './nearest-layout.ts';
import type { Occupancy } from './occupancy.ts';
import { refuse, type Refusal } from './refusal.ts';
import { searchPlan, type Found } from './search.ts';
import { nameSubject, type Subject } from './subject.ts';
import { withinBudget, SearchBudget } from './search-budget.ts';

/** Whether a layout can be reached from what is on a GPU, and how, not yet turned into a plan. */
export type SearchResult =
  { readonly fits: true; readonly found: Found } | { readonly fits: false; readonly refusal: Refusal };

/** Judges a layout, then searches for the best way to it from what is on the GPU. */
export function searchGpu(grid: Grid, occupancy: Occupancy | Refusal, want: Layout, subject: Subject): SearchResult {
  const gridLayout = judgeLayout(grid, want, subject);
  if ('code' in gridLayout) return { fits: false, refusal: refuseAround(grid, occupancy, want, subject) ?? gridLayout };
  if ('code' in occupancy) return { fits: false, refusal: occupancy };
  if (!grid.placeable && (occupancy.known.length > 0 || gridLayout.totals.some((count) => count > 0)))
    return { fits: false, refusal: refuseUnplaced(subject) };
  const searched = withinBudget((budget) => searchPlan(grid, occupancy, gridLayout, budget));
  if (searched === undefined) return { fits: false, refusal: giveUp(grid, want, subject) };
  const { result: found } = searched;
  if (found !== undefined) return { fits: true, found };
  const question = { grid, want, subject, fits: holdsAround(grid, occupancy) };
  return { fits: false, refusal: explainBlocked(question, occupancy) };
}

/** The refusal that an empty GPU gives, with alternatives that fit around what has to stay; undefined if nothing has to. */
function refuseAround(grid: Grid, occupancy: Occupancy | Refusal, want: Layout, subject: Subject): Refusal | undefined {
  if ('code' in occupancy || !grid.placeable) return undefined;
  if (occupancy.foreign.length === 0 && occupancy.known.every(({ isFixed }) => !isFixed)) return undefined;
  const around = judgeAround({ grid, want, subject, fits: holdsAround(grid, occupancy) });
  return 'code' in around ? around : undefined;
}

/** Whether a layout can be created around what no plan touches: unknown instances, and fixed ones. */
function holdsAround(grid: Grid, { known, foreignMask }: Occupancy): Holds {
  const kept = known.filter(({ isFixed }) => isFixed);
  const occupied = kept.reduce((mask, instance) => mask | instance.mask, foreignMask);
  const taken = grid.profiles.map((_, profile) => kept.filter((instance) => instance.profile === profile).length);
  const budget = new SearchBudget();
  return (counts) => {
    const left = counts.map((count, profile) => count - (taken[profile] ?? 0));
    return left.every((count) => count >= 0) && arrangerOf(grid, counts).arrange(occupied, left, budget) !== undefined;
  };
}

function refuseUnplaced(subject: Subject): Refusal {
  return refuse(
    'PlacementsUnknown',
    `the placements of ${nameSubject(subject)} are not published; plans need the driver’s table (nvidia-smi mig -lgipp)`,
  );
}
