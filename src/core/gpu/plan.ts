// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for the steps from what is on a GPU to what is wanted, by place, in the order in which they are taken.
import { type Geometry, type Layout, findModel } from './geometry.ts';
import {
  gridOf,
  type Grid,
  type Instance,
  type PlannedInstance,
  refuse,
  type Refusal,
  completeSubject,
  type Subject,
  type Place,
  placeOf,
  type RefusalCode,
} from './grid.ts';
import { computeInstanceName } from './profiles.ts';
import { readInstances, type Occupancy } from './layout.ts';
import { subtractSlices, type Found, searchGpu } from './judge-layout.ts';
import type { MigMode } from './device-state.ts';

interface GpuPlanOptions extends Subject {
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
  readonly cost: Found['cost'];
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

/** A GPU as the planner sees it, whether read from the driver or from a report of the agent. */
export interface GpuView {
  /** `A100-SXM4-40GB` */
  readonly product: string;
  /** Geometry of the GPU; undefined if it does not support MIG profiles. */
  readonly geometry: Geometry | undefined;
  /** MIG mode; undefined if the GPU does not support it. */
  readonly mig: { readonly current: MigMode; readonly pending: MigMode } | undefined;
  /** Instances by start. */
  readonly instances: readonly ViewedInstance[];
  /**
   * How the GPU is used besides its instances: by processes, which a change of MIG mode disrupts and which keep the driver from
   * creating a first instance, or held whole by a pod, which any change disrupts. `Evictable`: held by pods that are evicted before anything is changed.
   */
  readonly use: 'None' | 'Processes' | 'Held' | 'Evictable';
}

export interface ViewedInstance extends Instance {
  /** Compute instances by the planner's names: one that covers the whole GPU instance has its name, whatever the driver prints. */
  readonly computeInstances: readonly string[];
  /** Busy because of pods that are evicted before it is touched: it may be disrupted, if need be. */
  readonly isEvictable?: boolean;
}

/** The work on one GPU, in this order: steps, then `Disable`; or `Enable`, then steps. */
export interface GpuChange {
  readonly mode: 'Enable' | 'Disable' | undefined;
  /** The GPU is reset after everything on it has been destroyed. */
  readonly resets?: true;
  readonly steps: readonly Step[];
  /** Instances that stay; by start, like the other lists. */
  readonly keep: readonly ViewedInstance[];
  readonly destroy: readonly ViewedInstance[];
  readonly create: readonly PlannedInstance[];
  /** Instances in use that are destroyed or lose a compute instance: their pods have to go first. */
  readonly drains: readonly ViewedInstance[];
  /** True if pods hold the whole GPU and have to go first. */
  readonly drainsGpu: boolean;
  /** True if the GPU matches, and stays so: no step, and no pending MIG mode. */
  readonly isDone: boolean;
}

export interface ChangeRefusal {
  readonly code:
    | Exclude<RefusalCode, 'BusyInstanceInTheWay'>
    /** The GPU has no MIG. */
    | 'NoMig'
    /** The plan destroys what is in use, and its users are not evicted. */
    | 'InUse'
    /** The plan destroys what may not be touched. */
    | 'Untouchable';
  /** The reason, without the GPU's name. */
  readonly message: string;
  /** The instances in the way, for `InUse` and `Untouchable`; empty if the GPU itself is in use. */
  readonly inTheWay: readonly ViewedInstance[];
}

export type GpuChangeResult = { readonly change: GpuChange } | { readonly refusal: ChangeRefusal };

type MayTouch = (place: Place) => boolean;

/**
 * Plans the way from a GPU's current state to the wanted one, MIG mode included: the plan in a status, what a grant allows and what
 * is done at the device all come from here. Nothing that is in use or may not be touched is destroyed or loses a compute instance,
 * except what only evictable pods use: of that as little as possible, and the change names it.
 *
 * @param want a layout (empty: MIG mode without instances), or MIG off
 * @param mayTouch whether an instance may be destroyed or lose a compute instance
 */
export function planGpuChange(view: GpuView, want: Layout | 'Disabled', mayTouch: MayTouch): GpuChangeResult {
  if (view.mig === undefined || (view.geometry === undefined && want !== 'Disabled')) {
    if (want === 'Disabled') return { change: writeChange(view, 'Disabled', [], [], []) };
    return refuseChange('NoMig', 'the GPU does not support MIG');
  }
  const result = want === 'Disabled' ? planEmptying(view, mayTouch) : planLayout(view, want, mayTouch);
  // What already matches disrupts nobody, whoever uses it.
  if ('change' in result && result.change.isDone) return result;
  // A process of which the driver names no instance may be on any; if there is none, it has the whole GPU, and no instance is made.
  const isOpen = view.use === 'Processes' && (view.mig.current !== modeOf(want) || view.instances.length === 0);
  return view.use === 'Held' || isOpen
    ? refuseChange('InUse', 'the GPU is in use; it can change once that ends')
    : result;
}

/** Used by somebody who is not evicted. */
function isStuck({ busy, isEvictable = false }: ViewedInstance): boolean {
  return busy && !isEvictable;
}

function planEmptying(view: GpuView, mayTouch: MayTouch): GpuChangeResult {
  const stuck = view.instances.filter(isStuck);
  if (stuck.length > 0) {
    return refuseChange('InUse', `${listPlaces(stuck)} in use; MIG mode can be disabled once that ends`, stuck);
  }
  const untouchable = view.instances.filter((instance) => !mayTouch(instance));
  if (untouchable.length > 0) {
    return refuseChange(
      'Untouchable',
      `${listPlaces(untouchable)} would have to be destroyed, and must not be touched`,
      untouchable,
    );
  }
  const steps = view.instances.map(({ profile, start, computeInstances }) => ({
    action: 'DestroyInstance' as const,
    profile,
    start,
    computeInstances,
  }));
  return { change: writeChange(view, 'Disabled', steps, view.instances, []) };
}

function planLayout(view: GpuView, want: Layout, mayTouch: MayTouch): GpuChangeResult {
  const { geometry, instances } = view;
  if (geometry === undefined) return refuseChange('NoMig', 'the GPU does not support MIG');
  const subject = { gpuName: view.product, model: findModel(view.product) };
  const plan = (mayDisturb: MayTouch) => planGpu(geometry, instances, want, { ...subject, mayDisturb });
  const stuck = new Set(instances.filter(isStuck).map(placeOf));
  const best = plan((one) => mayTouch(one) && !stuck.has(placeOf(one)));
  if (best.fits) {
    return { change: writeChange(view, 'Enabled', best.steps, pickTouched(view, best), best.create) };
  }
  if (best.refusal.code !== 'BusyInstanceInTheWay') {
    const { code, message } = best.refusal;
    return refuseChange(code, message);
  }
  // Work in progress, or foreign instances: the user has to ask different people.
  const freed = plan((one) => !stuck.has(placeOf(one)));
  if (freed.fits) {
    const others = pickTouched(view, freed).filter((one) => !mayTouch(one));
    return refuseChange(
      'Untouchable',
      `every way to this layout destroys ${listPlaces(others)}, which must not be touched`,
      others,
    );
  }
  return refuseChange('InUse', freed.refusal.message, pickInstances(view, freed.inTheWay ?? []));
}

function writeChange(
  view: GpuView,
  mode: MigMode,
  steps: readonly Step[],
  touched: readonly ViewedInstance[],
  create: readonly PlannedInstance[],
): GpuChange {
  const gone = new Set(steps.flatMap((step) => (step.action === 'DestroyInstance' ? [placeOf(step)] : [])));
  const isSettled = view.mig === undefined || (view.mig.current === mode && view.mig.pending === mode);
  const isDone = isSettled && steps.length === 0;
  return {
    mode: view.mig === undefined || view.mig.current === mode ? undefined : mode === 'Enabled' ? 'Enable' : 'Disable',
    steps,
    keep: view.instances.filter((one) => !gone.has(placeOf(one))),
    destroy: touched.filter((one) => gone.has(placeOf(one))),
    create,
    drains: touched.filter(({ busy }) => busy),
    drainsGpu: !isDone && view.use === 'Evictable',
    isDone,
  };
}

/** Instances that a plan destroys or takes compute instances from. */
function pickTouched(view: GpuView, { steps }: GpuPlan): readonly ViewedInstance[] {
  return pickInstances(view, listDisturbed(steps));
}

export function pickInstances<Instance extends Place>(
  { instances }: { readonly instances: readonly Instance[] },
  picked: readonly Place[],
): readonly Instance[] {
  const places = new Set(picked.map(placeOf));
  return instances.filter((one) => places.has(placeOf(one)));
}

/** Instances that steps destroy or take compute instances from. */
export function listDisturbed(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ action }) => action === 'DestroyInstance' || action === 'DestroyComputeInstances');
}

function modeOf(want: Layout | 'Disabled'): MigMode {
  return want === 'Disabled' ? 'Disabled' : 'Enabled';
}

function listPlaces(instances: readonly ViewedInstance[]): string {
  return instances.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
}

function refuseChange(
  code: RefusalCode | ChangeRefusal['code'],
  message: string,
  inTheWay: readonly ViewedInstance[] = [],
): { readonly refusal: ChangeRefusal } {
  return { refusal: { code: code === 'BusyInstanceInTheWay' ? 'InUse' : code, message, inTheWay } };
}

/**
 * A step of a plan: one operation on a GPU. A plan's steps are executed in order, one by one; each is possible once those before it are
 * done. `profile` is the GPU instance's, `start` its first placement unit.
 */
export type Step =
  /** Destroy some compute instances of a GPU instance that stays. */
  | ComputeInstanceStep<'DestroyComputeInstances'>
  /** Destroy a GPU instance, after the named compute instances on it. */
  | InstanceStep<'DestroyInstance'>
  /** Create a GPU instance at a place, then the compute instances on it. */
  | InstanceStep<'CreateInstance'>
  /** Create compute instances on a GPU instance that stays. */
  | ComputeInstanceStep<'CreateComputeInstances'>;

interface InstanceStep<Action extends string> {
  readonly action: Action;
  readonly profile: string;
  readonly start: number;
  /** Compute instance profiles, largest first; may be empty for an instance that has none. */
  readonly computeInstances: readonly string[];
}

interface ComputeInstanceStep<Action extends string> extends InstanceStep<Action> {
  /** Names of the compute instances, at least one. */
  readonly computeInstances: readonly string[];
}

/**
 * Plans the change of a GPU with a reset, which nothing survives: everything is destroyed, and all that is wanted is recreated.
 *
 * @param mayTouch as for {@link planGpuChange}
 */
export function planGpuReset(view: GpuView, want: Layout, mayTouch: MayTouch): GpuChangeResult {
  const mig = view.mig && ({ current: 'Enabled', pending: 'Enabled' } as const);
  // Like disabling MIG mode, a reset requires that nothing on the GPU is in use.
  const emptied = planGpuChange({ ...view, mig }, 'Disabled', mayTouch);
  if ('refusal' in emptied) {
    const { code, inTheWay } = emptied.refusal;
    if (code !== 'InUse' || inTheWay.length === 0) return emptied;
    const message = `${inTheWay.map(placeOf).join(', ')} in use; the GPU is reset with its next change, when that has ended`;
    return { refusal: { code, inTheWay, message } };
  }
  const made = planGpuChange({ ...view, instances: [], mig, use: 'None' }, want, mayTouch);
  if ('refusal' in made) return made;
  return {
    change: {
      ...emptied.change,
      resets: true,
      mode: view.mig?.current === 'Enabled' ? undefined : 'Enable',
      steps: [...emptied.change.steps, ...made.change.steps],
      create: made.change.create,
    },
  };
}
