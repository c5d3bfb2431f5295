// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for a layout in words, and the profiles that it needs.
import {
  SearchBudget,
  type Grid,
  refuse,
  type Refusal,
  type Question,
  type RefusalCode,
  nameSubject,
  withinBudget,
  MOST_UNITS,
  unitMask,
  type Instance,
} from './grid.ts';
import { type Layout, type GpuModel, type Geometry, type Profile, MODELS } from './geometry.ts';
import {
  resolveProfile,
  computeInstanceSlices,
  isProfileNameError,
  parseProfile,
  type ParsedProfile,
} from './profiles.ts';
import { compareText } from '../text/json.ts';
import type { Shortage } from './judge-layout.ts';
import { listNearest } from './search.ts';

/** The fewest GPU instances for some compute instances, and every way to fill them. */
interface Packings {
  /** GPU instances needed; if that is more than the limit, a lower bound. */
  readonly bins: number;
  /** The ways, each with the slices of its compute instances per GPU instance, largest first, fullest instance first. */
  readonly ways: readonly (readonly (readonly number[])[])[];
}

/**
 * Distributes compute instances over the fewest GPU instances of one profile, exactly: a GPU instance of `capacity` slices holds any
 * compute instances whose slices add up to no more.
 *
 * @param sizes slices of each compute instance, none above `capacity`
 * @param limit most GPU instances of the profile; beyond it only the bound is computed, since the layout cannot fit anyway
 * @throws BudgetExceeded
 */
export function packComputeInstances(
  sizes: readonly number[],
  capacity: number,
  limit: number,
  budget: SearchBudget,
): Packings {
  const sorted = sizes.toSorted((a, b) => b - a);
  const least = Math.ceil(sorted.reduce((sum, size) => sum + size, 0) / capacity);
  for (let bins = least; bins <= limit; bins += 1) {
    const ways = fill(sorted, bins, capacity, budget);
    if (ways.length > 0) return { bins, ways };
  }
  return { bins: Math.max(least, limit + 1), ways: [] };
}

function fill(
  sizes: readonly number[],
  bins: number,
  capacity: number,
  budget: SearchBudget,
): readonly (readonly (readonly number[])[])[] {
  const found = new Map<string, readonly (readonly number[])[]>();
  const open: number[][] = Array.from({ length: bins }, () => []);
  const room = Array.from({ length: bins }, () => capacity);

  function put(index: number): void {
    const size = sizes[index];
    if (size === undefined) {
      const way = open.map((bin) => [...bin]).toSorted(compareBins);
      found.set(way.join('|'), way);
      return;
    }
    const tried = new Set<string>();
    open.forEach((bin, position) => {
      budget.spend();
      // Two bins with the same content are the same choice.
      if ((room[position] ?? 0) < size || tried.has(bin.join())) return;
      tried.add(bin.join());
      bin.push(size);
      room[position] = (room[position] ?? 0) - size;
      put(index + 1);
      bin.pop();
      room[position] = (room[position] ?? 0) + size;
    });
  }

  put(0);
  return [...found.values()].toSorted((a, b) => compareBins(a.flat(), b.flat()));
}

/** Larger content first, so that of several ways the one with the fullest instances comes first. */
function compareBins(left: readonly number[], right: readonly number[]): number {
  const fullness = right.reduce((sum, size) => sum + size, 0) - left.reduce((sum, size) => sum + size, 0);
  if (fullness !== 0) return fullness;
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** GPU instances of one profile with the same compute instances. */
export interface InstanceGroup {
  readonly profile: number;
  readonly count: number;
  /** Slices of each compute instance, largest first; `[all slices]` for one over the whole. */
  readonly computeSlices: readonly number[];
}

/** A layout in the terms of a grid. */
export interface GridLayout {
  /** GPU instances per profile index. */
  readonly totals: readonly number[];
  /** Ways to distribute the wanted compute instances over the fewest GPU instances; one way if none is split. */
  readonly ways: readonly (readonly InstanceGroup[])[];
}

/** Sizes of compute instances that a GPU instance of so many slices can have (NVIDIA MIG User Guide, `nvidia-smi mig -lcip`). */
const COMPUTE_SIZES: Readonly<Record<number, readonly number[]>> = {
  1: [1],
  2: [1, 2],
  3: [1, 2, 3],
  4: [1, 2, 4],
  7: [1, 2, 3, 4, 7],
};

/** The count of a profile beyond which a layout is refused before anything is computed; no GPU holds as many. */
const MOST_INSTANCES = 1000;

/**
 * Reads a layout: names to profiles, compute instances to the fewest GPU instances that hold them. Whether it fits is not checked.
 *
 * @returns a refusal for a name that is malformed or not in the geometry, or a count that is not a positive integer
 * @throws BudgetExceeded
 */
export function readLayout(
  grid: Grid,
  layout: Layout,
  model: GpuModel | undefined,
  budget: SearchBudget,
): GridLayout | Refusal {
  const whole = grid.profiles.map(() => 0);
  const split = new Map<number, number[]>();
  for (const [name, count] of Object.entries(layout)) {
    if (!Number.isInteger(count) || count < 1 || count > MOST_INSTANCES)
      return refuse(
        'InvalidCount',
        `${name}: ${String(count)} is not a number of instances; use a whole number from 1`,
      );
    const direct = grid.indexOf.get(name);
    if (direct !== undefined) {
      whole[direct] = (whole[direct] ?? 0) + count;
      continue;
    }
    const found = readName(grid, name, model);
    if ('code' in found) return found;
    if (found.slices === undefined) whole[found.profile] = (whole[found.profile] ?? 0) + count;
    else split.set(found.profile, [...(split.get(found.profile) ?? []), ...Array<number>(count).fill(found.slices)]);
  }
  return spread(grid, whole, split, budget);
}

function readName(grid: Grid, name: string, model?: GpuModel): { profile: number; slices?: number } | Refusal {
  const parsed = parseProfile(name);
  if (isProfileNameError(parsed)) return refuse('InvalidProfileName', parsed.message);
  const resolved = resolveProfile(grid.geometry, parsed.instanceProfile, model);
  const profile = resolved === undefined ? undefined : grid.indexOf.get(resolved.name);
  if (resolved === undefined || profile === undefined)
    return refuse('UnknownProfile', `this GPU has no profile ${parsed.instanceProfile}`);
  const slices = parsed.computeInstanceSlices;
  if (slices === undefined) return { profile };
  const sizes = COMPUTE_SIZES[resolved.computeSlices];
  if (sizes !== undefined && !sizes.includes(slices))
    return refuse(
      'InvalidComputeInstance',
      `${name}: a ${resolved.name} holds compute instances of ${sizes.join(', ')} slices, not of ${slices}`,
    );
  return { profile, slices };
}

function spread(
  grid: Grid,
  whole: readonly number[],
  split: ReadonlyMap<number, readonly number[]>,
  budget: SearchBudget,
): GridLayout {
  const totals = [...whole];
  const plain = whole.flatMap((count, profile) =>
    count === 0 ? [] : [{ profile, count, computeSlices: [computeSlicesOf(grid, profile)] }],
  );
  let ways: readonly (readonly InstanceGroup[])[] = [plain];
  for (const [profile, sizes] of [...split].toSorted(([a], [b]) => a - b)) {
    const packings = packComputeInstances(
      sizes,
      computeSlicesOf(grid, profile),
      grid.profiles[profile]?.maxInstances ?? 0,
      budget,
    );
    totals[profile] = (totals[profile] ?? 0) + packings.bins;
    ways = ways.flatMap((way) =>
      packings.ways.map((bins) => {
        budget.spend();
        return [...way, ...countEqual(profile, bins)];
      }),
    );
  }
  return { totals, ways };
}

function countEqual(profile: number, bins: readonly (readonly number[])[]): readonly InstanceGroup[] {
  const kinds = new Map<string, InstanceGroup>();
  for (const bin of bins) {
    const known = kinds.get(bin.join());
    kinds.set(bin.join(), { profile, count: (known?.count ?? 0) + 1, computeSlices: bin });
  }
  return [...kinds.values()];
}

function computeSlicesOf(grid: Grid, profile: number): number {
  return grid.profiles[profile]?.computeSlices ?? 0;
}

/** Slices of the compute instances on an instance, largest first; see Instance.computeInstances for what absence means. */
function readComputeInstances(names: readonly string[] | undefined, gpuSlices: number): readonly number[] {
  if (names === undefined) return [gpuSlices];
  return names.map((name) => computeInstanceSlices(name, gpuSlices)).toSorted((a, b) => b - a);
}

/** A layout for people, small profiles first: `1×1g.5gb + 2×3g.20gb`, or `no instances`. */
export function writeLayout(layout: Layout): string {
  const parts = listProfiles(layout).map(([profile, count]) => `${count}×${profile}`);
  return parts.length === 0 ? 'no instances' : parts.join(' + ');
}

/** Profiles with their counts, by compute slices, then memory, then name: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb. */
export function listProfiles(layout: Layout): readonly (readonly [profile: string, count: number])[] {
  return Object.entries(layout).sort(([a], [b]) => compareProfiles(a, b));
}

function compareProfiles(a: string, b: string): number {
  const slices = (name: string) => Number(/(\d)g\./.exec(name)?.[1] ?? 0);
  const memory = (name: string) => Number(/\.(\d+)gb/.exec(name)?.[1] ?? 0);
  return slices(a) - slices(b) || memory(a) - memory(b) || compareText(a, b);
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
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
export function explainUnreadable(question: Question, refusal: Refusal): Refusal {
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
export function explainShortage(question: Question, { code, why }: Shortage): Refusal {
  return offerNearest(question, code, `${nameQuestion(question)}: ${why}`);
}

/** A layout that an empty GPU could hold, but not around what exists and must stay, or whose starts do not combine. */
export function explainBlocked(question: Question, occupancy: Occupancy): Refusal {
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

/** An instance on the GPU, in the terms of a grid. */
export interface OccupyingInstance {
  readonly instance: Instance;
  readonly profile: number;
  readonly mask: number;
  readonly computeSlices: readonly number[];
  /** True if the instance may neither be destroyed nor lose a compute instance. */
  readonly isFixed: boolean;
}

/** The instances on a GPU now. */
export interface Occupancy {
  /** Instances of known profiles, by ascending start. */
  readonly known: readonly OccupyingInstance[];
  /** Instances of known size whose profiles the geometry does not have: planned around, never touched. */
  readonly foreign: readonly Instance[];
  readonly foreignMask: number;
}

/**
 * Reads what is on a GPU. A known profile at a start that the table does not list is accepted, since the device shows it.
 *
 * @param mayDisturb whether an instance may be destroyed or lose a compute instance
 * @returns a refusal if two instances overlap, or one has a profile that the geometry does not know and no size
 */
export function readInstances(
  grid: Grid,
  have: readonly Instance[],
  model?: GpuModel,
  mayDisturb: (instance: Instance) => boolean = () => true,
): Occupancy | Refusal {
  const known: OccupyingInstance[] = [];
  const foreign: Instance[] = [];
  let foreignMask = 0;
  let taken = 0;
  for (const instance of have.toSorted(comparePlaces)) {
    const profile = findProfile(grid, instance.profile, model);
    const size = profile === undefined ? instance.size : grid.profiles[profile]?.memorySlices;
    if (size === undefined || !isPlace(instance.start, size)) return refuseUnknown(instance);
    const mask = unitMask(instance.start, size);
    if ((taken & mask) !== 0) return refuseOverlap(have, instance);
    taken |= mask;
    if (profile === undefined) {
      foreign.push(instance);
      foreignMask |= mask;
    } else {
      const slices = grid.profiles[profile]?.computeSlices ?? 0;
      const computeSlices = readComputeInstances(instance.computeInstances, slices);
      known.push({ instance, profile, mask, computeSlices, isFixed: !mayDisturb(instance) });
    }
  }
  return { known, foreign, foreignMask };
}

function comparePlaces(left: Instance, right: Instance): number {
  return left.start - right.start || (left.profile < right.profile ? -1 : 1);
}

function findProfile(grid: Grid, name: string, model?: GpuModel): number | undefined {
  const direct = grid.indexOf.get(name);
  if (direct !== undefined || model === undefined) return direct;
  const resolved = resolveProfile(grid.geometry, name, model);
  return resolved && grid.indexOf.get(resolved.name);
}

function isPlace(start: number, size: number): boolean {
  return Number.isInteger(start) && Number.isInteger(size) && start >= 0 && size >= 0 && start + size <= MOST_UNITS;
}

function refuseUnknown({ profile, start }: Instance): Refusal {
  return refuse(
    'UnknownInstance',
    `the GPU holds an instance of profile ${profile} at ${start}, which its profile table does not know and whose size is unknown; ` +
      'read the profile table from the driver again, or destroy the instance manually',
  );
}

function refuseOverlap(have: readonly Instance[], instance: Instance): Refusal {
  const all = have.map(({ profile, start }) => `${profile} at ${start}`).toSorted();
  return refuse(
    'OverlappingInstances',
    `the instances reported on the GPU overlap at ${instance.profile}, start ${instance.start} (${all.join(', ')}); read the GPU again`,
  );
}
