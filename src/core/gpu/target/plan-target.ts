import type { Layout } from '../geometry/geometry.ts';
import { explainOldDriver } from '../geometry/model-lookup.ts';
import { type ChangeRefusal, type GpuChange, type MayTouch, planGpuChange } from '../plan/gpu-change.ts';
import type { GpuView, ViewedInstance } from '../plan/gpu-view.ts';
import { placeOf } from '../search/instance.ts';
import { writeLayout } from '../search/layout-words.ts';
import { describeProcess } from '../state/device-users.ts';
import { DeviceError, type DeviceErrorCode } from '../state/device-error.ts';
import { planGpuReset } from '../plan/reset-plan.ts';
import { describeVgpu, type GpuState, toInstances } from '../state/device-state.ts';
import type { Step } from '../plan/step.ts';

/** What must not be disturbed. */
export interface PlanLimits {
  /** UUIDs of MIG devices and GPUs that pods hold. */
  readonly held: ReadonlySet<string>;
  /** Whether an instance may be destroyed or lose a compute instance. */
  readonly mayTouch: MayTouch;
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

/** What the planner's refusals are at a device. */
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
