// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here what a GPU that was just read lacks of its target, in steps, or for the DeviceError why it cannot change.
import {
  type GpuView,
  type ViewedInstance,
  type GpuChange,
  type ChangeRefusal,
  planGpuChange,
  type Step,
  planGpuReset,
} from '../gpu/plan.ts';
import { type Layout, explainOldDriver } from '../gpu/geometry.ts';
import { type Place, placeOf } from '../gpu/grid.ts';
import { computeInstanceSlices, nameWhole } from '../gpu/profiles.ts';
import { writeLayout } from '../gpu/layout.ts';
import {
  describeProcess,
  describeVgpu,
  type GpuState,
  DeviceError,
  type DeviceErrorCode,
  type GpuInstanceState,
} from '../gpu/device-state.ts';

/** Steps in their order, grouped so that one command can do each group: an nvidia-smi process costs seconds on a large node. */
export function batchSteps(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && areOne(first, step)) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

function areOne(first: Step, step: Step): boolean {
  if (first.action !== step.action) return false;
  if (step.action === 'DestroyInstance') return true;
  if (step.action !== 'CreateInstance' || !isDefaultInstance(first) || !isDefaultInstance(step)) return false;
  return first.computeInstances.length === step.computeInstances.length;
}

/** True if one command creates the GPU instance with its contents: the compute instance over the whole, or none. */
export function isDefaultInstance({ profile, computeInstances }: Step): boolean {
  return computeInstances.length === 0 || spansInstance({ profile, computeInstances });
}

export function spansInstance({ profile, computeInstances }: Pick<Step, 'profile' | 'computeInstances'>): boolean {
  return computeInstances.length === 1 && computeInstances[0] === profile;
}

/**
 * Steps from the current state back to an earlier one: the same profiles at the same starts with the same compute instances. An
 * instance that did not exist then is destroyed only if it may be.
 *
 * @param isMade whether an instance that did not exist before was created meanwhile by whoever returns
 */
export function planReturn(
  now: readonly ViewedInstance[],
  before: readonly ViewedInstance[],
  isMade: (instance: ViewedInstance) => boolean,
): readonly Step[] {
  const same = (a: ViewedInstance) => (b: ViewedInstance) => placeOf(a) === placeOf(b);
  const destroyed = now.filter((instance) => !before.some(same(instance)) && isMade(instance));
  const created = before
    .filter((instance) => !now.some(same(instance)))
    .toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const kept = before.flatMap((was) => now.filter(same(was)).map((is) => ({ was, is })));
  return [
    ...kept.flatMap(({ was, is }) => difference('DestroyComputeInstances', is, was)),
    ...destroyed.map((instance): Step => ({ action: 'DestroyInstance', ...describe(instance) })),
    ...created.map((instance): Step => ({ action: 'CreateInstance', ...describe(instance) })),
    ...kept.flatMap(({ was, is }) => difference('CreateComputeInstances', was, is)),
  ];
}

/** A step with the compute instances that `more` has beyond `less`. */
function difference(
  action: 'DestroyComputeInstances' | 'CreateComputeInstances',
  more: ViewedInstance,
  less: ViewedInstance,
): readonly Step[] {
  const rest = [...less.computeInstances];
  const computeInstances = describe(more).computeInstances.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
  return computeInstances.length === 0 ? [] : [{ action, ...describe(less), computeInstances }];
}

function describe({ profile, start, computeInstances }: ViewedInstance): Omit<Step, 'action'> {
  const largestFirst = computeInstances.toSorted((a, b) => computeInstanceSlices(b, 0) - computeInstanceSlices(a, 0));
  return { profile, start, computeInstances: largestFirst };
}

/** The limits of a plan: what it must not disturb. */
export interface PlanLimits {
  /** UUIDs of MIG devices and GPUs that pods hold. */
  readonly held: ReadonlySet<string>;
  /** Whether an instance may be destroyed or lose a compute instance. */
  readonly mayTouch: (place: Place) => boolean;
}

/**
 * Plans what a GPU lacks according to a reading, with the same planner as the agent's plan and the grant.
 *
 * @throws DeviceError if the target is impossible, or not possible now
 */
export function planTarget(
  gpu: GpuState,
  want: Layout | 'Disabled',
  { held, mayTouch }: PlanLimits,
  plan = planGpuChange,
): GpuChange {
  const tried = want === 'Disabled' ? 'to plan MIG mode off' : `to plan ${writeLayout(want)}`;
  if (gpu.fault !== undefined)
    throw new DeviceError(gpu.fault.code, { tried, found: gpu.fault.message, gpu: gpu.pciBusId });
  const result = plan(viewState(gpu, held), want, mayTouch);
  if ('change' in result) return result.change;
  const { refusal } = result;
  throw new DeviceError(codes[refusal.code], {
    tried,
    found: refusal.message,
    gpu: gpu.pciBusId,
    holders: refusal.code === 'InUse' ? listHolders(gpu, held, refusal.inTheWay) : [],
  });
}

/**
 * Plans a GPU that is to change now: {@link planTarget}, provided that it and its driver are healthy. If it asks for a reset, and
 * resets are allowed, the plan includes one.
 */
export function judgeChange(
  gpu: GpuState,
  want: Layout | 'Disabled',
  limits: PlanLimits,
  { driverVersion, mayReset = false }: { readonly driverVersion: string; readonly mayReset?: boolean },
): GpuChange {
  const change = planTarget(gpu, want, limits);
  if (change.isDone) return change;
  const refuse = (code: DeviceErrorCode, found: string): DeviceError =>
    new DeviceError(code, { tried: 'to change the GPU', found, gpu: gpu.pciBusId });
  const oldDriver = want === 'Disabled' ? undefined : explainOldDriver(gpu.product, driverVersion);
  if (oldDriver !== undefined) throw refuse('NotSupported', oldDriver);
  if (gpu.vgpuHost !== undefined) throw refuse('VgpuHost', `it ${describeVgpu(gpu.vgpuHost)}`);
  if (gpu.health === undefined) return change;
  const { action, message } = gpu.health;
  if (action === 'Reset' && mayReset && want !== 'Disabled')
    return planTarget(gpu, want, limits, (view, _want, mayTouch) => planGpuReset(view, want, mayTouch));
  throw refuse(action === 'Reset' ? 'ResetRequired' : action === 'Reboot' ? 'RebootRequired' : 'Unhealthy', message);
}

/** The planner's view of a GPU that was read from the driver. */
function viewState(gpu: GpuState, held: ReadonlySet<string>): GpuView {
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry: gpu.geometry,
    mig: gpu.mig,
    instances: toInstances(gpu, held),
    use: held.has(gpu.uuid) ? 'Held' : gpu.processes.length > 0 ? 'Processes' : 'None',
  };
}

/** @param inTheWay instances; empty if the GPU itself is used */
function listHolders(gpu: GpuState, held: ReadonlySet<string>, inTheWay: readonly ViewedInstance[]): readonly string[] {
  const whole = [...gpu.processes.map(describeProcess), ...(held.has(gpu.uuid) ? ['a pod that holds the GPU'] : [])];
  if (inTheWay.length === 0) return whole;
  const places = new Set(inTheWay.map(placeOf));
  const holders = gpu.instances
    .filter((instance) => places.has(placeOf(instance)))
    .flatMap(({ profile, start, processes, computeInstances }) => [
      ...processes.map((process) => `${describeProcess(process)} on ${profile} at ${start}`),
      ...computeInstances.flatMap(({ uuid }) =>
        uuid !== undefined && held.has(uuid) ? [`a pod on ${profile} at ${start}`] : [],
      ),
    ]);
  return holders.length > 0 ? holders : whole;
}

/** The codes that the planner's refusals have as errors of a device. */
const codes: Readonly<Record<ChangeRefusal['code'], DeviceErrorCode>> = {
  NoMig: 'NotSupported',
  InUse: 'InUse',
  Untouchable: 'ForeignInstance',
  ForeignInstanceInTheWay: 'ForeignInstance',
  UnknownInstance: 'ForeignInstance',
  UnknownProfile: 'UnknownProfile',
  InvalidProfileName: 'UnknownProfile',
  InvalidComputeInstance: 'UnknownProfile',
  UnknownPreset: 'UnknownProfile',
  InvalidCount: 'DoesNotFit',
  NotEnoughMemorySlices: 'DoesNotFit',
  NotEnoughComputeSlices: 'DoesNotFit',
  TooManyInstances: 'DoesNotFit',
  NotEnoughEngines: 'DoesNotFit',
  ExclusiveProfiles: 'DoesNotFit',
  NoPlacement: 'DoesNotFit',
  PlacementsUnknown: 'DoesNotFit',
  TooManyCombinations: 'DoesNotFit',
  OverlappingInstances: 'DoesNotFit',
  NotEnoughGpus: 'DoesNotFit',
};

/** The desired state of one GPU. */
export interface GpuTarget {
  readonly uuid: string;
  /** Profile to count; empty for MIG mode without instances; or MIG off. */
  readonly want: Layout | 'Disabled';
  /**
   * Steps of the plan that was granted or shown, executed unchanged; a new plan is made only after a failure, or if a reading shows
   * something else. Only what they destroy may be destroyed, idle or not. Absent: the plan is made on the first reading, and may
   * destroy every existing instance.
   */
  readonly steps?: readonly Step[];
  /** The plan resets the GPU after everything on it has been destroyed. */
  readonly resets?: boolean;
}

/**
 * The instances of a GPU, as input for the planner.
 *
 * @param held UUIDs of MIG devices, or of the whole GPU, that somebody holds without running a process: pods in PodResources
 */
export function toInstances(gpu: GpuState, held: ReadonlySet<string> = new Set()): readonly ViewedInstance[] {
  return gpu.instances.map((instance) => ({
    profile: instance.profile,
    start: instance.start,
    size: instance.size,
    busy: isBusy(gpu, instance, held),
    computeInstances: instance.computeInstances.map((part) => nameWhole(part.profile, instance.profile)),
  }));
}

/**
 * True if a process runs on the instance or somebody holds it, or may: on a GPU in MIG mode, a process whose instance the driver
 * does not report may be on any.
 */
export function isBusy(gpu: GpuState, instance: GpuInstanceState, held: ReadonlySet<string> = new Set()): boolean {
  return (
    instance.processes.length > 0 ||
    gpu.processes.length > 0 ||
    held.has(gpu.uuid) ||
    instance.computeInstances.some(({ uuid }) => uuid !== undefined && held.has(uuid))
  );
}
