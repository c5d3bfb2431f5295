// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here whether a layout fits an empty GPU, which ones do, what a preset or an amount of memory means, and which GPU of a node gets which.
import { type Geometry, type Layout, findModel, type GpuModel } from './geometry.ts';
import { planGpu } from './plan.ts';
import {
  gridOf,
  type PlannedInstance,
  type Refusal,
  completeSubject,
  refuse,
  nameSubject,
  type Instance,
  type Subject,
  type Grid,
  SearchBudget,
  enumerateCounts,
  canHoldOneMore,
} from './grid.ts';
import { judgeLayout, searchGpu, type SearchResult } from './judge-layout.ts';
import { listBaseProfiles, resolveProfile } from './profiles.ts';
import { readInstances } from './layout.ts';
import { joinWords } from '../text/words.ts';

type FitResult =
  | {
      readonly fits: true;
      /** Places of the instances on an empty GPU; undefined if placements are unpublished (Thor). */
      readonly placements: readonly PlannedInstance[] | undefined;
    }
  | { readonly fits: false; readonly refusal: Refusal };

/**
 * Whether an empty GPU can hold a layout, and if not, why and what would fit. Models with unpublished placements are judged by their
 * counters.
 *
 * @param gpuName what a refusal calls the GPU; if it names a known model, names of other driver branches are understood
 */
export function fitLayout(geometry: Geometry, layout: Layout, gpuName?: string): FitResult {
  const subject = completeSubject(geometry, { gpuName, model: findModel(gpuName ?? '') });
  const grid = gridOf(geometry);
  if (grid.placeable) {
    const plan = planGpu(geometry, [], layout, subject);
    return plan.fits ? { fits: true, placements: plan.placements } : plan;
  }
  const judged = judgeLayout(grid, layout, subject);
  return 'code' in judged ? { fits: false, refusal: judged } : { fits: true, placements: undefined };
}

type Preset =
  | { readonly mig: 'Disabled' }
  /** An empty layout for `all-enabled`: MIG mode without instances. */
  | { readonly mig: 'Enabled'; readonly layout: Layout }
  | { readonly refusal: Refusal };

/**
 * What a preset means on a GPU, by the rules of the configuration that mig-parted generates from the hardware (v0.14):
 * `all-disabled`, `all-enabled`; `all-balanced`, two 1g, one 2g and, if the GPU has seven slices, one 3g; `all-<profile>`, as many
 * instances as fit, `+` written as `.` (`all-1g.5gb.me`) or unchanged.
 */
export function expandPreset(geometry: Geometry, preset: string, model?: GpuModel): Preset {
  if (preset === 'all-disabled') return { mig: 'Disabled' };
  if (preset === 'all-enabled') return { mig: 'Enabled', layout: {} };
  if (preset === 'all-balanced') return expandBalanced(geometry, model);
  const name = preset.startsWith('all-') ? preset.slice('all-'.length) : undefined;
  const profile =
    name === undefined
      ? undefined
      : readDotted(name)
          .map((form) => resolveProfile(geometry, form, model))
          .find(Boolean);
  if (profile === undefined) return { refusal: refuseUnknown(geometry, preset, model) };
  return { mig: 'Enabled', layout: { [profile.name]: profile.maxInstances } };
}

/** Names of all presets of a GPU, as a policy writes them. */
export function listPresets(geometry: Geometry): readonly string[] {
  const balanced = 'refusal' in expandBalanced(geometry, undefined) ? [] : ['all-balanced'];
  return ['all-disabled', 'all-enabled', ...balanced, ...geometry.profiles.map(({ name }) => `all-${name}`)];
}

/** `1g.24gb.me.all` may be `1g.24gb+me.all`: the dot that follows `gb` stands for the plus. No preset splits GPU instances. */
function readDotted(name: string): readonly string[] {
  if (/^\d+c\./.test(name)) return [];
  return [name, name.replace(/gb\./, 'gb+')];
}

function expandBalanced(geometry: Geometry, model?: GpuModel): Preset {
  const largest = Math.max(...geometry.profiles.map(({ computeSlices }) => computeSlices));
  const counts: Readonly<Record<number, number>> = largest === 7 ? { 1: 2, 2: 1, 3: 1 } : { 1: 2, 2: 1 };
  const base = listBaseProfiles(geometry).flatMap(({ name, computeSlices }) => {
    const count = counts[computeSlices];
    return count === undefined ? [] : [[name, count] as const];
  });
  const layout = Object.fromEntries(base);
  const undefinedHere = (largest !== 7 && largest !== 4) || base.length < Object.keys(counts).length;
  if (undefinedHere || !fitLayout(geometry, layout).fits) return { refusal: refuseBalanced(geometry, model) };
  return { mig: 'Enabled', layout };
}

function refuseBalanced(geometry: Geometry, model?: GpuModel): Refusal {
  const subject = nameSubject(completeSubject(geometry, { model }));
  return refuse(
    'UnknownPreset',
    `all-balanced is defined for GPUs of four and of seven slices whose plain profiles can be mixed; ${subject} is not one of them. Write the profiles instead`,
  );
}

function refuseUnknown(geometry: Geometry, preset: string, model?: GpuModel): Refusal {
  const subject = nameSubject(completeSubject(geometry, { model }));
  return refuse('UnknownPreset', `${subject} has no preset ${preset}; it has ${joinWords(listPresets(geometry))}`);
}

/** A profile by the memory that a program can use in it. */
interface MemoryFit {
  readonly profile: string;
  /** Usable, not nominal: a 1g.5gb of an A100-40GB has 4,864 MiB. */
  readonly memoryMiB: number;
  /** The most instances of the profile on one GPU. */
  readonly perGpu: number;
}

/** Profiles by memory, the smallest first, and of equal ones those of which a GPU holds most. Left out is what NVIDIA has not published. */
export function listByMemory({ profiles }: Geometry): readonly MemoryFit[] {
  return profiles
    .flatMap(({ name, memoryMiB, maxInstances }) =>
      memoryMiB === undefined ? [] : [{ profile: name, memoryMiB, perGpu: maxInstances }],
    )
    .toSorted((a, b) => a.memoryMiB - b.memoryMiB || b.perGpu - a.perGpu);
}

/**
 * Assigns each row one column so that the sum of costs is minimal, exactly (Hungarian method with potentials, cubic time).
 *
 * @param costs a square matrix of finite numbers whose sums stay below 2^53
 * @returns per row its column; the same matrix always gives the same answer
 */
export function assignRows(costs: readonly (readonly number[])[]): readonly number[] {
  const size = costs.length;
  // Row and column 0 are the method's sentinel: real ones count from 1.
  const rowPotential = Array<number>(size + 1).fill(0);
  const columnPotential = Array<number>(size + 1).fill(0);
  const rowOf = Array<number>(size + 1).fill(0);
  for (let row = 1; row <= size; row += 1) {
    rowOf[0] = row;
    const before = Array<number>(size + 1).fill(0);
    let column = 0;
    const slack = Array<number>(size + 1).fill(Infinity);
    const visited = Array<boolean>(size + 1).fill(false);
    do {
      visited[column] = true;
      const current = rowOf[column] ?? 0;
      let delta = Infinity;
      let nearest = 0;
      for (let next = 1; next <= size; next += 1) {
        if (visited[next] === true) continue;
        const reduced =
          (costs[current - 1]?.[next - 1] ?? 0) - (rowPotential[current] ?? 0) - (columnPotential[next] ?? 0);
        if (reduced < (slack[next] ?? 0)) {
          slack[next] = reduced;
          before[next] = column;
        }
        if ((slack[next] ?? 0) < delta) {
          delta = slack[next] ?? 0;
          nearest = next;
        }
      }
      for (let next = 0; next <= size; next += 1) {
        if (visited[next] === true) {
          const owner = rowOf[next] ?? 0;
          rowPotential[owner] = (rowPotential[owner] ?? 0) + delta;
          columnPotential[next] = (columnPotential[next] ?? 0) - delta;
        } else slack[next] = (slack[next] ?? 0) - delta;
      }
      column = nearest;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      const previous = before[column] ?? 0;
      rowOf[column] = rowOf[previous] ?? 0;
      column = previous;
    }
  }
  const columns = Array<number>(size).fill(0);
  for (let column = 1; column <= size; column += 1) columns[(rowOf[column] ?? 1) - 1] = column - 1;
  return columns;
}

const ORDER = [
  /** GPUs whose wish does not fit them. */
  'refused',
  /** GPUs taken from the wish that had them before. */
  'stickyBroken',
  /** GPUs that do not answer, taken by a wish with a count. */
  'lost',
  /** Busy instances (or whole GPUs in use) disrupted. */
  'busyDisturbed',
  /** GPUs whose MIG mode changes, which on Ampere resets the GPU. */
  'modeChanges',
  'destroyed',
  'created',
  'computeInstancesChanged',
] as const;

/** What the plan of a node costs, most important first. */
type NodeCost = Readonly<Record<(typeof ORDER)[number], number>>;

const NO_COST = writeCost(() => 0);

function addCosts(left: NodeCost, right: NodeCost): NodeCost {
  return writeCost((name) => left[name] + right[name]);
}

function writeCost(read: (name: keyof NodeCost) => number): NodeCost {
  return Object.fromEntries(ORDER.map((name) => [name, read(name)])) as NodeCost;
}

/**
 * Turns costs into numbers whose sums compare as the costs do, digit by digit: the worst choice of every row determines the size of
 * a digit. The last digit gives equally cheap work to the rows and columns with the lower positions. On nodes so large that the
 * number would not be exact the least important digits are dropped.
 *
 * @param table per row (GPU) and column (place) the cost of giving the one to the other
 */
function packCosts(table: readonly (readonly NodeCost[])[]): readonly (readonly number[])[] {
  const size = table.length;
  const digits: readonly Digit[] = [
    ...ORDER.map((name) => ({
      base: 1 + sum(table.map((row) => Math.max(0, ...row.map((cost) => cost[name])))),
      read: (cost: NodeCost) => cost[name],
    })),
    { base: 1 + size * size * size, read: (_cost, row, column) => (size - row) * column },
  ];
  const exact = keepExact(digits);
  return table.map((costs, row) =>
    costs.map((cost, column) => exact.reduce((number, { base, read }) => number * base + read(cost, row, column), 0)),
  );
}

interface Digit {
  /** Above any sum of the digit over all rows. */
  readonly base: number;
  readonly read: (cost: NodeCost, row: number, column: number) => number;
}

function keepExact(digits: readonly Digit[]): readonly Digit[] {
  let product = 1;
  return digits.filter(({ base }) => {
    product *= base;
    return product <= Number.MAX_SAFE_INTEGER;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** One GPU of a node. */
export interface NodeGpu extends Subject {
  /** UUID, or another name that is unique among the node's GPUs. */
  readonly key: string;
  /** Index of the GPU: of equally good GPUs those with the lower index are taken first. */
  readonly index?: number;
  /** Geometry of the GPU; undefined if it does not support MIG: it can only stay whole. */
  readonly geometry: Geometry | undefined;
  /** Instances that may not be touched count as busy, whoever owns them. */
  readonly have: readonly Instance[];
  /** Current MIG mode; absent means enabled. */
  readonly mig?: 'Enabled' | 'Disabled';
  /** True if MIG is off and a process or a pod holds the whole GPU, which enabling MIG would disrupt. */
  readonly busy?: boolean;
  /** True if the GPU does not answer: a wish with a count takes another one if it can. */
  readonly lost?: boolean;
}

/** A layout (empty: MIG mode without instances), MIG off, or something that this GPU cannot become. */
export type Want = Layout | 'Disabled' | 'Impossible';

/** What some GPUs of a node should become; the entries of a policy in their order. */
export interface NodeWish {
  /** The layout for every GPU, or by key if it depends on the GPU; GPUs that such a map omits do not match. */
  readonly want: Want | ReadonlyMap<string, Want>;
  /** The number of GPUs to take, exactly; absent: every matching GPU that no earlier wish takes. */
  readonly count?: number;
  /** Keys of the GPUs that the selectors match; absent: all. */
  readonly keys?: readonly string[];
  /** Keys of GPUs that this wish took before and keeps if it can, whatever that costs. */
  readonly sticky?: readonly string[];
}

/** What a wish makes of a GPU; undefined if the GPU does not match. */
function wantOf({ want, keys }: NodeWish, { key }: NodeGpu): Want | undefined {
  if (keys?.includes(key) === false) return undefined;
  return isByKey(want) ? want.get(key) : want;
}

function isByKey(want: NodeWish['want']): want is ReadonlyMap<string, Want> {
  return want instanceof Map;
}

/** What a GPU becomes under a wish, and what that costs. */
interface NodeOption {
  /** Index of the wish; undefined if the GPU is left alone. */
  readonly wish: number | undefined;
  /** Why the GPU cannot become what the wish says. */
  readonly refusal: Refusal | undefined;
  readonly modeChange: boolean;
  readonly cost: NodeCost;
}

/** The wishes that a GPU can follow. */
interface NodeOptions {
  /** Options by wish: wishes with a count that match, that fit, and that precede the GPU's first wish without a count. */
  readonly counted: ReadonlyMap<number, NodeOption>;
  /** The option if no wish with a count takes the GPU. */
  readonly otherwise: NodeOption;
}

/** A GPU in a place that it cannot take. */
const REFUSED_OPTION: NodeOption = {
  wish: undefined,
  refusal: undefined,
  modeChange: false,
  cost: { ...NO_COST, refused: 1 },
};

function listOptions(gpu: NodeGpu, wishes: readonly NodeWish[]): NodeOptions {
  const search = prepareSearch(gpu);
  const counted = new Map<number, NodeOption>();
  for (const [index, wish] of wishes.entries()) {
    const want = wantOf(wish, gpu);
    if (want === undefined) continue;
    const option = weighOption(gpu, index, wishes, want, search(want));
    if (wish.count === undefined) return { counted, otherwise: option };
    if (option.cost.refused === 0) counted.set(index, option);
  }
  const cost = { ...NO_COST, stickyBroken: countBroken(gpu, undefined, wishes) };
  return { counted, otherwise: { wish: undefined, refusal: undefined, modeChange: false, cost } };
}

/** Prepares the search on a GPU. It finds nothing if the GPU does not support MIG, or cannot become what is wanted. */
function prepareSearch(gpu: NodeGpu): (want: Want) => SearchResult | undefined {
  const { geometry } = gpu;
  if (geometry === undefined) return () => undefined;
  const subject = completeSubject(geometry, gpu);
  const grid = gridOf(geometry);
  const occupancy = readInstances(grid, gpu.have, subject.model);
  return (want) =>
    want === 'Impossible' ? undefined : searchGpu(grid, occupancy, want === 'Disabled' ? {} : want, subject);
}

function weighOption(
  gpu: NodeGpu,
  wish: number,
  wishes: readonly NodeWish[],
  want: Want,
  result: SearchResult | undefined,
): NodeOption {
  const lost = gpu.lost === true && wishes[wish]?.count !== undefined ? 1 : 0;
  const taken = { ...NO_COST, stickyBroken: countBroken(gpu, wish, wishes), lost };
  // A GPU without MIG is already whole.
  if (result === undefined && want === 'Disabled') return { wish, refusal: undefined, modeChange: false, cost: taken };
  const modeChange = (want === 'Disabled') !== (gpu.mig === 'Disabled');
  if (result?.fits !== true) return { wish, refusal: result?.refusal, modeChange, cost: { ...taken, refused: 1 } };
  const { cost, created } = result.found;
  return {
    wish,
    refusal: undefined,
    modeChange,
    cost: {
      ...taken,
      busyDisturbed: cost.busyDisturbed + (modeChange && gpu.busy === true ? 1 : 0),
      modeChanges: modeChange ? 1 : 0,
      destroyed: cost.destroyed,
      created,
      computeInstancesChanged: cost.computeInstancesDestroyed + cost.computeInstancesCreated,
    },
  };
}

/** 1 if another wish holds on to the GPU. */
function countBroken(gpu: NodeGpu, taker: number | undefined, wishes: readonly NodeWish[]): number {
  return wishes.some((wish, index) => index !== taker && wish.sticky?.includes(gpu.key) === true) ? 1 : 0;
}

interface AssignedGpu {
  readonly key: string;
  /** Index of the wish that the GPU goes to; undefined if it is left alone. */
  readonly wish: number | undefined;
  /** Why it cannot become what the wish says; undefined if it can, or is left alone. */
  readonly refusal: Refusal | undefined;
  /** True if MIG mode has to change. */
  readonly modeChange: boolean;
}

export interface NodePlan {
  /** True if every wish has its GPUs and every GPU can become what its wish says. */
  readonly fits: boolean;
  /** The GPUs by index, then key; empty if a wish cannot have its GPUs. */
  readonly gpus: readonly AssignedGpu[];
  /** Wishes that request more GPUs than are available. */
  readonly refusals: readonly { readonly wish: number; readonly refusal: Refusal }[];
  readonly cost: NodeCost;
}

/**
 * Assigns the GPUs of a node to wishes, exactly: of all assignments that give every wish its count, the one that is cheapest for the
 * node as a whole (see {@link NodeCost} for the order). Per GPU the first wish that matches decides, as in a policy; a wish whose
 * count is reached leaves the GPU to the next.
 */
export function planNode(gpus: readonly NodeGpu[], wishes: readonly NodeWish[]): NodePlan {
  const sorted = gpus.toSorted(byIndexThenKey);
  const optionsOf = sorted.map((gpu) => listOptions(gpu, wishes));
  const slots = wishes.flatMap(({ count }, wish) => (count === undefined ? [] : Array<number>(count).fill(wish)));
  const refusals = listShortages(wishes, optionsOf, slots.length);
  if (refusals.length > 0) return { fits: false, gpus: [], refusals, cost: NO_COST };
  // A column is a place in a counted wish or, beyond these, whatever the GPU becomes if no counted wish takes it.
  const table = optionsOf.map(({ counted, otherwise }) =>
    sorted.map((_, column) => {
      const wish = slots[column];
      return wish === undefined ? otherwise : (counted.get(wish) ?? REFUSED_OPTION);
    }),
  );
  const picked = pickOptions(table, slots.length);
  const contested = listContested(wishes, slots, picked);
  if (contested.length > 0) return { fits: false, gpus: [], refusals: contested, cost: NO_COST };
  return {
    fits: picked.every(({ option }) => option.cost.refused === 0),
    gpus: picked.map(({ option: { wish, refusal, modeChange } }, index) => {
      return { key: sorted[index]?.key ?? '', wish, refusal, modeChange };
    }),
    refusals: [],
    cost: picked.reduce((sum, { option }) => addCosts(sum, option.cost), NO_COST),
  };
}

interface Picked {
  readonly option: NodeOption;
  readonly column: number;
}

function pickOptions(table: readonly (readonly NodeOption[])[], slots: number): readonly Picked[] {
  // Without counted wishes, as in most policies, there is no choice.
  const columns =
    slots === 0 ? table.map((_, row) => row) : assignRows(packCosts(table.map((row) => row.map(({ cost }) => cost))));
  return table.map((row, index) => {
    const column = columns[index] ?? 0;
    return { option: row[column] ?? REFUSED_OPTION, column };
  });
}

function listShortages(
  wishes: readonly NodeWish[],
  options: readonly NodeOptions[],
  slots: number,
): NodePlan['refusals'] {
  const short = wishes.flatMap((wish, index) => {
    const available = options.filter(({ counted }) => counted.has(index)).length;
    const needed = wish.count ?? 0;
    return needed > available ? [{ wish: index, refusal: refuseCount(needed, available) }] : [];
  });
  if (short.length > 0 || slots <= options.length) return short;
  const last = wishes.findLastIndex(({ count }) => count !== undefined);
  return [{ wish: last, refusal: refuseTotal(slots, options.length) }];
}

/** Wishes that could each have their GPUs alone, but not all together. */
function listContested(
  wishes: readonly NodeWish[],
  slots: readonly number[],
  picked: readonly Picked[],
): NodePlan['refusals'] {
  return wishes.flatMap((wish, index) => {
    const needed = wish.count ?? 0;
    const available = picked.filter(
      ({ option, column }) => slots[column] === index && option !== REFUSED_OPTION,
    ).length;
    return available < needed ? [{ wish: index, refusal: refuseCount(needed, available) }] : [];
  });
}

function refuseCount(needed: number, available: number): Refusal {
  const [match, are] = available === 1 ? ['matches', 'is'] : ['match', 'are'];
  return refuse(
    'NotEnoughGpus',
    `count asks for exactly ${needed} of the GPUs that match; ${available} of this node ${match}, can hold the layout and ${are} not needed by another entry`,
  );
}

function refuseTotal(needed: number, available: number): Refusal {
  return refuse(
    'NotEnoughGpus',
    `the entries with a count ask for exactly ${needed} GPUs in all; the node has ${available}`,
  );
}

function byIndexThenKey(left: NodeGpu, right: NodeGpu): number {
  const difference = (left.index ?? 0) - (right.index ?? 0);
  if (difference !== 0) return difference;
  return left.key < right.key ? -1 : Number(left.key > right.key);
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
