import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { arrangerOf } from '../gpu/search/arrangement.ts';
import { gridOf, unitMask } from '../gpu/search/grid.ts';
import { SearchBudget } from '../gpu/search/search-budget.ts';
import { type Choice, type ColumnCounts, sumKept, sumOffered } from './choice.ts';
import { coverDemand } from './coverage.ts';
import type { ClassLayout, ClassPlan, DemandQuestion } from './demand-plan.ts';
import type { GpuClass } from './gpu-classes.ts';
import { type DemandCost, type PoolInstance } from './pool.ts';
import type { Scene } from './scene.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** A choice of columns, as layouts of GPUs. */
export function writePlan(question: DemandQuestion, { table, groups, beyond }: Scene, choice: Choice): ClassPlan {
  const offered = sumOffered(table, groups, choice.counts);
  // Once it is settled what becomes of the GPUs, what is there already goes first, and nothing is made in excess.
  const { unserved, used } = coverDemand(table, offered, sumKept(table, groups, choice.counts));
  const excess = offered.map((count, profile) => count - (used[profile] ?? 0));
  const portions = trim(listPortions(question.classes, groups, choice.counts), excess);
  const layouts = portions.map((portion) => place(question.classes[portion.gpuClass], table.profiles, portion));
  const always = weighBeyond({ table, beyond });
  const { gap } = choice;
  return {
    cost: { ...sumCost(layouts), unserved: choice.cost.unserved + always },
    ...(gap && {
      gap: gap.figure === 'unserved' ? { ...gap, value: gap.value + always, bound: gap.bound + always } : gap,
    }),
    unserved: Object.fromEntries(
      table.slices.flatMap(({ name }, slice) => {
        const count = (unserved[slice] ?? 0) + (beyond[slice] ?? 0);
        return count > 0 ? [[name, count] as const] : [];
      }),
    ),
    layouts,
  };
}

/** By weight, what every plan of a scene lacks. */
export function weighBeyond({ table, beyond }: Pick<Scene, 'table' | 'beyond'>): number {
  return table.slices.reduce((sum, { weight }, slice) => sum + weight * (beyond[slice] ?? 0), 0);
}

/** GPUs of one class that take one column, or less than it offers. */
interface Portion {
  readonly gpuClass: number;
  readonly size: number;
  readonly kept: number;
  readonly created: readonly number[];
  /** What the whole column makes. */
  readonly possible: readonly number[];
}

/** Counted on what is done in the end. */
function sumCost(layouts: readonly ClassLayout[]): Omit<DemandCost, 'unserved'> {
  const sum = { evictions: 0, minutesLost: 0, gpusChanged: 0, instancesDestroyed: 0 };
  for (const { size, destroy, create } of layouts) {
    if (destroy.length + create.length > 0) sum.gpusChanged += size;
    for (const { busy, evictionWeight = 1, minutesRun = 0 } of destroy) {
      if (busy) sum.minutesLost += size * minutesRun;
      if (busy) sum.evictions += size * evictionWeight;
      else sum.instancesDestroyed += size;
    }
  }
  return sum;
}

/** Hands the columns of each group to its classes, in order. */
function listPortions(classes: readonly GpuClass[], groups: Scene['groups'], counts: ColumnCounts): readonly Portion[] {
  return groups.flatMap(({ members }, group) => {
    const left = [...(counts[group] ?? [])];
    return members.flatMap(({ gpuClass, columns }) => {
      let open = classes[gpuClass]?.size ?? 0;
      return columns.flatMap(({ kept, created }, index) => {
        const size = Math.min(open, left[index] ?? 0);
        open -= size;
        left[index] = (left[index] ?? 0) - size;
        return size === 0 ? [] : [{ gpuClass, size, kept, created, possible: created }];
      });
    });
  });
}

/**
 * Leaves out instances that would be made and are not asked for: columns offer all that fits. The last ones first. Where the node would
 * then pick others to go, they stay in.
 */
function trim(portions: readonly Portion[], excess: readonly number[]): readonly Portion[] {
  return excess.reduceRight((all, count, profile) => trimProfile(all, profile, count), portions);
}

function trimProfile(portions: readonly Portion[], profile: number, excess: number): readonly Portion[] {
  let left = excess;
  return portions
    .toReversed()
    .flatMap((portion) => {
      const each = portion.created[profile] ?? 0;
      if (each === 0) return [portion];
      const without = Math.min(portion.size, Math.floor(left / each));
      left -= without * each;
      const some = without < portion.size ? left : 0;
      left -= some;
      const make = (size: number, count: number): readonly Portion[] =>
        size === 0 ? [] : [{ ...portion, size, created: portion.created.with(profile, count) }];
      return [
        ...make(without, 0),
        ...make(some > 0 ? 1 : 0, each - some),
        ...make(portion.size - without - (some > 0 ? 1 : 0), each),
      ];
    })
    .toReversed();
}

function place(gpuClass: GpuClass | undefined, profiles: readonly string[], portion: Portion): ClassLayout {
  if (gpuClass === undefined) throw new Error(`no class ${portion.gpuClass}`);
  const { instances } = gpuClass;
  const { size, kept } = portion;
  const gpus = { gpuClass: portion.gpuClass, size };
  // Without anything to make there is no reason to destroy: only a plan that ran out of time would.
  if (portion.created.every((count) => count === 0)) return { ...gpus, keep: instances, destroy: [], create: [] };
  const keep = instances.filter((_, index) => (kept & (1 << index)) !== 0);
  const destroy = instances.filter((one) => !keep.includes(one));
  const isAsMeant = portion.created === portion.possible || goesFor(gpuClass, keep, profiles, portion.created);
  const created = isAsMeant ? portion.created : portion.possible;
  const isMadeWhole = created.some((count, profile) => count === 1 && profiles[profile] === WHOLE);
  const create = isMadeWhole ? [{ profile: WHOLE, start: 0 }] : placeCreated(gpuClass, keep, profiles, created);
  return { ...gpus, keep, destroy, create };
}

/** Whether the node, which knows counts and no ranks, lets the same go for what is made. */
function goesFor(
  { geometry, instances }: GpuClass,
  keep: readonly PoolInstance[],
  profiles: readonly string[],
  created: readonly number[],
): boolean {
  const isRanked = instances.some((one) => one.busy && one.rank !== undefined && !keep.includes(one));
  if (!isRanked || instances.some(({ profile }) => profile === WHOLE)) return true;
  const counts: Record<string, number> = {};
  for (const { profile } of keep) counts[profile] = (counts[profile] ?? 0) + 1;
  created.forEach((count, index) => {
    const name = profiles[index] ?? '';
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
  });
  if (counts[WHOLE] !== undefined) return true;
  const plan = planGpu(geometry, instances, counts);
  const stays = new Set(plan.fits ? plan.keep.map(({ start }) => start) : []);
  return plan.fits && instances.every((one) => !one.busy || stays.has(one.start) === keep.includes(one));
}

function placeCreated(
  { key, geometry }: GpuClass,
  keep: readonly PoolInstance[],
  profiles: readonly string[],
  created: readonly number[],
): ClassLayout['create'] {
  const grid = gridOf(geometry);
  const wanted = profiles.map((name) => grid.indexOf.get(name));
  const rows = grid.profiles.map(({ memorySlices }, profile) => {
    const there = keep.filter((one) => grid.indexOf.get(one.profile) === profile);
    const made = created.reduce((sum, count, index) => sum + (wanted[index] === profile ? count : 0), 0);
    const units = there.reduce((mask, { start }) => mask | unitMask(start, memorySlices), 0);
    return { made, total: made + there.length, units };
  });
  const occupied = rows.reduce((mask, { units }) => mask | units, 0);
  const made = rows.map((one) => one.made);
  const arranger = arrangerOf(
    grid,
    rows.map(({ total }) => total),
  );
  const create: Pick<PoolInstance, 'profile' | 'start'>[] = [];
  let next = arranger.arrange(occupied, made, new SearchBudget());
  if (next === undefined) throw new Error(`${key}: a column that cannot be placed`);
  for (; next !== undefined; next = next.next)
    create.push({ profile: grid.profiles[next.profile]?.name ?? '', start: next.start });
  return create.toSorted((a, b) => a.start - b.start);
}
