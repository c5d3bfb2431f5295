import type { Geometry, Layout } from '../geometry/geometry.ts';
import { searchGpu } from '../search/gpu-search.ts';
import { gridOf, type Grid } from '../search/grid.ts';
import type { Instance, PlannedInstance } from '../search/instance.ts';
import { computeInstanceName } from '../geometry/profile-name.ts';
import { readInstances, type Occupancy } from '../search/occupancy.ts';
import { refuse, type Refusal } from '../search/refusal.ts';
import { subtractSlices, type Found, type PlanCost } from '../search/search.ts';
import type { Step } from './step.ts';
import { completeSubject, type Subject } from '../search/subject.ts';

export interface GpuPlanOptions extends Subject {
  /** Refuse rather than destroy an instance, or take a compute instance from it, if this returns false; absent: all may be. */
  readonly mayDisturb?: (instance: Instance) => boolean;
}

/** How to bring one GPU to a layout with the least harm. */
export interface GpuPlan {
  readonly fits: true;
  /** Instances that stay, including those whose compute instances change. By start, like all lists here except the steps. */
  readonly keep: readonly Instance[];
  readonly destroy: readonly Instance[];
  readonly create: readonly PlannedInstance[];
  /** Instances of unknown profiles that were planned around; the layout does not mention them. */
  readonly foreign: readonly Instance[];
  /** Destroys first (idle ones before busy ones), then creates from the largest: any later step finds its room free. */
  readonly steps: readonly Step[];
  /** The instances of the layout once all steps are done. */
  readonly placements: readonly PlannedInstance[];
  readonly cost: PlanCost;
}

export type GpuPlanResult =
  | GpuPlan
  | {
      readonly fits: false;
      readonly refusal: Refusal;
      /** Instances that may not be disrupted and block even the plan that disrupts the fewest of them. */
      readonly inTheWay?: readonly Instance[];
    };

/**
 * Plans one GPU, exactly: of all ways to the wanted layout, at any placement, the one that disrupts the fewest busy instances, then
 * destroys and creates the fewest instances, then changes the fewest compute instances, then leaves most room for later ones.
 *
 * @param have every GPU instance on the GPU now, in any order; the plan does not depend on it
 * @param want profile to count; empty for MIG mode without instances
 */
export function planGpu(
  geometry: Geometry,
  have: readonly Instance[],
  want: Layout,
  options: GpuPlanOptions = {},
): GpuPlanResult {
  const grid = gridOf(geometry);
  const subject = completeSubject(geometry, options);
  const occupancy = readInstances(grid, have, subject.model, options.mayDisturb);
  const result = searchGpu(grid, occupancy, want, subject);
  if (!result.fits) return result;
  if ('code' in occupancy) return { fits: false, refusal: occupancy };
  if (result.found.cost.fixedDisturbed > 0) return refuseFixed(result.found, occupancy);
  return writePlan(grid, occupancy, result.found);
}

/** Turns a search result into a plan. */
function writePlan(grid: Grid, occupancy: Occupancy, found: Found): GpuPlan {
  const kept = new Set(found.kept.map((entry) => entry.occupancy));
  const gone = occupancy.known.filter((instance) => !kept.has(instance));
  const create = listCreated(grid, found);
  const stay = found.kept.map(({ occupancy: { instance, profile }, kind }) =>
    planInstance(grid, profile, instance.start, kind.computeSlices),
  );
  const destroys = gone
    .toSorted((a, b) => Number(a.instance.busy) - Number(b.instance.busy))
    .map(({ instance, profile, computeSlices }) => ({
      action: 'DestroyInstance' as const,
      profile: instance.profile,
      start: instance.start,
      computeInstances: nameComputeInstances(grid, profile, computeSlices),
    }));
  return {
    fits: true,
    keep: found.kept.map((entry) => entry.occupancy.instance),
    destroy: gone.map(({ instance }) => instance),
    create: create.toSorted(byStart),
    foreign: occupancy.foreign,
    steps: [
      ...listComputeSteps(grid, found, 'DestroyComputeInstances'),
      ...destroys,
      ...create.map((instance) => ({ action: 'CreateInstance' as const, ...instance })),
      ...listComputeSteps(grid, found, 'CreateComputeInstances'),
    ],
    placements: [...stay, ...create].toSorted(byStart),
    cost: found.cost,
  };
}

function listComputeSteps(
  grid: Grid,
  found: Found,
  action: 'DestroyComputeInstances' | 'CreateComputeInstances',
): readonly Step[] {
  return found.kept.flatMap(({ occupancy: { instance, profile, computeSlices }, kind }) => {
    const changed =
      action === 'DestroyComputeInstances'
        ? subtractSlices(computeSlices, kind.computeSlices)
        : subtractSlices(kind.computeSlices, computeSlices);
    const computeInstances = nameComputeInstances(grid, profile, changed);
    return changed.length === 0 ? [] : [{ action, profile: instance.profile, start: instance.start, computeInstances }];
  });
}

function byStart(left: PlannedInstance, right: PlannedInstance): number {
  return left.start - right.start;
}

function refuseFixed(found: Found, occupancy: Occupancy): GpuPlanResult {
  const kinds = new Map(found.kept.map((entry) => [entry.occupancy, entry.kind]));
  const fixed = occupancy.known.filter(({ isFixed }) => isFixed);
  const gone = fixed.filter((instance) => !kinds.has(instance));
  const cut = fixed.filter((instance) => {
    const kind = kinds.get(instance);
    return kind !== undefined && subtractSlices(instance.computeSlices, kind.computeSlices).length > 0;
  });
  const names = gone.map(({ instance }) => `${instance.profile} at ${instance.start}`);
  const what = names.length > 0 ? `destroys ${names.join(', ')}` : 'removes compute instances from an instance';
  const message = `every way to this layout ${what}, which is in use; it can be applied once that is free`;
  const inTheWay = [...gone, ...cut].map(({ instance }) => instance);
  return { fits: false, refusal: refuse('BusyInstanceInTheWay', message), inTheWay };
}

/** The instances to create, largest first; of one profile the fullest sets of compute instances come first. */
function listCreated(grid: Grid, found: Found): readonly PlannedInstance[] {
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

function planInstance(grid: Grid, profile: number, start: number, slices: readonly number[]): PlannedInstance {
  return {
    profile: grid.profiles[profile]?.name ?? '',
    start,
    computeInstances: nameComputeInstances(grid, profile, slices),
  };
}

/** Names of compute instances by their slices, as the driver prints them for a plain GPU instance. */
function nameComputeInstances(grid: Grid, profile: number, slices: readonly number[]): readonly string[] {
  const { name, computeSlices } = grid.profiles[profile] ?? { name: '', computeSlices: 0 };
  return slices.map((size) => computeInstanceName(name, size, computeSlices));
}
