import {
  type ColumnGroup,
  type DemandTable,
  RankLevels,
  readDemand,
  NOBODY,
} from '../../../../src/core/demand/solver/pool.ts';

type Column = ColumnGroup['columns'][number];

/** What a GPU of a group can become: it offers this many of each profile that is asked for, at no cost unless told otherwise. */
export function aColumn(offered: readonly number[], more: Partial<Column> = {}): Column {
  return {
    offered,
    created: offered,
    kept: 0,
    evictions: [0],
    minutesLost: 0,
    restsBroken: 0,
    gpusChanged: 0,
    modesChanged: 0,
    instancesDestroyed: 0,
    ...more,
  };
}

/** Two GPUs that can stay as they are, or offer one slice at the loss of nothing, or of one. */
export const pair: ColumnGroup = {
  size: 2,
  columns: [
    aColumn([0]),
    aColumn([1], { gpusChanged: 1 }),
    aColumn([1], { gpusChanged: 1, instancesDestroyed: 1, evictions: [2] }),
  ],
};

/** This many slices are asked for that any of the profiles serves; each weighs 3. */
export function asking(count: number, ...profiles: readonly string[]): DemandTable {
  return readDemand(
    [{ name: 's', profiles, count, weight: 3 }],
    () => true,
    (profile) => profile.length,
    new RankLevels([{ count }], [NOBODY]),
  );
}
