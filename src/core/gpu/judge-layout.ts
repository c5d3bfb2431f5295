import { ENGINE_KINDS, type Engines, type Layout } from './geometry.ts';
import {
  type Grid,
  type RefusalCode,
  refuse,
  type Refusal,
  nameSubject,
  type Question,
  type Subject,
  withinBudget,
  SearchBudget,
} from './grid.ts';
import {
  explainShortage,
  explainUnreadable,
  readLayout,
  type GridLayout,
  explainBlocked,
  type Occupancy,
} from './layout.ts';
import { isAnything, arrangerOf, type Holds, searchPlan, type Found } from './search.ts';

/** A counter that a layout exceeds. */
export interface Shortage {
  readonly code: RefusalCode;
  /** A reason for a person who does not know the slice grid: `needs 9 of 8 memory slices (2×3g.20gb take 8, 1×1g.5gb takes 1)`. */
  readonly why: string;
}

const engineWords = {
  copy: 'copy engines',
  decoder: 'video decoders',
  encoder: 'video encoders',
  jpeg: 'JPEG engines',
  ofa: 'optical flow engines',
} as const satisfies Record<keyof Engines, string>;

const sliceCounters = [
  { size: 'memorySlices', code: 'NotEnoughMemorySlices', what: 'memory slices' },
  { size: 'computeSlices', code: 'NotEnoughComputeSlices', what: 'compute slices' },
] as const;

/**
 * The first counter that the instances exceed, wherever they are placed: memory slices, compute slices, instances of a profile,
 * engines, mutually exclusive profiles. For every model of the built-in table an empty GPU holds exactly what the counters allow.
 *
 * @param totals GPU instances per profile index
 */
function findShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  return (
    findSliceShortage(grid, totals) ??
    findInstanceShortage(grid, totals) ??
    findEngineShortage(grid, totals) ??
    findExclusion(grid, totals)
  );
}

function findSliceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const { size, code, what } of sliceCounters) {
    const needed = sum(totals, (index) => grid.profiles[index]?.[size] ?? 0);
    const available = grid.geometry[size];
    if (needed > available)
      return { code, why: `needs ${needed} of ${available} ${what} (${listTakes(grid, totals, size)})` };
  }
  return undefined;
}

/** Counts GPU instances, which shows that compute instances (`7×1c.3g.20gb`) need three of them. */
function listTakes(grid: Grid, totals: readonly number[], size: 'memorySlices' | 'computeSlices'): string {
  return grid.largestFirst
    .filter((index) => (totals[index] ?? 0) > 0)
    .map((index) => {
      const { name = '', [size]: takes = 0 } = grid.profiles[index] ?? {};
      const total = totals[index] ?? 0;
      return `${total}×${name} ${total === 1 ? 'takes' : 'take'} ${total * takes}`;
    })
    .join(', ');
}

function findInstanceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  const profile = totals.findIndex((count, index) => count > (grid.profiles[index]?.maxInstances ?? 0));
  if (profile === -1) return undefined;
  const { name = '', maxInstances = 0 } = grid.profiles[profile] ?? {};
  const why = `needs ${totals[profile] ?? 0} instances of ${name}, of which a GPU holds at most ${maxInstances}`;
  return { code: 'TooManyInstances', why };
}

function findEngineShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const [kind, name] of ENGINE_KINDS.entries()) {
    const available = grid.engineTotals?.[kind];
    const needed = sum(totals, (index) => grid.engines[index]?.[kind] ?? 0);
    if (available !== undefined && needed > available)
      return { code: 'NotEnoughEngines', why: `needs ${needed} of ${available} ${engineWords[name]}` };
  }
  return undefined;
}

function findExclusion(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const group of grid.exclusive) {
    const needed = group.reduce((total, index) => total + (totals[index] ?? 0), 0);
    const why = `needs ${needed} instances of profiles of which a GPU holds at most 1 in total`;
    if (needed > 1) return { code: 'ExclusiveProfiles', why };
  }
  return undefined;
}

function sum(totals: readonly number[], weigh: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < totals.length; index += 1) total += (totals[index] ?? 0) * weigh(index);
  return total;
}

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
function refuseUnsearched(grid: Grid, layout: Layout, subject: Subject): Refusal {
  return remember(grid, writeKey(layout, subject), refuseTooLarge(subject));
}

function remember<Judged extends GridLayout | Refusal>(grid: Grid, key: string, judged: Judged): Judged {
  const known = remembered.get(grid) ?? new Map<string, GridLayout | Refusal>();
  remembered.set(grid, known);
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(key, judged);
  return judged;
}

/** Judges a layout like {@link judgeLayout}, with alternatives of the caller's choice. */
function judgeAround(question: Question): GridLayout | Refusal {
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

/** Whether a layout can be reached from what is on a GPU, and how, not yet turned into a plan. */
export type SearchResult =
  | { readonly fits: true; readonly found: Found }
  | { readonly fits: false; readonly refusal: Refusal };

/** Judges a layout, then searches for the best way to it from what is on the GPU. */
export function searchGpu(grid: Grid, occupancy: Occupancy | Refusal, want: Layout, subject: Subject): SearchResult {
  const gridLayout = judgeLayout(grid, want, subject);
  if ('code' in gridLayout) return { fits: false, refusal: refuseAround(grid, occupancy, want, subject) ?? gridLayout };
  if ('code' in occupancy) return { fits: false, refusal: occupancy };
  if (!grid.placeable && (occupancy.known.length > 0 || gridLayout.totals.some((count) => count > 0)))
    return { fits: false, refusal: refuseUnplaced(subject) };
  const searched = withinBudget((budget) => searchPlan(grid, occupancy, gridLayout, budget));
  if (searched === undefined) return { fits: false, refusal: refuseUnsearched(grid, want, subject) };
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
