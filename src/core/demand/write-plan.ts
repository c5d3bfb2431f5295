import { arrangerOf } from '../gpu/search/arrangement.ts';
import { gridOf, unitMask } from '../gpu/search/grid.ts';
import { SearchBudget } from '../gpu/search/search-budget.ts';
import { type Choice, type ColumnCounts, sumKept, sumOffered } from './choice.ts';
import { coverDemand } from './coverage.ts';
import type { ClassLayout, ClassPlan, DemandQuestion } from './demand-plan.ts';
import type { GpuClass } from './gpu-classes.ts';
import { type DemandCost, type PoolInstance, WHOLE } from './pool.ts';
import type { Scene } from './scene.ts';

/** A choice of columns, as layouts of GPUs. */
export function writePlan(question: DemandQuestion, { table, groups }: Scene, choice: Choice): ClassPlan {
  const offered = sumOffered(table, groups, choice.counts);
  // Once it is settled what becomes of the GPUs, what is there already goes first, and nothing is made in excess.
  const { unserved, used } = coverDemand(table, offered, sumKept(table, groups, choice.counts));
  const excess = offered.map((count, profile) => count - (used[profile] ?? 0));
  const portions = trim(listPortions(question.classes, groups, choice.counts), excess);
  const layouts = portions.map((portion) => place(question.classes[portion.gpuClass], table.profiles, portion));
  return {
    cost: { ...sumCost(layouts), unserved: choice.cost.unserved },
    ...(choice.gap === undefined ? {} : { gap: choice.gap }),
    unserved: Object.fromEntries(
      table.slices.flatMap(({ name }, slice) => {
        const count = unserved[slice] ?? 0;
        return count > 0 ? [[name, count] as const] : [];
      }),
    ),
    layouts,
  };
}

/** GPUs of one class that take one column, or less than it offers. */
interface Portion {
  readonly gpuClass: number;
  readonly size: number;
  readonly kept: number;
  readonly created: readonly number[];
}

/** Counted on what is done in the end. */
function sumCost(layouts: readonly ClassLayout[]): Omit<DemandCost, 'unserved'> {
  const sum = { evictions: 0, gpusChanged: 0, instancesDestroyed: 0 };
  for (const { size, destroy, create } of layouts) {
    if (destroy.length + create.length > 0) sum.gpusChanged += size;
    for (const { busy, evictionWeight = 1 } of destroy) {
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
        return size === 0 ? [] : [{ gpuClass, size, kept, created }];
      });
    });
  });
}

/** Leaves out instances that would be made and are not asked for: columns offer all that fits. The last ones first. */
function trim(portions: readonly Portion[], excess: readonly number[]): readonly Portion[] {
  return excess.reduceRight((all, count, profile) => trimProfile(all, profile, count), portions);
}

function trimProfile(portions: readonly Portion[], profile: number, excess: number): readonly Portion[] {
  let left = excess;
  return portions
    .toReversed()
    .flatMap((portion) => {
      const each = portion.created[profile] ?? 0;
      if (each === 0 || left === 0) return [portion];
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
  const grid = gridOf(gpuClass.geometry);
  // Without anything to make there is no reason to destroy: only a plan that ran out of time would.
  const isIdle = portion.created.every((count) => count === 0);
  const keep = instances.filter((_, index) => isIdle || (portion.kept & (1 << index)) !== 0);
  const indexOf = (profile: string): number => grid.indexOf.get(profile) ?? -1;
  const made = grid.profiles.map(() => 0);
  portion.created.forEach((count, index) => {
    const profile = indexOf(profiles[index] ?? '');
    if (count > 0 && profile !== -1) made[profile] = count;
  });
  const destroy = instances.filter((instance) => !keep.includes(instance));
  const isMadeWhole = portion.created[profiles.indexOf(WHOLE)] === 1;
  if (isMadeWhole)
    return { gpuClass: portion.gpuClass, size: portion.size, keep, destroy, create: [{ profile: WHOLE, start: 0 }] };
  const totals = [...made];
  let occupied = 0;
  for (const { profile, start } of keep) {
    const index = indexOf(profile);
    if (index === -1) continue;
    totals[index] = (totals[index] ?? 0) + 1;
    occupied |= unitMask(start, grid.profiles[index]?.memorySlices ?? 0);
  }
  const create: Pick<PoolInstance, 'profile' | 'start'>[] = [];
  let next = arrangerOf(grid, totals).arrange(occupied, made, new SearchBudget());
  if (next === undefined) throw new Error(`${gpuClass.key}: a column that cannot be placed`);
  for (; next !== undefined && next.profile !== -1; next = next.next)
    create.push({ profile: grid.profiles[next.profile]?.name ?? '', start: next.start });
  return {
    gpuClass: portion.gpuClass,
    size: portion.size,
    keep,
    destroy,
    create: create.toSorted((a, b) => a.start - b.start),
  };
}
