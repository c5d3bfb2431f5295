import { computeInstanceName } from '../geometry/profile-name.ts';
import type { Grid } from '../search/grid.ts';
import type { PlannedInstance } from '../search/instance.ts';
import type { Found } from '../search/search.ts';

/** The instances to create, largest first; of one profile the fullest sets of compute instances come first. */
export function listCreated(grid: Grid, found: Found): readonly PlannedInstance[] {
  const kinds = found.kindsLeft.map((kind) => ({ kind, left: kind.count }));
  const created: PlannedInstance[] = [];
  for (let made = found.made; made !== undefined; made = made.next) {
    const { profile } = made;
    const open = kinds.find(({ kind, left }) => kind.profile === profile && left > 0);
    if (open === undefined) break;
    open.left -= 1;
    created.push(planInstance(grid, profile, made.start, open.kind.computeSlices));
  }
  return created;
}

export function planInstance(grid: Grid, profile: number, start: number, slices: readonly number[]): PlannedInstance {
  return {
    profile: grid.profiles[profile]?.name ?? '',
    start,
    computeInstances: nameComputeInstances(grid, profile, slices),
  };
}

/** Names of compute instances by their slices, as the driver prints them for a plain GPU instance. */
export function nameComputeInstances(grid: Grid, profile: number, slices: readonly number[]): readonly string[] {
  const { name, computeSlices } = grid.profiles[profile] ?? { name: '', computeSlices: 0 };
  return slices.map((size) => computeInstanceName(name, size, computeSlices));
}
