// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here for the pods that come to a simulation, in seconds from its start.
import { compareText } from '../../text/json.ts';
import { countPresent, type Geometry } from '../../gpu/geometry.ts';
import { listBaseProfiles, isProfileNameError, parseProfile, resolveProfile, WHOLE } from '../../gpu/profiles.ts';
import type { ClusterFacts, GpuNode } from '../../cluster/facts.ts';
import { countWaiting } from '../../demand/recommend.ts';
import type { StartNode } from './fleet.ts';

/** A pod that asks for one slice. */
export interface Arrival {
  /** Seconds from the start of the simulation. */
  readonly start: number;
  /** Seconds that it runs, once it has its slice. */
  readonly duration: number;
  readonly profile: string;
  /** The pod's priority; 0 if absent. */
  readonly priority?: number;
}

export const DAY = 86_400;

function byStart(a: Arrival, b: Arrival): number {
  return a.start - b.start || a.duration - b.duration;
}

/** Seeded random numbers (mulberry32): the same seed gives the same story on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Draws a number from 0 to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Draws an integer from 0 to `below`, exclusive. */
  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.integer(items.length)];
  }
}

/** What pods use and wait for at one moment, by profile. */
interface DemandNow {
  readonly profile: string;
  readonly inUse: number;
  readonly waiting: number;
}

/** Pods that run when a simulation starts, and those that come later, ordered by their start. */
export interface Load {
  readonly running: readonly Arrival[];
  readonly arrivals: readonly Arrival[];
}

interface Time {
  readonly days: number;
  readonly seed: number;
}

/** Pods like those that use and wait for slices of a snapshot; undefined if there are none. @param nodes as they are simulated */
export function loadByDemand(
  { pods = [] }: Pick<ClusterFacts, 'pods'>,
  gpuNodes: readonly GpuNode[],
  nodes: readonly StartNode[],
  time: Time & { readonly meanSeconds: number },
): Load | undefined {
  const waiting = countWaiting(pods, gpuNodes);
  const instances = nodes.flatMap(({ gpus }) => gpus.flatMap((gpu) => gpu.instances));
  const inUse = countPresent(instances.filter(({ busy }) => busy));
  const profiles = [...new Set([...inUse.keys(), ...waiting.keys()])];
  if (profiles.length === 0) return undefined;
  const demand = profiles.map((profile) => ({
    profile,
    inUse: inUse.get(profile) ?? 0,
    waiting: waiting.get(profile) ?? 0,
  }));
  return arriveByDemand(demand, time);
}

/**
 * Pods that come at random so that as many run on average as ask for slices now, each for an exponential time: what already runs has
 * as long to go as what comes.
 */
function arriveByDemand(
  demand: readonly DemandNow[],
  { meanSeconds, days, seed }: Time & { readonly meanSeconds: number },
): Load {
  const random = new Random(seed);
  const draw = (mean: number): number => -Math.log(1 - random.next()) * mean;
  const duration = (): number => Math.max(1, Math.round(draw(meanSeconds)));
  const sorted = demand.toSorted((a, b) => compareText(a.profile, b.profile));
  const running = sorted.flatMap(({ profile, inUse }) =>
    Array.from({ length: inUse }, () => ({ start: 0, duration: duration(), profile })),
  );
  const arrivals = sorted.flatMap(({ profile, inUse, waiting }) => {
    const found: Arrival[] = Array.from({ length: waiting }, () => ({ start: 0, duration: duration(), profile }));
    if (inUse + waiting === 0) return found;
    const gap = meanSeconds / (inUse + waiting);
    for (let start = draw(gap); start < days * DAY; start += draw(gap))
      found.push({ start: Math.round(start), duration: duration(), profile });
    return found;
  });
  return { running, arrivals: arrivals.toSorted(byStart) };
}

/** A recorded task that asked for a part of a GPU, or for a profile. */
export interface TraceTask {
  /** Seconds from the start of the trace. */
  readonly arrival: number;
  readonly duration: number;
  /** A profile's name, or thousandths of a GPU. */
  readonly asked: string | number;
}

/**
 * How a share of a recorded GPU becomes a profile. `memory`: the smallest slice with the memory of the share, of a card with so many
 * GB; `share`: the smallest one that is the same share of a GPU.
 */
type TraceMapping = { readonly by: 'share' } | { readonly by: 'memory'; readonly cardGb: number };

/** A task of a profile that no GPU has. */
interface UnknownTask<Task> {
  readonly task: Task;
  /** The profiles that GPUs have. */
  readonly known: readonly string[];
}

/**
 * Recorded pods; those of the snapshot do not count. Without any if the profile of one of them is not known.
 *
 * @param trace its tasks, from the first on, and its length, of which days that have begun count
 * @param load the share of all slices that is to be asked for by copies of the trace; undefined: the trace as it is
 */
export function loadByTrace<Task extends TraceTask>(
  trace: { readonly tasks: readonly Task[]; readonly seconds: number },
  nodes: readonly StartNode[],
  { days, seed, mapping, load }: Time & { readonly mapping: TraceMapping; readonly load: number | undefined },
): Load & { readonly unknown?: UnknownTask<Task> } {
  const traceDays = Math.max(1, Math.ceil(trace.seconds / DAY));
  const sizes = sizesOf({ nodes });
  const gpus = nodes.flatMap((node) => node.gpus);
  const geometries = [...new Set(gpus.map(({ geometry }) => geometry))].filter(({ profiles }) => profiles.length > 0);
  const count = (geometry: Geometry): number => gpus.filter((gpu) => gpu.geometry === geometry).length;
  const [most] = geometries.toSorted((a, b) => count(b) - count(a));
  const named = new Map(
    [...new Set(trace.tasks.map(({ asked }) => asked))].map((asked) => [
      asked,
      findProfile(asked, most, geometries, mapping),
    ]),
  );
  const arrivals: Arrival[] = [];
  for (const task of trace.tasks) {
    const profile = named.get(task.asked);
    if (profile === undefined) {
      const known = new Set(geometries.flatMap(({ profiles }) => profiles.map(({ name }) => name)));
      return { running: [], arrivals: [], unknown: { task, known: [...known, WHOLE] } };
    }
    arrivals.push({ start: task.arrival, duration: task.duration, profile });
  }
  const slices = gpus.reduce((sum, { geometry, isFixed }) => sum + (isFixed ? 0 : geometry.memorySlices), 0);
  const sizeOf = (profile: string): number => sizes.get(profile) ?? 0;
  const once =
    load === undefined ? arrivals : superpose(arrivals, { slices: load * slices, sizeOf, days: traceDays, seed });
  return { running: [], arrivals: fillDays(once, traceDays, days) };
}

function findProfile(
  asked: string | number,
  most: Geometry | undefined,
  geometries: readonly Geometry[],
  mapping: TraceMapping,
): string | undefined {
  if (asked === WHOLE) return WHOLE;
  if (typeof asked === 'number') return most && (profileFor(most, asked, mapping) ?? '');
  for (const geometry of geometries) {
    const found = resolveProfile(geometry, asked);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** The profile that serves a share of a GPU on GPUs of one kind. The largest profile serves what is larger. */
export function profileFor(geometry: Geometry, milli: number, mapping: TraceMapping): string | undefined {
  // Of equally large ones that with the fewest compute slices but for the double-memory ones, which no share of compute needs.
  const sizes = listBaseProfiles(geometry)
    .toSorted((a, b) => a.memorySlices - b.memorySlices || a.computeSlices - b.computeSlices)
    .filter(({ memorySlices }, index, all) => memorySlices !== all[index - 1]?.memorySlices);
  const largest = sizes.at(-1);
  if (largest === undefined) return undefined;
  const parsed = parseProfile(largest.name);
  const gbPerSlice = isProfileNameError(parsed) ? 0 : parsed.gb / largest.memorySlices;
  const wanted =
    mapping.by === 'share' ? (milli / 1000) * geometry.memorySlices : ((milli / 1000) * mapping.cardGb) / gbPerSlice;
  return (sizes.find(({ memorySlices }) => memorySlices >= wanted) ?? largest).name;
}

/** Memory slices of all profiles, the smallest first, and of whole GPUs. */
export function sizesOf({ nodes }: { readonly nodes: readonly StartNode[] }): ReadonlyMap<string, number> {
  const geometries = new Set(nodes.flatMap(({ gpus }) => gpus.map(({ geometry }) => geometry)));
  const sizes = new Map<string, number>();
  for (const { profiles } of geometries)
    for (const { name, memorySlices } of profiles) sizes.set(name, Math.min(memorySlices, sizes.get(name) ?? Infinity));
  const whole = Math.min(...[...geometries].flatMap(({ memorySlices }) => (memorySlices > 0 ? [memorySlices] : [])));
  sizes.set(WHOLE, Number.isFinite(whole) ? whole : 1);
  return new Map([...sizes].toSorted(([, a], [, b]) => a - b));
}

interface Superposition {
  /** Mean memory slices in use if every request were served. */
  readonly slices: number;
  /** Memory slices of a profile. */
  readonly sizeOf: (profile: string) => number;
  /** Length of the trace in days. */
  readonly days: number;
  readonly seed: number;
}

/**
 * Copies of a trace, each shifted by whole days and up to an hour, until the wanted load is reached; the last one is thinned. All start
 * within the length of the trace.
 */
export function superpose(
  arrivals: readonly Arrival[],
  { slices, sizeOf, days, seed }: Superposition,
): readonly Arrival[] {
  const random = new Random(seed);
  const length = days * DAY;
  const each = arrivals.reduce((sum, one) => sum + one.duration * sizeOf(one.profile), 0) / length;
  if (each === 0) return [];
  const copies = slices / each;
  const all: Arrival[] = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const shift = random.integer(days) * DAY + random.integer(3600);
    const share = Math.min(1, copies - copy);
    for (const one of arrivals) {
      if (random.chance(share)) all.push({ ...one, start: (one.start + shift) % length });
    }
  }
  return all.toSorted(byStart);
}

/** The last days of a trace; a shorter one is repeated until they are full. */
function fillDays(arrivals: readonly Arrival[], traceDays: number, days: number): readonly Arrival[] {
  const skipped = Math.max(0, traceDays - days) * DAY;
  const filled: Arrival[] = [];
  for (let from = 0; from < days; from += traceDays)
    for (const one of arrivals) {
      const start = one.start - skipped + from * DAY;
      if (start >= 0 && start < days * DAY) filled.push({ ...one, start });
    }
  return filled.toSorted(byStart);
}

/** Items by the time at which they end: a binary heap. */
export class EndQueue<Item extends { readonly end: number }> {
  readonly #heap: Item[] = [];

  /** The next one that ends. */
  peek(): Item | undefined {
    return this.#heap[0];
  }

  add(item: Item): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.end <= item.end) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }

  /** Takes out the next one that ends by a time. */
  takeUntil(time: number): Item | undefined {
    const heap = this.#heap;
    const [first] = heap;
    if (first === undefined || first.end > time) return undefined;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const next = b !== undefined && b.end < a.end ? left + 1 : left;
      const child = heap[next];
      if (child === undefined || child.end >= last.end) break;
      heap[at] = child;
      at = next;
    }
    heap[at] = last;
    return first;
  }
}
