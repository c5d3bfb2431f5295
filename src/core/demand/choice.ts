import type { Column } from './columns.ts';
import { coverDemand, type DemandTable, type RankLevels } from './coverage.ts';
import type { CostFigure, CostGap, DemandCost } from './pool.ts';

/** GPUs that can become the same at the same cost: of one class, or of several. */
export interface ColumnGroup {
  readonly columns: readonly Column[];
  /** How many GPUs. */
  readonly size: number;
}

/** How many GPUs of each group take each of its columns. */
export type ColumnCounts = readonly (readonly number[])[];

/** A column for each GPU. */
export interface Choice {
  readonly counts: ColumnCounts;
  readonly cost: DemandCost;
  /** Absent if no other choice costs less. */
  readonly gap?: CostGap;
}

/** Per profile, what the pool offers. */
export function sumOffered(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  counts: ColumnCounts,
): readonly number[] {
  const offered = table.profiles.map(() => 0);
  forEachChosen(groups, counts, (column, count) =>
    column.offered.forEach((each, profile) => {
      offered[profile] = (offered[profile] ?? 0) + each * count;
    }),
  );
  return offered;
}

/** Per profile, how many of those that the pool offers are there already. */
export function sumKept(table: DemandTable, groups: readonly ColumnGroup[], counts: ColumnCounts): readonly number[] {
  const kept = table.profiles.map(() => 0);
  forEachChosen(groups, counts, ({ offered, created }, count) =>
    offered.forEach((each, profile) => {
      kept[profile] = (kept[profile] ?? 0) + (each - (created[profile] ?? 0)) * count;
    }),
  );
  return kept;
}

/** How much room the slices take that serve the demand: of choices at the same cost, the one with the least is taken. */
export function roomOf(table: DemandTable, groups: readonly ColumnGroup[], counts: ColumnCounts): number {
  return coverDemand(table, sumOffered(table, groups, counts)).room;
}

/** A figure of what a choice costs; what is unserved, and who goes, is counted level by level. */
export interface LevelFigure {
  readonly figure: CostFigure;
  readonly level: number;
}

/** The figures by which choices differ, the most important first: of each level what it lacks, then whom it alone may ask to go. */
export function listFigures(levels: RankLevels): readonly LevelFigure[] {
  const byLevel = Array.from({ length: levels.count }, (_, level): readonly LevelFigure[] => [
    { figure: 'unserved', level },
    ...(level < levels.count - 1 ? [{ figure: 'evictions', level } as const] : []),
  ]);
  const others = (['minutesLost', 'gpusChanged', 'instancesDestroyed'] as const).map((figure) => ({
    figure,
    level: 0,
  }));
  return [...byLevel.flat(), ...others];
}

/** What a choice costs, in the order of {@link listFigures}: one is better if the first figure that differs is less. */
export type ChoiceCost = readonly number[];

/** What the columns of a choice cost together. */
export interface ColumnSums extends Pick<Column, 'evictions' | 'minutesLost' | 'gpusChanged' | 'instancesDestroyed'> {}

/** @param unserved level by level */
export function toCost({ levels }: DemandTable, unserved: readonly number[], columns: ColumnSums): ChoiceCost {
  return listFigures(levels).map(({ figure, level }) =>
    figure === 'unserved' ? (unserved[level] ?? 0) : valueOf(columns, figure, level),
  );
}

export function valueOf(columns: ColumnSums, figure: Exclude<CostFigure, 'unserved'>, level: number): number {
  return figure === 'evictions' ? (columns.evictions[level] ?? 0) : columns[figure];
}

export function costOf(table: DemandTable, groups: readonly ColumnGroup[], counts: ColumnCounts): ChoiceCost {
  const evictions: number[] = [];
  const sum = { evictions, minutesLost: 0, gpusChanged: 0, instancesDestroyed: 0 };
  forEachChosen(groups, counts, (column, count) => {
    column.evictions.forEach((each, level) => (evictions[level] = (evictions[level] ?? 0) + each * count));
    sum.minutesLost += column.minutesLost * count;
    sum.gpusChanged += column.gpusChanged * count;
    sum.instancesDestroyed += column.instancesDestroyed * count;
  });
  return toCost(table, coverDemand(table, sumOffered(table, groups, counts)).costs, sum);
}

/** All levels together. */
export function sumLevels({ levels }: DemandTable, cost: ChoiceCost): DemandCost {
  const sums = { unserved: 0, evictions: 0, minutesLost: 0, gpusChanged: 0, instancesDestroyed: 0 };
  listFigures(levels).forEach(({ figure }, index) => (sums[figure] += cost[index] ?? 0));
  return sums;
}

export function compareCosts(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function forEachChosen(
  groups: readonly ColumnGroup[],
  counts: ColumnCounts,
  visit: (column: Column, count: number) => void,
): void {
  groups.forEach(({ columns }, group) =>
    columns.forEach((column, index) => {
      const count = counts[group]?.[index] ?? 0;
      if (count > 0) visit(column, count);
    }),
  );
}
