import type { Layout } from '../geometry/geometry.ts';
import { findModel } from '../geometry/model-lookup.ts';
import { type Place, type PlannedInstance, placeOf } from '../search/instance.ts';
import type { RefusalCode } from '../search/refusal.ts';
import { type GpuPlan, planGpu } from './gpu-plan.ts';
import type { GpuView, MigMode, ViewedInstance } from './gpu-view.ts';
import type { Step } from './step.ts';

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
    /** What must be destroyed is in use, and its users are not evicted. */
    | 'InUse'
    /** What must be destroyed may not be touched. */
    | 'Untouchable';
  /** Without the GPU's name. */
  readonly message: string;
  /** The instances in the way, for `InUse` and `Untouchable`; empty if the GPU itself is in use. */
  readonly inTheWay: readonly ViewedInstance[];
}

export type GpuChangeResult = { readonly change: GpuChange } | { readonly refusal: ChangeRefusal };

export type MayTouch = (place: Place) => boolean;

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
    return refuse('NoMig', 'the GPU does not support MIG');
  }
  const result = want === 'Disabled' ? planEmptying(view, mayTouch) : planLayout(view, want, mayTouch);
  // What already matches disrupts nobody, whoever uses it.
  if ('change' in result && result.change.isDone) return result;
  // A process of which the driver names no instance may be on any; if there is none, it has the whole GPU, and no instance is made.
  const isOpen = view.use === 'Processes' && (view.mig.current !== modeOf(want) || view.instances.length === 0);
  return view.use === 'Held' || isOpen ? refuse('InUse', 'the GPU is in use; it can change once that ends') : result;
}

/** Used by somebody who is not evicted. */
function isStuck({ busy, isEvictable = false }: ViewedInstance): boolean {
  return busy && !isEvictable;
}

function planEmptying(view: GpuView, mayTouch: MayTouch): GpuChangeResult {
  const stuck = view.instances.filter(isStuck);
  if (stuck.length > 0) {
    return refuse('InUse', `${listPlaces(stuck)} in use; MIG mode can be disabled once that ends`, stuck);
  }
  const untouchable = view.instances.filter((instance) => !mayTouch(instance));
  if (untouchable.length > 0) {
    return refuse(
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
  if (geometry === undefined) return refuse('NoMig', 'the GPU does not support MIG');
  const subject = { gpuName: view.product, model: findModel(view.product) };
  const plan = (mayDisturb: MayTouch) => planGpu(geometry, instances, want, { ...subject, mayDisturb });
  const stuck = new Set(instances.filter(isStuck).map(placeOf));
  const best = plan((one) => mayTouch(one) && !stuck.has(placeOf(one)));
  if (best.fits) {
    return { change: writeChange(view, 'Enabled', best.steps, pickTouched(view, best), best.create) };
  }
  if (best.refusal.code !== 'BusyInstanceInTheWay') {
    const { code, message } = best.refusal;
    return refuse(code, message);
  }
  // Work in progress, or foreign instances: the user has to ask different people.
  const freed = plan((one) => !stuck.has(placeOf(one)));
  if (freed.fits) {
    const others = pickTouched(view, freed).filter((one) => !mayTouch(one));
    return refuse(
      'Untouchable',
      `every way to this layout destroys ${listPlaces(others)}, which must not be touched`,
      others,
    );
  }
  return refuse('InUse', freed.refusal.message, pickInstances(view, freed.inTheWay ?? []));
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

function refuse(
  code: RefusalCode | ChangeRefusal['code'],
  message: string,
  inTheWay: readonly ViewedInstance[] = [],
): { readonly refusal: ChangeRefusal } {
  return { refusal: { code: code === 'BusyInstanceInTheWay' ? 'InUse' : code, message, inTheWay } };
}
