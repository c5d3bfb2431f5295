import type { Column } from './columns.ts';
import { coverDemand, type DemandTable } from './coverage.ts';
import type { CostGap, DemandCost } from './pool.ts';

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

export function costOf(table: DemandTable, groups: readonly ColumnGroup[], counts: ColumnCounts): DemandCost {
  const sum = { evictions: 0, gpusChanged: 0, instancesDestroyed: 0 };
  forEachChosen(groups, counts, (column, count) => {
    sum.evictions += column.evictions * count;
    sum.gpusChanged += column.gpusChanged * count;
    sum.instancesDestroyed += column.instancesDestroyed * count;
  });
  return { unserved: coverDemand(table, sumOffered(table, groups, counts)).cost, ...sum };
}

export function compareDemandCost(a: DemandCost, b: DemandCost): number {
  return (
    a.unserved - b.unserved ||
    a.evictions - b.evictions ||
    a.gpusChanged - b.gpusChanged ||
    a.instancesDestroyed - b.instancesDestroyed
  );
}

function forEachChosen(
  groups: readonly ColumnGroup[],
  counts: ColumnCounts,
  visit: (column: Column, count: number) => void,
): void {
  groups.forEach(({ columns }, group) =>
    columns.forEach((column, index) => visit(column, counts[group]?.[index] ?? 0)),
  );
}
