// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here where instances are placed best, and every layout that a GPU can have.
import { countsKey, type Grid, SearchBudget, gridOf, withinBudget, BudgetExceeded } from './grid.ts';
import type { Occupancy, OccupyingInstance, GridLayout, InstanceGroup } from './layout.ts';
import type { Geometry, Layout } from './geometry.ts';
import { memoize } from '../text/json.ts';

/** The best places for instances yet to be created, as a list. */
interface Arrangement {
  /** What is left for later instances; higher is better. See {@link measureRoom}. */
  readonly room: number;
  readonly profile: number;
  readonly start: number;
  /** The rest of the list; undefined after the last. */
  readonly next: Arrangement | undefined;
}

/** The end of a list of arrangements, with nothing left to place: it only holds the remaining room. */
interface Settled {
  readonly room: number;
  readonly next: undefined;
  readonly profile: -1;
  readonly start: -1;
}

type Solution = Arrangement | Settled | undefined;

/**
 * Places instances into the free units of one GPU, exactly: all placements are tried (there are few), and what a set of free units
 * was found to hold is cached per geometry and wanted counts.
 */
interface Arranger {
  /**
   * The best arrangement of the instances in `remaining` around the units in `occupied`; undefined if there is none.
   * @throws BudgetExceeded
   */
  arrange(occupied: number, remaining: readonly number[], budget: SearchBudget): Solution;
}

/** Maximum number of wanted counts cached per geometry; the largest known table has some hundreds that fit. */
const MOST_ARRANGERS = 2000;

/** Maximum number of solutions that each of them caches. */
const MOST_SOLUTIONS = 50_000;

const arrangers = new WeakMap<Grid, Map<number, Arranger>>();

/** @param totals instances per profile once everything is in place, kept ones included: they limit what may come later */
export function arrangerOf(grid: Grid, totals: readonly number[]): Arranger {
  const known = arrangers.get(grid) ?? new Map<number, Arranger>();
  arrangers.set(grid, known);
  const key = countsKey(grid, totals);
  const arranger = known.get(key) ?? buildArranger(grid, totals);
  if (known.size >= MOST_ARRANGERS) known.clear();
  known.set(key, arranger);
  return arranger;
}

function buildArranger(grid: Grid, totals: readonly number[]): Arranger {
  const caps = grid.profiles.map((_, profile) => countAddable(grid, totals, profile));
  const solutions = new Map<number, Solution>();
  const units = 2 ** grid.geometry.memorySlices;

  function solve(occupied: number, remaining: number[], key: number, budget: SearchBudget): Solution {
    const memo = key * units + occupied;
    if (solutions.has(memo)) return solutions.get(memo);
    budget.spend();
    if (solutions.size >= MOST_SOLUTIONS) solutions.clear();
    const solution = key === 0 ? settle(occupied) : place(occupied, remaining, key, budget);
    solutions.set(memo, solution);
    return solution;
  }

  function place(occupied: number, remaining: number[], key: number, budget: SearchBudget): Solution {
    const profile = grid.largestFirst.find((index) => (remaining[index] ?? 0) > 0) ?? 0;
    let best: Solution;
    remaining[profile] = (remaining[profile] ?? 0) - 1;
    for (const slot of grid.slots[profile] ?? []) {
      if ((slot.mask & occupied) !== 0) continue;
      const next = solve(occupied | slot.mask, remaining, key - (grid.radix[profile] ?? 0), budget);
      if (next !== undefined && (best === undefined || next.room > best.room))
        best = { room: next.room, profile, start: slot.start, next: next.profile === -1 ? undefined : next };
    }
    remaining[profile] += 1;
    return best;
  }

  function settle(occupied: number): Settled {
    return { room: measureRoom(grid, occupied, caps), next: undefined, profile: -1, start: -1 };
  }

  return {
    arrange: (occupied, remaining, budget) => solve(occupied, [...remaining], countsKey(grid, remaining), budget),
  };
}

/**
 * What is left for later: how many more instances of the largest profile would fit, then of the next smaller, and so on, each alone,
 * as one number whose first digit is the largest profile.
 *
 * @param caps per profile the most that compute slices, engines and its own maximum still allow
 */
function measureRoom(grid: Grid, occupied: number, caps: readonly number[]): number {
  let room = 0;
  for (const profile of grid.largestFirst) {
    const cap = caps[profile] ?? 0;
    let free = occupied;
    let count = 0;
    // Instances of one profile have equal length, so always taking the first free start finds the most.
    for (const slot of grid.slots[profile] ?? []) {
      if (count === cap) break;
      if ((slot.mask & free) !== 0) continue;
      free |= slot.mask;
      count += 1;
    }
    room = room * ((grid.profiles[profile]?.maxInstances ?? 0) + 1) + count;
  }
  return room;
}

/** How many instances of a profile the counters (not the placement) still allow in addition to `totals`. */
export function countAddable(grid: Grid, totals: readonly number[], profile: number): number {
  const { maxInstances, computeSlices } = grid.profiles[profile] ?? { maxInstances: 0, computeSlices: 1 };
  const sum = (weigh: (index: number) => number): number =>
    totals.reduce((total, count, index) => total + count * weigh(index), 0);
  const compute = grid.geometry.computeSlices - sum((index) => grid.profiles[index]?.computeSlices ?? 0);
  let most = Math.min(maxInstances - (totals[profile] ?? 0), Math.floor(compute / computeSlices));
  grid.engineTotals?.forEach((total, kind) => {
    const each = grid.engines[profile]?.[kind] ?? 0;
    if (each > 0) most = Math.min(most, Math.floor((total - sum((index) => grid.engines[index]?.[kind] ?? 0)) / each));
  });
  for (const group of grid.exclusive)
    if (group.includes(profile))
      most = Math.min(most, 1 - group.reduce((taken, index) => taken + (totals[index] ?? 0), 0));
  return Math.max(0, most);
}

/** What a plan costs, most important first; the number of instances created follows from that of those destroyed. */
export interface PlanCost {
  /** Instances that are destroyed or lose a compute instance although they may not: there is no better way. */
  readonly fixedDisturbed: number;
  /** Busy instances that are destroyed or lose a compute instance. */
  readonly busyDisturbed: number;
  /** GPU instances destroyed. */
  readonly destroyed: number;
  /** Compute instances destroyed on GPU instances that stay; those that come and go with a GPU instance are not counted. */
  readonly computeInstancesDestroyed: number;
  readonly computeInstancesCreated: number;
}

/** An instance that stays, and the compute instances that it should have. */
interface KeptInstance {
  readonly occupancy: OccupyingInstance;
  readonly kind: InstanceGroup;
}

/** The best way from the current state to the wanted one. */
export interface Found {
  readonly cost: PlanCost;
  /** Number of instances to create. */
  readonly created: number;
  readonly kept: readonly KeptInstance[];
  /** Places for the instances to create, largest profile first; undefined if there are none. */
  readonly made: Arrangement | undefined;
  readonly kindsLeft: readonly InstanceGroup[];
}

interface Best {
  cost: number;
  room: number;
  found:
    | { choice: readonly (number | undefined)[]; made: Arrangement | undefined; way: readonly InstanceGroup[] }
    | undefined;
}

/** Above any count of instances on a GPU: five counts make one number below 2^53. */
const DIGIT = 256;

/**
 * Finds the cheapest plan exactly: tries every choice of instances to keep (a GPU has at most a dozen), each with the best places
 * for the rest. Order of importance: fixed instances disrupted, busy ones disrupted, instances destroyed, compute instances
 * destroyed and created, room left for later instances; then instances at low starts are kept first. The same set in another order
 * gives the same plan.
 *
 * @throws BudgetExceeded
 */
export function searchPlan(
  grid: Grid,
  occupancy: Occupancy,
  gridLayout: GridLayout,
  budget: SearchBudget,
): Found | undefined {
  const best: Best = { cost: Infinity, room: -1, found: undefined };
  for (const way of gridLayout.ways) searchWay(grid, occupancy, gridLayout, way, best, budget);
  return best.found && describe(occupancy, best.found, best.cost);
}

function searchWay(
  grid: Grid,
  occupancy: Occupancy,
  gridLayout: GridLayout,
  way: readonly InstanceGroup[],
  best: Best,
  budget: SearchBudget,
): void {
  const arranger = arrangerOf(grid, gridLayout.totals);
  const remaining = [...gridLayout.totals];
  const left = way.map(({ count }) => count);
  const choice: (number | undefined)[] = occupancy.known.map(() => undefined);

  function decide(index: number, occupied: number, cost: number): void {
    budget.spend();
    if (cost > best.cost) return;
    const instance = occupancy.known[index];
    if (instance === undefined) {
      const made = arranger.arrange(occupied, remaining, budget);
      if (made === undefined || (cost === best.cost && made.room <= best.room)) return;
      best.cost = cost;
      best.room = made.room;
      best.found = { choice: [...choice], made: made.profile === -1 ? undefined : made, way };
      return;
    }
    for (let kind = 0; kind < way.length; kind += 1) {
      const candidate = way[kind];
      if (candidate?.profile !== instance.profile || left[kind] === 0) continue;
      left[kind] = (left[kind] ?? 0) - 1;
      remaining[instance.profile] = (remaining[instance.profile] ?? 0) - 1;
      choice[index] = kind;
      decide(index + 1, occupied | instance.mask, cost + keepCost(instance, candidate));
      left[kind] = (left[kind] ?? 0) + 1;
      remaining[instance.profile] = (remaining[instance.profile] ?? 0) + 1;
    }
    choice[index] = undefined;
    decide(index + 1, occupied, cost + destroyCost(instance));
  }

  decide(0, occupancy.foreignMask, 0);
}

function destroyCost(occupancy: OccupyingInstance): number {
  return disturbCost(occupancy) + DIGIT ** 2;
}

function disturbCost({ instance, isFixed }: OccupyingInstance): number {
  return (isFixed ? DIGIT ** 4 : 0) + (instance.busy ? DIGIT ** 3 : 0);
}

function keepCost(occupancy: OccupyingInstance, kind: InstanceGroup): number {
  if (sameSlices(occupancy.computeSlices, kind.computeSlices)) return 0;
  const destroyed = subtractSlices(occupancy.computeSlices, kind.computeSlices).length;
  const created = subtractSlices(kind.computeSlices, occupancy.computeSlices).length;
  return (destroyed > 0 ? disturbCost(occupancy) : 0) + destroyed * DIGIT + created;
}

function sameSlices(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((slices, index) => slices === right[index]);
}

/** Compute instances of `from` that `keep` does not need, by slices. */
export function subtractSlices(from: readonly number[], keep: readonly number[]): readonly number[] {
  const rest = [...from];
  for (const slices of keep) {
    const index = rest.indexOf(slices);
    if (index !== -1) rest.splice(index, 1);
  }
  return rest;
}

function describe(occupancy: Occupancy, found: NonNullable<Best['found']>, packed: number): Found {
  const left = found.way.map(({ count }) => count);
  const kept: KeptInstance[] = [];
  occupancy.known.forEach((instance, index) => {
    const choice = found.choice[index];
    const kind = choice === undefined ? undefined : found.way[choice];
    if (choice === undefined || kind === undefined) return;
    left[choice] = (left[choice] ?? 0) - 1;
    kept.push({ occupancy: instance, kind });
  });
  return {
    cost: {
      fixedDisturbed: Math.floor(packed / DIGIT ** 4),
      busyDisturbed: Math.floor(packed / DIGIT ** 3) % DIGIT,
      destroyed: Math.floor(packed / DIGIT ** 2) % DIGIT,
      computeInstancesDestroyed: Math.floor(packed / DIGIT) % DIGIT,
      computeInstancesCreated: packed % DIGIT,
    },
    created: left.reduce((sum, count) => sum + count, 0),
    kept,
    made: found.made,
    kindsLeft: found.way.flatMap((kind, index) => (left[index] ? [{ ...kind, count: left[index] }] : [])),
  };
}

interface LayoutFilter {
  /** True to list only layouts to which no further instance (of the profiles considered) can be added. */
  readonly maximal?: boolean;
  /** True to list only plain profiles: one per number of compute slices, without `+me`, `-me`, `+gfx` and double-memory variants. */
  readonly base?: boolean;
}

/**
 * Every layout that an empty GPU can hold, except the empty one, smallest profiles first. A 7-slice GPU has 127 (37 of plain
 * profiles), of which 44 (12) are maximal.
 *
 * @throws BudgetExceeded for a table that is not NVIDIA's
 */
export function enumerateLayouts(geometry: Geometry, filter: LayoutFilter = {}): readonly Layout[] {
  const grid = gridOf(geometry);
  const base = new Set(filter.base === true ? listBaseProfiles(grid.geometry) : grid.profiles);
  const considered = grid.profiles.map((profile) => base.has(profile));
  const layouts = enumerateCounts(grid).filter((counts) =>
    counts.every((count, profile) => count === 0 || considered[profile] === true),
  );
  const chosen = filter.maximal === true ? keepMaximal(grid, layouts, considered) : layouts;
  return chosen.map((counts) => toLayout(grid, counts));
}

/**
 * The plain profile of each number of compute slices: of those without attributes the one with the most instances, which
 * distinguishes the normal 1g from the one with double memory (the rule of mig-parted's generated configuration).
 */
export function listBaseProfiles(geometry: Geometry): readonly Geometry['profiles'][number][] {
  const best = new Map<number, Geometry['profiles'][number]>();
  for (const profile of geometry.profiles) {
    const known = best.get(profile.computeSlices);
    if (/[+-]/.test(profile.name) || (known !== undefined && known.maxInstances >= profile.maxInstances)) continue;
    best.set(profile.computeSlices, profile);
  }
  return geometry.profiles.filter((profile) => best.get(profile.computeSlices) === profile);
}

/** Counts per profile of every layout that fits an empty GPU; computed once per geometry. @throws BudgetExceeded */
function enumerateCounts(grid: Grid): readonly (readonly number[])[] {
  const counts = listOnce(grid);
  if (counts === 'TooMany') throw new BudgetExceeded();
  return counts;
}

const listOnce = memoize(
  (grid: Grid) => withinBudget((budget) => listCounts(grid, budget))?.result ?? ('TooMany' as const),
);

function listCounts(grid: Grid, budget: SearchBudget): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const counts = grid.profiles.map(() => 0);

  function extend(from: number): void {
    for (let profile = from; profile < counts.length; profile += 1) {
      budget.spend();
      if (!canHoldOneMore(grid, counts, profile, budget)) continue;
      counts[profile] = (counts[profile] ?? 0) + 1;
      found.push([...counts]);
      extend(profile);
      counts[profile] = (counts[profile] ?? 0) - 1;
    }
  }

  extend(0);
  return found;
}

/** Whether an empty GPU can hold the instances and one more of a profile. */
function canHoldOneMore(grid: Grid, counts: readonly number[], profile: number, budget: SearchBudget): boolean {
  if (countAddable(grid, counts, profile) === 0) return false;
  return holds(
    grid,
    counts.map((count, index) => (index === profile ? count + 1 : count)),
    budget,
  );
}

/** Whether instances that respect the counters can also be placed; if placements are unknown the counters decide. */
function holds(grid: Grid, counts: readonly number[], budget: SearchBudget): boolean {
  return !grid.placeable || arrangerOf(grid, counts).arrange(0, counts, budget) !== undefined;
}

function keepMaximal(
  grid: Grid,
  layouts: readonly (readonly number[])[],
  considered: readonly boolean[],
): readonly (readonly number[])[] {
  return layouts.filter((counts) =>
    considered.every(
      (isConsidered, profile) => !isConsidered || !canHoldOneMore(grid, counts, profile, new SearchBudget()),
    ),
  );
}

/** Counts per profile index as a layout. */
function toLayout(grid: Grid, counts: readonly number[]): Layout {
  return Object.fromEntries(
    grid.profiles.flatMap(({ name }, index) => {
      const count = counts[index] ?? 0;
      return count > 0 ? [[name, count] as const] : [];
    }),
  );
}

/** Maximum number of alternatives in a refusal. */
const MOST_ALTERNATIVES = 3;

/** Weight of losing an instance beyond its memory slices: a layout with as many instances is nearer. */
const LOSS = 1.5;
/** Weight of another profile of the same size. */
const CHANGE = 0.5;
/** Weight of an instance of a variant (`+me`, double memory) that was not requested. */
const VARIANT = 0.75;
/** Instances beyond a GPU's capacity that still count: a wish for a thousand is as far from every layout as one for a few more. */
const EXCESS = 8;

/** Tells which layouts are wanted: those that an empty GPU holds, or those that also fit around what exists. */
export type Holds = (counts: readonly number[]) => boolean;

/** Wants every layout that an empty GPU holds. */
export const isAnything: Holds = () => true;

/**
 * Valid layouts near the wanted one, nearest first, at most three. Near means: instances keep their profile, or change it for one of
 * nearly the same size, and few are lost or added.
 */
export function listNearest(grid: Grid, totals: readonly number[], fits: Holds): readonly (readonly number[])[] {
  const base = new Set(listBaseProfiles(grid.geometry));
  const variants = grid.profiles.map((profile) => !base.has(profile));
  return enumerateCounts(grid)
    .filter(fits)
    .map((counts) => ({ counts, distance: measureDistance(grid, totals, counts, variants) }))
    .toSorted((a, b) => a.distance - b.distance || countAll(b.counts) - countAll(a.counts))
    .slice(0, MOST_ALTERNATIVES)
    .map(({ counts }) => counts);
}

function countAll(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Instances in both cost nothing; the others are paired from the largest, and each pair costs its difference. */
function measureDistance(
  grid: Grid,
  totals: readonly number[],
  counts: readonly number[],
  variants: readonly boolean[],
): number {
  const lost: number[] = [];
  const added: number[] = [];
  let distance = 0;
  for (const profile of grid.largestFirst) {
    const most = (grid.profiles[profile]?.maxInstances ?? 0) + EXCESS;
    const difference = Math.min(totals[profile] ?? 0, most) - (counts[profile] ?? 0);
    for (let index = 0; index < Math.abs(difference); index += 1) (difference > 0 ? lost : added).push(profile);
    if (difference < 0 && variants[profile] === true) distance -= difference * VARIANT;
  }
  for (let index = 0; index < Math.max(lost.length, added.length); index += 1)
    distance += measurePair(grid, lost[index], added[index]);
  return distance;
}

function measurePair(grid: Grid, lost: number | undefined, added: number | undefined): number {
  const memory = Math.abs(sizeOf(grid, lost).memorySlices - sizeOf(grid, added).memorySlices);
  const compute = Math.abs(sizeOf(grid, lost).computeSlices - sizeOf(grid, added).computeSlices);
  return memory + compute / 4 + (lost === undefined || added === undefined ? LOSS : CHANGE);
}

function sizeOf(grid: Grid, profile: number | undefined): { memorySlices: number; computeSlices: number } {
  return (profile === undefined ? undefined : grid.profiles[profile]) ?? { memorySlices: 0, computeSlices: 0 };
}
