// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for places as bit masks of memory slices, where instances are placed best, and a GPU drawn in a line of text.
import { ENGINE_KINDS, type Engines, type Geometry, type Profile, type Layout, type GpuModel } from './geometry.ts';
import { memoize } from '../text/json.ts';

/** A place for one instance: its first unit, and its units as a bit mask (bit 0 is unit 0). */
interface GridSlot {
  readonly start: number;
  readonly mask: number;
}

/** A geometry prepared for search: indices instead of names, bit masks instead of starts and sizes. */
export interface Grid {
  readonly geometry: Geometry;
  readonly profiles: readonly Profile[];
  /** Name and former names to index. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** Slots of each profile, by ascending start. */
  readonly slots: readonly (readonly GridSlot[])[];
  /** Profile indices from the largest to the smallest: by memory, then by compute slices, then by the order of `-lgip`. */
  readonly largestFirst: readonly number[];
  /** Weight of one instance of each profile in a number that encodes the counts of all: a mixed radix of maxInstances + 1. */
  readonly radix: readonly number[];
  /** False if a profile has no published placement: then only counters can be checked. */
  readonly placeable: boolean;
  /** False if the table has more combinations than a number can distinguish: no real GPU does. */
  readonly countable: boolean;
  /** Engines of each profile as a list; see {@link ENGINE_KINDS}. */
  readonly engines: readonly (readonly number[])[];
  readonly engineTotals: readonly number[] | undefined;
  /** Indices of the profiles in each mutually exclusive set. */
  readonly exclusive: readonly (readonly number[])[];
}

/** Grids by their content: each node of a fleet brings its own copy of one of a few tables. */
const interned = new Map<string, Grid>();
const MOST_INTERNED = 64;

/** Placement units beyond this do not fit a bit mask; the largest known grid has 12. */
export const MOST_UNITS = 30;

/** The grid of a geometry; the same object for all geometries that are equivalent for layouts. */
export const gridOf = memoize((geometry: Geometry): Grid => {
  const key = writeKey(geometry);
  const grid = interned.get(key) ?? buildGrid(geometry);
  const oldest = interned.keys().next();
  if (interned.size >= MOST_INTERNED && oldest.done !== true) interned.delete(oldest.value);
  interned.set(key, grid);
  return grid;
});

/** A key of everything in a geometry that a grid depends on: neither memory in MiB nor multiprocessors, which drivers round differently. */
function writeKey({ computeSlices, memorySlices, engines, exclusive, profiles }: Geometry): string {
  const rows = profiles.map((profile) => [
    profile.name,
    profile.id,
    profile.computeSlices,
    profile.memorySlices,
    profile.starts,
    profile.maxInstances,
    listEngines(profile.engines),
    profile.formerNames,
  ]);
  return JSON.stringify([computeSlices, memorySlices, engines && listEngines(engines), exclusive, rows]);
}

/** Placement units of a GPU, or of an instance of a profile. Without a placement grid (Thor) compute slices stand in for units. */
export function unitsOf({ memorySlices, computeSlices }: Pick<Profile, 'memorySlices' | 'computeSlices'>): number {
  return memorySlices || computeSlices;
}

/** Units of an instance as a bit mask. */
export function unitMask(start: number, size: number): number {
  return ((1 << size) - 1) << start;
}

/** Counts of all profiles as one number. */
export function countsKey(grid: Grid, counts: readonly number[]): number {
  return counts.reduce((key, count, profile) => key + count * (grid.radix[profile] ?? 0), 0);
}

function buildGrid(geometry: Geometry): Grid {
  const { profiles } = geometry;
  const radix: number[] = [];
  const combinations = profiles.reduce((weight, profile, index) => {
    radix[index] = weight;
    return weight * (profile.maxInstances + 1);
  }, 1);
  const indexOf = indexNames(profiles);
  return {
    geometry,
    profiles,
    indexOf,
    slots: profiles.map(({ starts, memorySlices }) =>
      starts
        .filter((start) => start >= 0 && start + memorySlices <= geometry.memorySlices)
        .toSorted((a, b) => a - b)
        .map((start) => ({ start, mask: unitMask(start, memorySlices) })),
    ),
    largestFirst: profiles.map((_, index) => index).toSorted((a, b) => compareSize(profiles[a], profiles[b]) || a - b),
    radix,
    countable: combinations * 2 ** Math.min(geometry.memorySlices, MOST_UNITS) <= Number.MAX_SAFE_INTEGER,
    placeable:
      geometry.memorySlices <= MOST_UNITS &&
      profiles.every(({ starts, memorySlices }) => starts.length > 0 && memorySlices > 0),
    engines: profiles.map(({ engines }) => listEngines(engines)),
    engineTotals: geometry.engines && listEngines(geometry.engines),
    exclusive: (geometry.exclusive ?? []).map((names) =>
      names.map((name) => indexOf.get(name)).filter((index) => index !== undefined),
    ),
  };
}

function listEngines(engines: Engines): readonly number[] {
  return ENGINE_KINDS.map((kind) => engines[kind]);
}

function indexNames(profiles: readonly Profile[]): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  profiles.forEach(({ formerNames }, position) => formerNames?.forEach((name) => index.set(name, position)));
  profiles.forEach(({ name }, position) => index.set(name, position));
  return index;
}

function compareSize(left: Profile | undefined, right: Profile | undefined): number {
  if (left === undefined || right === undefined) return 0;
  return right.memorySlices - left.memorySlices || right.computeSlices - left.computeSlices;
}

/** A GPU instance that is on a GPU now. */
export interface Instance {
  /** Profile of the GPU instance: `3g.20gb`. */
  readonly profile: string;
  /** The first placement unit; unique among the instances of one GPU. */
  readonly start: number;
  /** True if a process runs on it or a pod holds it. Busy instances weigh infinitely more than idle ones. */
  readonly busy: boolean;
  /**
   * Compute instance profiles on it, such as `['1c.3g.20gb', '2c.3g.20gb']`; absent or `[profile]` means one compute instance over the
   * whole GPU instance; empty means that it has none (and cannot be used).
   */
  readonly computeInstances?: readonly string[];
  /** Placement size as the driver shows it; needed only if the table may not know the profile. */
  readonly size?: number;
}

/** A GPU instance to create. */
export interface PlannedInstance {
  readonly profile: string;
  readonly start: number;
  /** Compute instances to create on it, biggest first; `[profile]` for one over the whole GPU instance. */
  readonly computeInstances: readonly string[];
}

/** The place of an instance: instances of one GPU never overlap, so this identifies it as long as it lives. */
export type Place = Pick<Instance, 'profile' | 'start'>;

/** The place in one word, such as `3g.20gb@4`. */
export function placeOf({ profile, start }: Place): string {
  return `${profile}@${start}`;
}

/**
 * SearchBudget allowed for a search, counted in choices examined and never in time, so that the same question gets the same answer
 * everywhere. A made-up profile table may need more than a lifetime.
 */
export class SearchBudget {
  #left: number;

  constructor(limit: number = MOST_CHOICES) {
    this.#left = limit;
  }

  /** Counts one choice. @throws BudgetExceeded */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new BudgetExceeded();
  }
}

/** The most choices of a search. The largest of the built-in tables takes 6,000 to list all of its layouts, and 300 for a plan. */
export const MOST_CHOICES = 60_000;

/** Unwinds a search; {@link withinBudget} catches it. */
export class BudgetExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** The result of a search within its budget; undefined if it needs more. */
export function withinBudget<Result>(
  search: (budget: SearchBudget) => Result,
): { readonly result: Result } | undefined {
  try {
    return { result: search(new SearchBudget()) };
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

/** The GPU that a question is about: for names of other driver branches, and its name in a refusal. */
export interface Subject {
  /** Built-in model of the GPU if the geometry is a live one. */
  readonly model?: GpuModel | undefined;
  /** Its common name: `A100-SXM4-40GB`. */
  readonly gpuName?: string | undefined;
}

/** Whether a GPU can have a layout. */
export interface Question {
  readonly grid: Grid;
  readonly want: Layout;
  readonly subject: Subject;
  /** Whether a layout may be offered instead. */
  readonly fits: Holds;
}

/** Completes a subject from a geometry that is itself a model of the built-in table. */
export function completeSubject(geometry: Geometry | GpuModel, subject: Subject): Subject {
  return subject.model === undefined && 'id' in geometry ? { ...subject, model: geometry } : subject;
}

/** `A100-40GB`, or `this GPU` if nothing is known. */
export function nameSubject({ gpuName, model }: Subject): string {
  return gpuName ?? model?.id.toUpperCase() ?? 'this GPU';
}

/** Every reason for which the planner refuses. */
export type RefusalCode =
  | 'InvalidProfileName'
  | 'UnknownProfile'
  | 'InvalidCount'
  | 'InvalidComputeInstance'
  | 'NotEnoughMemorySlices'
  | 'NotEnoughComputeSlices'
  | 'TooManyInstances'
  | 'NotEnoughEngines'
  | 'ExclusiveProfiles'
  | 'NoPlacement'
  | 'PlacementsUnknown'
  | 'TooManyCombinations'
  | 'OverlappingInstances'
  | 'UnknownInstance'
  | 'ForeignInstanceInTheWay'
  | 'BusyInstanceInTheWay'
  | 'NotEnoughGpus'
  | 'UnknownPreset';

/** Why a layout is not possible, for people and for programs. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One or two sentences that name the layout, what is missing with numbers, and what would fit. */
  readonly message: string;
  /** Valid layouts near the wanted one, nearest first, at most three. */
  readonly alternatives: readonly Layout[];
}

/** A refusal before alternatives have been searched. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { code, message, alternatives: [] };
}

/** What the picture needs of an instance, present or planned. */
interface DrawnInstance {
  readonly profile: string;
  readonly start: number;
  readonly busy?: boolean;
  readonly size?: number;
}

/** A part of the picture: an instance, or a free placement unit. */
interface PictureCell {
  /** The instance in the cell; undefined for a free unit. */
  readonly instance: DrawnInstance | undefined;
  /** The text of the cell, as wide as the cell. */
  readonly text: string;
}

/** Characters between the outer bars: a multiple of 2, 4 and 8 units; 12 units share it as evenly as possible. */
const usualWidth = 71;

/**
 * Draws one GPU as a line, of 73 characters unless told otherwise, by its placement units: `|1g.5gb  |1g.5gb* |2g.10gb          |3g.20gb …|`. Free units are dots,
 * a busy instance ends in `*`, an instance that does not fit its cell loses the memory in its name (`1g+me`).
 *
 * @param instances undefined for a GPU with MIG off
 * @param width characters between the outer bars
 */
export function drawGpu(
  geometry: Geometry,
  instances: readonly DrawnInstance[] | undefined,
  width: number = usualWidth,
): string {
  const cells = drawCells(geometry, instances, width);
  return `|${cells.map(({ text }) => text).join('|')}|`;
}

/**
 * The cells of the picture, to be set between bars.
 *
 * @param width characters between the outer bars
 * @param markOf what follows a name; by default `*` for busy ones
 */
export function drawCells(
  geometry: Geometry,
  instances: readonly DrawnInstance[] | undefined,
  width: number,
  markOf: (instance: DrawnInstance) => string = ({ busy }) => (busy === true ? '*' : ''),
): readonly PictureCell[] {
  const whole = (text: string): readonly PictureCell[] => [{ instance: undefined, text: center(text, width) }];
  if (instances === undefined) return whole('MIG off: whole GPU');
  const cells = listCells(geometry, instances);
  const units = cells.reduce((sum, cell) => sum + cell.size, 0);
  if (units === 0) return whole('MIG on: no instances');
  /** Bars stand at whole columns from 0 to the width of the line. */
  const column = (unit: number): number => Math.round((unit * (width + 1)) / units);
  let position = 0;
  return cells.map(({ size, instance }) => {
    const from = column(position);
    position += size;
    const room = column(position) - from - 1;
    return { instance, text: instance === undefined ? '.'.repeat(room) : fillCell(instance, markOf(instance), room) };
  });
}

interface Cell {
  readonly size: number;
  /** The instance in the cell; undefined for a free unit. */
  readonly instance: DrawnInstance | undefined;
}

function listCells(geometry: Geometry, instances: readonly DrawnInstance[]): readonly Cell[] {
  const grid = gridOf(geometry);
  const cells: Cell[] = [];
  let unit = 0;
  for (const instance of instances.toSorted((a, b) => a.start - b.start)) {
    const profile = grid.profiles[grid.indexOf.get(instance.profile) ?? -1];
    // Without a placement grid (Thor) compute slices stand in for units.
    const size = Math.max(instance.size ?? profile?.memorySlices ?? 1, profile?.computeSlices ?? 1);
    for (; unit < instance.start; unit += 1) cells.push({ size: 1, instance: undefined });
    cells.push({ size, instance });
    unit += size;
  }
  const end = grid.placeable ? geometry.memorySlices : geometry.computeSlices;
  for (; unit < end; unit += 1) cells.push({ size: 1, instance: undefined });
  return cells;
}

function fillCell({ profile }: DrawnInstance, mark: string, width: number): string {
  const room = width - mark.length;
  const short = profile.replace(/\.\d+gb/, '');
  const name = profile.length <= room ? profile : short.slice(0, room);
  return `${name}${mark}`.padEnd(width);
}

function center(text: string, width: number): string {
  return text.padStart(Math.floor((width + text.length) / 2)).padEnd(width);
}

/** The best places for instances yet to be created, as a list. */
export interface Arrangement {
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

/** Choices examined for one set of occupied units; NVIDIA's largest table takes a tenth. */
const MOST_ADDITION_WORK = 2_000_000;

/**
 * Finds the largest sets of wanted instances that fit beside others: none of them is part of another.
 *
 * @param wanted indexes of profiles; undefined for one that is never made
 * @param caps the most instances of each wanted profile
 * @returns for the units that others occupy, and how many of each profile there are: sets as counts of the wanted profiles; each is
 * searched once
 */
export function additionsOf(
  grid: Grid,
  wanted: readonly (number | undefined)[],
  caps: readonly number[],
): (occupied: number, totals: readonly number[]) => readonly (readonly number[])[] {
  const known = new Map<string, readonly (readonly number[])[]>();
  return (occupied, totals) => {
    const key = `${occupied} ${countsKey(grid, totals)}`;
    const found = known.get(key) ?? findAdditions(grid, wanted, caps, occupied, totals);
    known.set(key, found);
    return found;
  };
}

function findAdditions(
  grid: Grid,
  wanted: readonly (number | undefined)[],
  caps: readonly number[],
  occupied: number,
  totals: readonly number[],
): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const counts = grid.profiles.map(() => 0);
  const open = wanted.map((profile, index) => ({ profile, cap: caps[index] ?? 0, created: 0 }));
  const arranger = arrangerOf(grid, totals);
  const budget = new SearchBudget(MOST_ADDITION_WORK);

  function extend(from: number): void {
    const sums = totals.map((total, profile) => total + (counts[profile] ?? 0));
    let isMaximal = true;
    for (const [index, one] of open.entries()) {
      const { profile, cap, created } = one;
      if (profile === undefined || created >= cap || countAddable(grid, sums, profile) === 0) continue;
      counts[profile] = (counts[profile] ?? 0) + 1;
      if (arranger.arrange(occupied, counts, budget) !== undefined) {
        isMaximal = false;
        one.created += 1;
        if (index >= from) extend(index);
        one.created -= 1;
      }
      counts[profile] -= 1;
    }
    if (isMaximal) found.push(open.map(({ created }) => created));
  }

  extend(0);
  return found;
}

/** Where instances go beside others that stay, best for what may come later; undefined if they do not fit. @param made number of each profile */
export function placeBeside(
  grid: Grid,
  there: readonly Place[],
  made: readonly number[],
): readonly Place[] | undefined {
  const totals = [...made];
  let occupied = 0;
  for (const { profile, start } of there) {
    const index = grid.indexOf.get(profile);
    if (index === undefined) continue;
    totals[index] = (totals[index] ?? 0) + 1;
    occupied |= unitMask(start, grid.profiles[index]?.memorySlices ?? 0);
  }
  const places: Place[] = [];
  let next = arrangerOf(grid, totals).arrange(occupied, made, new SearchBudget());
  if (next === undefined) return undefined;
  for (; next !== undefined; next = next.next)
    places.push({ profile: grid.profiles[next.profile]?.name ?? '', start: next.start });
  return places.toSorted((a, b) => a.start - b.start);
}

/** Counts per profile of every layout that fits an empty GPU; computed once per geometry. @throws BudgetExceeded */
export function enumerateCounts(grid: Grid): readonly (readonly number[])[] {
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
export function canHoldOneMore(grid: Grid, counts: readonly number[], profile: number, budget: SearchBudget): boolean {
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

/** Tells which layouts are wanted: those that an empty GPU holds, or those that also fit around what exists. */
export type Holds = (counts: readonly number[]) => boolean;
