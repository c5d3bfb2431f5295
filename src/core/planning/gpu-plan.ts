import type { Geometry, Layout } from '../geometry/geometry.ts';
import { computeInstanceName } from '../geometry/profile-name.ts';
import { explainBlocked } from './explanation.ts';
import { gridOf, type Grid } from './grid.ts';
import type { Instance, PlannedInstance } from './instance.ts';
import { judgeLayout } from './judgement.ts';
import { readInstances, type Present } from './present.ts';
import { refuse, type Refusal } from './refusal.ts';
import { searchPlan, subtractSlices, type Found, type PlanCost } from './search.ts';
import type { Step } from './step.ts';
import { completeSubject, nameSubject, type Subject } from './subject.ts';

export interface GpuPlanOptions extends Subject {
  /** Refuse rather than destroy a busy instance or take a compute instance from it. */
  readonly keepBusy?: boolean;
}

/** How to bring one GPU to a layout with the least harm. */
export interface GpuPlan {
  readonly fits: true;
  /** Instances that stay, those whose compute instances change included. By start, as are all lists here. */
  readonly keep: readonly Instance[];
  readonly destroy: readonly Instance[];
  readonly create: readonly PlannedInstance[];
  /** Instances of unknown profiles that were planned around; the layout says nothing of them. */
  readonly foreign: readonly Instance[];
  /** Destroys first (idle ones before busy ones), then creates from the largest: any later step finds its room free. */
  readonly steps: readonly Step[];
  /** The instances of the layout once all steps are done. */
  readonly placements: readonly PlannedInstance[];
  readonly cost: PlanCost;
}

export type GpuPlanResult = GpuPlan | { readonly fits: false; readonly refusal: Refusal };

/**
 * Plans one GPU, exactly: of all ways to the wanted layout, at any placement, the one that disturbs the fewest busy instances, then
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
  const wanted = judgeLayout(grid, want, subject);
  if ('code' in wanted) return { fits: false, refusal: wanted };
  if (!grid.placeable && (have.length > 0 || wanted.totals.some((count) => count > 0)))
    return { fits: false, refusal: refuseUnplaced(subject) };
  const present = readInstances(grid, have, subject.model);
  if ('code' in present) return { fits: false, refusal: present };
  const found = searchPlan(grid, present, wanted);
  if (found === undefined) return { fits: false, refusal: explainBlocked(grid, want, present, subject) };
  if (options.keepBusy === true && found.cost.busyDisturbed > 0)
    return { fits: false, refusal: refuseBusy(found, present) };
  return writePlan(grid, present, found);
}

function writePlan(grid: Grid, present: Present, found: Found): GpuPlan {
  const kept = new Set(found.kept.map((entry) => entry.present));
  const gone = present.known.filter((instance) => !kept.has(instance));
  const create = listCreated(grid, found);
  const stay = found.kept.map(({ present: { instance, profile }, kind }) =>
    planned(grid, profile, instance.start, kind.computeSlices),
  );
  const steps: Step[] = [
    ...listComputeSteps(grid, found, 'DestroyComputeInstances'),
    ...gone
      .toSorted((a, b) => Number(a.instance.busy) - Number(b.instance.busy))
      .map(({ instance, profile, computeSlices }) => ({
        action: 'DestroyInstance' as const,
        profile: instance.profile,
        start: instance.start,
        computeInstances: nameComputeInstances(grid, profile, computeSlices),
      })),
    ...create.map((instance) => ({ action: 'CreateInstance' as const, ...instance })),
    ...listComputeSteps(grid, found, 'CreateComputeInstances'),
  ];
  return {
    fits: true,
    keep: found.kept.map((entry) => entry.present.instance),
    destroy: gone.map(({ instance }) => instance),
    create: create.toSorted(byStart),
    foreign: present.foreign,
    steps,
    placements: [...stay, ...create].toSorted(byStart),
    cost: found.cost,
  };
}

/** Largest first, as the search found them; of one profile the fullest sets of compute instances come first. */
function listCreated(grid: Grid, found: Found): readonly PlannedInstance[] {
  const kinds = found.kindsLeft.map((kind) => ({ kind, left: kind.count }));
  const created: PlannedInstance[] = [];
  for (let made = found.made; made !== undefined; made = made.next) {
    const { profile } = made;
    const open = kinds.find(({ kind, left }) => kind.profile === profile && left > 0);
    if (open === undefined) break;
    open.left -= 1;
    created.push(planned(grid, profile, made.start, open.kind.computeSlices));
  }
  return created;
}

function listComputeSteps(
  grid: Grid,
  found: Found,
  action: 'DestroyComputeInstances' | 'CreateComputeInstances',
): readonly Step[] {
  return found.kept.flatMap(({ present: { instance, profile, computeSlices }, kind }) => {
    const changed =
      action === 'DestroyComputeInstances'
        ? subtractSlices(computeSlices, kind.computeSlices)
        : subtractSlices(kind.computeSlices, computeSlices);
    const computeInstances = nameComputeInstances(grid, profile, changed);
    return changed.length === 0 ? [] : [{ action, profile: instance.profile, start: instance.start, computeInstances }];
  });
}

function planned(grid: Grid, profile: number, start: number, slices: readonly number[]): PlannedInstance {
  return {
    profile: grid.profiles[profile]?.name ?? '',
    start,
    computeInstances: nameComputeInstances(grid, profile, slices),
  };
}

function nameComputeInstances(grid: Grid, profile: number, slices: readonly number[]): readonly string[] {
  const { name, computeSlices } = grid.profiles[profile] ?? { name: '', computeSlices: 0 };
  return slices.map((size) => computeInstanceName(name, size, computeSlices));
}

function byStart(left: PlannedInstance, right: PlannedInstance): number {
  return left.start - right.start;
}

function refuseUnplaced(subject: Subject): Refusal {
  return refuse(
    'PlacementsUnknown',
    `where instances may sit on ${nameSubject(subject)} is not published; plans need the table of the driver (nvidia-smi mig -lgipp)`,
  );
}

function refuseBusy(found: Found, present: Present): Refusal {
  const kept = new Set(found.kept.map((entry) => entry.present));
  const busy = present.known.filter((instance) => instance.instance.busy && !kept.has(instance));
  const names = busy.map(({ instance }) => `${instance.profile} at ${instance.start}`);
  const what = names.length > 0 ? `destroys ${names.join(', ')}` : 'takes compute instances from an instance';
  return refuse(
    'BusyInstanceInTheWay',
    `every way to this layout ${what}, which is in use; it can be made once that is free`,
  );
}
