// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the classes of equal GPUs in a pool, what each can become, and the levels of those for whom others go.
import type { Geometry } from '../../gpu/geometry.ts';
import { planGpu } from '../../gpu/plan.ts';
import { additionsOf, gridOf, unitMask, type Grid } from '../../gpu/grid.ts';
import { compareText } from '../../text/json.ts';
import {
  type PoolGpu,
  type PoolInstance,
  type ColumnGroup,
  compareCosts,
  type DemandTable,
  RankLevels,
  readDemand,
  type DemandSlice,
  type EvictionRule,
  NOBODY,
} from './pool.ts';
import { WHOLE } from '../../gpu/profiles.ts';

/** What a GPU can become. */
type Column = ColumnGroup['columns'][number];

/** An instance in the terms of a grid and of a demand. */
interface Known {
  /** Bit of the instance in masks over the instances of its class. */
  readonly bit: number;
  /** Index of its profile in the grid; undefined if it is the whole GPU. */
  readonly profile: number | undefined;
  /** Index of a wanted profile; -1 if it is not wanted. */
  readonly wantedAs: number;
  /** Bit mask of the units of the GPU that it occupies. */
  readonly mask: number;
  readonly busy: boolean;
  /** Weight of its eviction; 0 if it is idle. */
  readonly evictions: number;
  /** Level of ranks at which its eviction counts. */
  readonly level: number;
  readonly minutesRun: number;
  readonly mayGo: boolean;
}

/** Lists what GPUs can become, for one demand. */
export class ColumnLister {
  readonly #profiles: readonly string[];
  readonly #caps: readonly number[];
  readonly #uses: DemandTable['uses'];
  readonly #levels: RankLevels;
  readonly #tallies: DemandTable['tallies'];
  readonly #evict: EvictionRule;
  /** Many GPUs ask for the same. */
  readonly #additions = new Map<Grid, ReturnType<typeof additionsOf>>();

  constructor(
    { profiles, caps, uses, levels, tallies }: Pick<DemandTable, 'profiles' | 'caps' | 'uses' | 'levels' | 'tallies'>,
    evict: EvictionRule,
  ) {
    this.#profiles = profiles;
    this.#caps = caps;
    this.#uses = uses;
    this.#levels = levels;
    this.#tallies = tallies;
    this.#evict = evict;
  }

  /**
   * Every column that no other beats: none serves whatever it may serve, at no higher cost and, where the cost is the same, in no more
   * room. The cheapest first, so that the first is that of the GPU as it is.
   */
  list({ geometry, instances, isResting, rests, keepsMode }: GpuClass): readonly Column[] {
    const grid = gridOf(geometry);
    // What is made is in use by nobody.
    const wanted = this.#profiles.map((name, index) =>
      this.#uses[index] === 'Used' ? undefined : grid.indexOf.get(name),
    );
    const additionsTo = this.#additions.get(grid) ?? additionsOf(grid, wanted, this.#caps);
    this.#additions.set(grid, additionsTo);
    const wholeAs = this.#wantedAs(WHOLE, false);
    const isWhole = instances.some(({ profile }) => profile === WHOLE);
    const known = instances.map((one, index): Known => {
      const { profile, start, busy, evictionWeight = 1, stays = false, rank = NOBODY, minutesRun = 0 } = one;
      const at = grid.indexOf.get(profile);
      const level = this.#levels.lastAbove(rank);
      // A whole GPU leaves room for nothing else.
      const { memorySlices } = grid.profiles.find((_, one) => one === at) ?? geometry;
      return {
        bit: 1 << index,
        profile: at,
        wantedAs: this.#wantedAs(profile, busy),
        mask: unitMask(start, memorySlices),
        busy,
        evictions: busy ? evictionWeight : 0,
        level: level ?? 0,
        minutesRun: busy ? minutesRun : 0,
        mayGo: !busy || (this.#evict === 'IfNeeded' && !stays && level !== undefined),
      };
    });
    const offeredBy = (some: readonly Known[]): readonly number[] =>
      wanted.map((_, index) => some.filter(({ wantedAs }) => wantedAs === index).length);
    const asItIs: Column = {
      offered: offeredBy(known),
      evictions: this.#levels.sum([]),
      minutesLost: 0,
      restsBroken: 0,
      gpusChanged: 0,
      modesChanged: 0,
      instancesDestroyed: 0,
      kept: sum(known, ({ bit }) => bit),
      created: wanted.map(() => 0),
    };
    if (isResting || (isWhole && keepsMode)) return [asItIs];
    const madeWhole = this.#caps.map((cap, index) => (index === wholeAs ? Math.min(1, cap) : 0));
    const best = new Map([[asItIs.offered.join(), asItIs]]);

    // Where it matters who goes, those go whom the node picks, which knows counts and no ranks.
    const picks =
      !isWhole && instances.some(({ busy, rank }) => busy && rank !== undefined)
        ? new NodePicks(geometry, instances, wanted)
        : undefined;
    const settle = (staying: readonly Known[], going: readonly Known[]): void => {
      const totals = grid.profiles.map((_, index) => staying.filter(({ profile }) => profile === index).length);
      const occupied = sum(staying, ({ mask }) => mask);
      const additions = additionsTo(occupied, totals);
      const isPicked = picks !== undefined && going.some(({ busy }) => busy);
      for (const created of staying.length === 0 && !keepsMode ? [...additions, madeWhole] : additions) {
        if (!created.some((count) => count > 0)) continue;
        if (!isPicked || created === madeWhole) {
          take(staying, going, created);
          continue;
        }
        // With less to make it may pick others.
        for (const some of listParts(created)) {
          const pick = picks.pick(totals, some);
          if (pick === undefined) continue;
          const stays = ({ bit }: Known): boolean => (pick.kept & bit) !== 0;
          const gone = known.filter((one) => !stays(one));
          if (gone.every(({ mayGo }) => mayGo)) take(known.filter(stays), gone, pick.created);
        }
      }
    };
    const take = (staying: readonly Known[], going: readonly Known[], created: readonly number[]): void =>
      record({
        offered: offeredBy(staying).map((count, index) => count + (created[index] ?? 0)),
        evictions: this.#levels.sum(going.map(({ level, evictions }) => [level, evictions])),
        minutesLost: sum(going, ({ minutesRun }) => minutesRun),
        restsBroken: rests ? 1 : 0,
        gpusChanged: 1,
        modesChanged: isWhole || created === madeWhole ? 1 : 0,
        instancesDestroyed: going.filter(({ busy }) => !busy).length,
        kept: sum(staying, ({ bit }) => bit),
        created,
      });
    const record = (column: Column): void => {
      const key = column.offered.join();
      const other = best.get(key);
      if (other === undefined || compareCost(column, other) < 0) best.set(key, column);
    };
    const choose = (index: number, staying: readonly Known[], going: readonly Known[]): void => {
      const instance = known[index];
      if (instance === undefined) return settle(staying, going);
      choose(index + 1, [...staying, instance], going);
      if (instance.mayGo) choose(index + 1, staying, [...going, instance]);
      return undefined;
    };

    choose(0, [], []);
    return dropBeaten([...best.values()], this.#tallies);
  }

  /** Index of the wanted profile that an instance counts as; -1 if it is not wanted. */
  #wantedAs(profile: string, busy: boolean): number {
    const other = busy ? 'Idle' : 'Used';
    return this.#profiles.findIndex((name, index) => name === profile && this.#uses[index] !== other);
  }
}

/** Lists every choice of all or some of the instances that can be made. */
function listParts(created: readonly number[]): readonly (readonly number[])[] {
  return created.reduce<readonly (readonly number[])[]>(
    (parts, most) => parts.flatMap((part) => Array.from({ length: most + 1 }, (_, count) => [...part, count])),
    [[]],
  );
}

/** Chooses which instances of a GPU a node keeps for counts of profiles; each answer is given once. */
class NodePicks {
  readonly #geometry: Geometry;
  readonly #instances: readonly PoolInstance[];
  readonly #wanted: readonly (number | undefined)[];
  readonly #asked = new Set<string>();

  /** @param wanted per wanted profile its index in the grid; undefined if it is never made */
  constructor(geometry: Geometry, instances: readonly PoolInstance[], wanted: readonly (number | undefined)[]) {
    this.#geometry = geometry;
    this.#instances = instances;
    this.#wanted = wanted;
  }

  /**
   * @param totals per profile of the grid, what stays @param created per wanted profile, what is made beside it
   * @returns the bits of those kept, and what is made per wanted profile; undefined if it was asked before, or something else is made
   */
  pick(totals: readonly number[], created: readonly number[]): Pick<Column, 'kept' | 'created'> | undefined {
    const { profiles, indexOf } = gridOf(this.#geometry);
    const counts = totals.map(
      (total, profile) =>
        total + created.reduce((all, count, index) => all + (this.#wanted[index] === profile ? count : 0), 0),
    );
    const key = counts.join();
    if (this.#asked.has(key)) return undefined;
    this.#asked.add(key);
    const layout = Object.fromEntries(
      counts.flatMap((count, index) => (count > 0 ? [[profiles[index]?.name ?? '', count]] : [])),
    );
    const plan = planGpu(this.#geometry, this.#instances, layout);
    if (!plan.fits) return undefined;
    const made = this.#wanted.map(
      (profile) => plan.create.filter((one) => profile !== undefined && indexOf.get(one.profile) === profile).length,
    );
    if (sum(made, Number) < plan.create.length) return undefined;
    const kept = new Set(plan.keep.map(({ start }) => start));
    return { kept: sum(this.#instances, ({ start }, index) => (kept.has(start) ? 1 << index : 0)), created: made };
  }
}

/** Sums up a figure. The sum of masks without a common unit is the mask of what they cover together. */
function sum<One>(some: readonly One[], read: (one: One, index: number) => number): number {
  return some.reduce((total, one, index) => total + read(one, index), 0);
}

/**
 * A plan with a beaten column has no better figures, and if they are the same no less room, than that with the other in its place: what
 * its instances are given to can have those that stand in for them.
 */
function dropBeaten(columns: readonly Column[], { serving, sized }: DemandTable['tallies']): readonly Column[] {
  const weighed = columns.map((column) => ({
    column,
    serving: tally(column.offered, serving),
    sized: tally(column.offered, sized),
  }));
  const kept: typeof weighed = [];
  // Of columns at the same cost, one that beats another comes before it, since its tallies are more together.
  weighed.sort(
    (a, b) =>
      compareCost(a.column, b.column) ||
      sum(b.sized, Number) - sum(a.sized, Number) ||
      compareOffer(a.column, b.column),
  );
  for (const one of weighed) {
    const isBeaten = kept.some((other) =>
      compareCost(other.column, one.column) < 0 ? covers(other.serving, one.serving) : covers(other.sized, one.sized),
    );
    if (!isBeaten) kept.push(one);
  }
  return kept.map(({ column }) => column).sort((a, b) => compareCost(a, b) || compareOffer(a, b));
}

function tally(offered: readonly number[], tallies: DemandTable['tallies']['serving']): readonly number[] {
  return tallies.map((profiles) => sum(profiles, (profile) => offered[profile] ?? 0));
}

function covers(some: readonly number[], others: readonly number[]): boolean {
  return some.every((count, index) => count >= (others[index] ?? 0));
}

function compareCost(a: Column, b: Column): number {
  return (
    compareCosts(a.evictions, b.evictions) ||
    a.minutesLost - b.minutesLost ||
    a.restsBroken - b.restsBroken ||
    a.gpusChanged - b.gpusChanged ||
    a.modesChanged - b.modesChanged ||
    a.instancesDestroyed - b.instancesDestroyed
  );
}

/** Orders columns by what they offer, more of the first profile that differs first: no two columns offer the same. */
function compareOffer(a: Column, b: Column): number {
  return a.offered.reduce((order, count, index) => order || (b.offered[index] ?? 0) - count, 0);
}

/** GPUs that are equal in everything that a plan depends on: geometry, placed instances, which are in use, what may not change. */
interface GpuClass {
  /** Orders classes, independent of the order of the pool. */
  readonly key: string;
  readonly geometry: Geometry;
  /** The instances, ordered by start. */
  readonly instances: readonly PoolInstance[];
  readonly isResting: boolean;
  readonly rests: boolean;
  /** Whether its GPUs stay whole, or partitioned. */
  readonly keepsMode: boolean;
  /** How many GPUs. */
  readonly size: number;
}

/** A pool by classes, and what is wanted of it. */
export interface DemandQuestion {
  readonly classes: readonly GpuClass[];
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
}

/** Sorts GPUs into classes, one at a time: a large pool is read in several turns of the event loop. */
export class PoolClasses {
  readonly #classes = new Map<string, { first: PoolGpu; ids: string[] }>();
  readonly #gridKeys = new Map<Grid, string>();

  add(gpu: PoolGpu): void {
    const key = this.#keyOf(gpu);
    const known = this.#classes.get(key);
    if (known === undefined) this.#classes.set(key, { first: gpu, ids: [gpu.id] });
    else known.ids.push(gpu.id);
  }

  /** Lists the classes by key, so that the order of the GPUs does not matter. */
  list(): readonly GpuClass[] {
    return [...this.#classes]
      .map(([key, { first, ids }]) => ({
        key,
        geometry: first.geometry,
        instances: first.instances.toSorted((a, b) => a.start - b.start),
        isResting: first.isResting === true,
        rests: first.rests === true,
        keepsMode: first.keepsMode === true,
        size: ids.length,
      }))
      .toSorted((a, b) => compareText(a.key, b.key));
  }

  /** Hands the layouts that were planned for classes out to their GPUs, by id. */
  *handOut<Layout extends { readonly gpuClass: number; readonly size: number }>(
    classes: readonly GpuClass[],
    layouts: readonly Layout[],
  ): Generator<readonly [ids: readonly string[], layout: Layout], undefined, undefined> {
    const idsLeft = classes.map(({ key }) => (this.#classes.get(key)?.ids ?? []).toSorted(compareText));
    for (const layout of layouts) yield [idsLeft[layout.gpuClass]?.splice(0, layout.size) ?? [], layout];
  }

  #keyOf({ geometry, instances, isResting = false, rests = false, keepsMode = false }: PoolGpu): string {
    const places = instances.map(
      ({ profile, start, busy, ...use }) =>
        `${String.fromCharCode(0x41 + start)}${profile}${busy ? `*${useKey(use)}` : ''}`,
    );
    const limits = `${isResting ? 'resting ' : ''}${rests ? 'rests ' : ''}${keepsMode ? 'keeps its mode ' : ''}`;
    return `${this.#gridKey(geometry)} ${limits}${places.sort().join(' ')}`;
  }

  /** Geometries that are equal for layouts have one grid; its names and sizes tell it from the others of a pool. */
  #gridKey(geometry: Geometry): string {
    const grid = gridOf(geometry);
    const known = this.#gridKeys.get(grid);
    if (known !== undefined) return known;
    const key = JSON.stringify([
      geometry.computeSlices,
      geometry.memorySlices,
      geometry.profiles.map((one) => [one.name, one.memorySlices, one.starts, one.maxInstances, one.engines]),
      geometry.engines,
      geometry.exclusive,
    ]);
    this.#gridKeys.set(grid, key);
    return key;
  }
}

/** A key of everything that tells an instance in use from others. */
function useKey({
  evictionWeight = 1,
  stays,
  rank,
  minutesRun = 0,
}: Pick<PoolInstance, 'evictionWeight' | 'stays' | 'rank' | 'minutesRun'>): string {
  if (stays === true) return '';
  return rank === undefined && minutesRun === 0 ? String(evictionWeight) : [evictionWeight, rank, minutesRun].join();
}

/** Classes whose GPUs can become the same at the same cost are one group for the solver. */
interface Problem {
  /** The demand, with no more of a slice than the pool could ever hold: neither a solver nor a sum is given a number of any size. */
  readonly table: DemandTable;
  /** How many of each slice are wanted beyond that. Every plan lacks them. */
  readonly beyond: readonly number[];
  readonly groups: readonly (ColumnGroup & {
    readonly members: readonly { readonly gpuClass: number; readonly columns: readonly Column[] }[];
  })[];
}

export function buildProblem({ classes, slices, evict }: DemandQuestion): Problem {
  const grids = [...new Set(classes.map(({ geometry }) => gridOf(geometry)))];
  const isOffered = (profile: string): boolean =>
    profile === WHOLE || grids.some(({ indexOf }) => indexOf.has(profile));
  const capped = slices.map((slice) => ({ ...slice, count: Math.min(slice.count, mostHeld(slice, classes)) }));
  const levels = levelsOf(
    capped,
    classes.flatMap(({ instances }) => instances),
    evict,
  );
  const sizeIn = (profile: string): number => Math.min(...grids.map((grid) => sizeOf(grid, profile)));
  const table = readDemand(capped, isOffered, sizeIn, levels);
  const counts = new Map(slices.map(({ name, count }) => [name, count]));
  const beyond = table.slices.map(({ name, count }) => (counts.get(name) ?? count) - count);
  const lister = new ColumnLister(table, evict);
  const groups = new Map<
    string,
    { columns: readonly Column[]; size: number; members: { gpuClass: number; columns: readonly Column[] }[] }
  >();
  classes.forEach((one, gpuClass) => {
    const columns = lister.list(one);
    const key = columns.map(writeColumn).join('|');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { columns, size: one.size, members: [{ gpuClass, columns }] });
    else {
      known.size += one.size;
      known.members.push({ gpuClass, columns });
    }
  });
  return { table, beyond, groups: [...groups.values()] };
}

/** No more of a slice than so many could the GPUs hold, of all its profiles together. */
function mostHeld({ profiles }: DemandSlice, classes: readonly GpuClass[]): number {
  return classes.reduce((sum, { geometry, size }) => {
    const { indexOf, profiles: known } = gridOf(geometry);
    const each = profiles.map((name) => (name === WHOLE ? 1 : (known[indexOf.get(name) ?? -1]?.maxInstances ?? 0)));
    return sum + size * each.reduce((all, one) => all + one, 0);
  }, 0);
}

/** The levels of ranks that tell who goes for whom in a pool; undefined if nobody may go at all. */
export function levelsOf(
  slices: readonly DemandSlice[],
  instances: readonly PoolInstance[],
  evict: EvictionRule,
): RankLevels | undefined {
  if (evict === 'Never') return undefined;
  const ranks = instances.flatMap(({ busy, stays, rank = NOBODY }) => (busy && stays !== true ? [rank] : []));
  return new RankLevels(slices, ranks);
}

/** The share of a GPU that a profile takes, of its memory, and then of its compute slices: all of it if it is the whole GPU. */
function sizeOf({ geometry, indexOf, profiles }: Grid, name: string): number {
  const { memorySlices, computeSlices } = profiles[indexOf.get(name) ?? -1] ?? {};
  if (memorySlices === undefined || computeSlices === undefined) return WHOLE_SIZE;
  return Math.round((MEMORY_SIZE * memorySlices) / Math.max(1, geometry.memorySlices)) + computeSlices;
}

/** Divides by the memory slices of all models, 4, 8 and 12, with room for the compute slices below. */
const MEMORY_SIZE = 384;
const WHOLE_SIZE = MEMORY_SIZE + 16;

function writeColumn({
  offered,
  evictions,
  minutesLost,
  restsBroken,
  gpusChanged,
  modesChanged,
  instancesDestroyed,
}: Column): string {
  return [
    offered.join(),
    evictions.join(),
    minutesLost,
    restsBroken,
    gpusChanged,
    modesChanged,
    instancesDestroyed,
  ].join(' ');
}
