import { readLayout, type GridLayout, type Occupancy, type OccupyingInstance, type InstanceGroup } from './layout.ts';
import { joinWords } from '../text/words.ts';
import {
  writeLayout,
  ENGINE_KINDS,
  type Engines,
  type Layout,
  type GpuModel,
  type Geometry,
  type Profile,
  MODELS,
} from './geometry.ts';
import {
  arrangerOf,
  type Holds,
  type Grid,
  type RefusalCode,
  refuse,
  type Refusal,
  nameSubject,
  type Question,
  type Subject,
  withinBudget,
  SearchBudget,
  type Arrangement,
  enumerateCounts,
} from './grid.ts';
import { isProfileNameError, parseProfile, type ParsedProfile, listBaseProfiles } from './profiles.ts';

/** A counter that a layout exceeds. */
interface Shortage {
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

/** A layout with names that the GPU does not have. */
interface Translation {
  /** Well-formed names that the GPU does not have, with what each probably means. */
  readonly unknown: readonly { readonly name: string; readonly nearest: NearestProfile | undefined }[];
  /** The entries that can be read, and the unknown ones under the name of the nearest profile of this GPU. */
  readonly layout: Layout;
}

function translateNames({ grid, want, subject }: Question, budget: SearchBudget): Translation {
  const layout: Record<string, number> = {};
  const unknown: Translation['unknown'][number][] = [];
  const add = (name: string, count: number): void => void (layout[name] = (layout[name] ?? 0) + count);
  for (const [name, count] of Object.entries(want)) {
    const read = readLayout(grid, { [name]: count }, subject.model, budget);
    if (!('code' in read)) add(name, count);
    else if (read.code === 'UnknownProfile') {
      const parsed = parseProfile(name);
      const nearest = isProfileNameError(parsed) ? undefined : findNearestProfile(grid.geometry, parsed, subject.model);
      unknown.push({ name, nearest });
      if (nearest !== undefined) add(nearest.profile.name, count);
    }
  }
  return { unknown, layout };
}

/**
 * Writes counts of GPU instances as a layout in the terms of the wanted one: if all GPU instances of a profile are included, the
 * compute instances requested on them are named, else just the GPU instances.
 */
function writeCounts(
  { grid, want, subject }: Question,
  totals: readonly number[],
  counts: readonly number[],
  budget: SearchBudget,
): Layout {
  const names = Object.keys(want).map((name) => {
    const read = readLayout(grid, { [name]: 1 }, subject.model, budget);
    return { name, profile: 'code' in read ? undefined : read.totals.findIndex((total) => total > 0) };
  });
  const layout: Record<string, number> = {};
  grid.profiles.forEach(({ name }, profile) => {
    const count = counts[profile] ?? 0;
    const requested = names.filter((entry) => entry.profile === profile);
    if (count === 0) return;
    if (requested.length === 0 || count !== totals[profile]) layout[name] = count;
    else for (const entry of requested) layout[entry.name] = want[entry.name] ?? 0;
  });
  return layout;
}

/** What a name that a GPU does not have probably means there. */
interface NearestProfile {
  readonly profile: Profile;
  /** True if it is the same slice under another name: the `1g.5gb` of a 40 GB board is the `1g.10gb` of an 80 GB board. */
  readonly same: boolean;
}

/**
 * Finds the same slice under the name of this model if there is one, else the profile that is nearest in slices, then in memory.
 *
 * @returns undefined only if the geometry has no profiles
 */
function findNearestProfile(
  geometry: Geometry,
  parsed: ParsedProfile,
  model: GpuModel | undefined,
): NearestProfile | undefined {
  const twin = findTwin(geometry, parsed.instanceProfile, model);
  if (twin !== undefined) return { profile: twin, same: true };
  const nearest = geometry.profiles.toSorted((a, b) => measure(a, parsed) - measure(b, parsed))[0];
  return nearest && { profile: nearest, same: false };
}

/** The profile with the id that the name has on another model of the same grid; the model itself excluded. */
function findTwin(geometry: Geometry, name: string, model: GpuModel | undefined): Profile | undefined {
  const ids = MODELS.filter(
    (other) =>
      other.id !== model?.id &&
      other.memorySlices === geometry.memorySlices &&
      other.computeSlices === geometry.computeSlices,
  ).map((other) => other.profiles.find((profile) => profile.name === name)?.id);
  const known = new Set(ids.filter((id) => id !== undefined));
  return known.size === 1
    ? geometry.profiles.find((profile) => profile.id !== undefined && known.has(profile.id))
    : undefined;
}

function measure(profile: Profile, parsed: ParsedProfile): number {
  const gb = Number(/(\d+)gb/.exec(profile.name)?.[1] ?? 0);
  const attributes = profile.name.replace(/^.*gb/, '') === parsed.instanceProfile.replace(/^.*gb/, '') ? 0 : 1;
  return Math.abs(profile.computeSlices - parsed.gpuSlices) * 1000 + Math.abs(gb - parsed.gb) * 2 + attributes;
}

/** A layout that names what the GPU does not have: tells what exists, and what the unknown name probably means. */
function explainUnreadable(question: Question, refusal: Refusal): Refusal {
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
function explainShortage(question: Question, { code, why }: Shortage): Refusal {
  return offerNearest(question, code, `${nameQuestion(question)}: ${why}`);
}

/** A layout that an empty GPU could hold, but not around what exists and must stay, or whose starts do not combine. */
function explainBlocked(question: Question, occupancy: Occupancy): Refusal {
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

/** What a plan costs, most important first; the number of instances created follows from that of those destroyed. */
interface PlanCost {
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
function searchPlan(grid: Grid, occupancy: Occupancy, gridLayout: GridLayout, budget: SearchBudget): Found | undefined {
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

/** Wants every layout that an empty GPU holds. */
const isAnything: Holds = () => true;

/**
 * Valid layouts near the wanted one, nearest first, at most three. Near means: instances keep their profile, or change it for one of
 * nearly the same size, and few are lost or added.
 */
function listNearest(grid: Grid, totals: readonly number[], fits: Holds): readonly (readonly number[])[] {
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
