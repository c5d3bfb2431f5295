import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { computeInstanceSlices } from '../../core/gpu/geometry/profile-name.ts';
import { planGpu } from '../../core/gpu/plan/gpu-plan.ts';
import type { RefusalCode } from '../../core/gpu/search/refusal.ts';
import type { Step } from '../../core/gpu/plan/step.ts';
import type { Place } from './apply-options.ts';
import { DeviceError, type DeviceErrorCode } from '../errors.ts';
import { isBusy, toInstances, type GpuInstanceState, type GpuState } from '../reading/state.ts';

/**
 * Steps from what is on the GPU to a layout, on the driver's own table, without touching what is busy or may not be touched.
 *
 * @param mayTouch whether an instance may be destroyed or lose a compute instance
 * @throws DeviceError InUse, ForeignInstance, UnknownProfile, DoesNotFit
 */
export function planSteps(
  gpu: GpuState,
  want: Layout,
  held: ReadonlySet<string>,
  mayTouch: (place: Place) => boolean,
): readonly Step[] {
  const tried = `to plan ${JSON.stringify(want)}`;
  if (gpu.geometry === undefined)
    throw new DeviceError('NotSupported', { tried, found: 'the GPU has no MIG profiles', gpu: gpu.pciBusId });
  const have = toInstances(gpu, held);
  const fixed = have.map((instance) => ({ ...instance, busy: instance.busy || !mayTouch(instance) }));
  const model = findModel(gpu.product);
  const options = { gpuName: gpu.product, keepBusy: true, ...(model === undefined ? {} : { model }) };
  const result = planGpu(gpu.geometry, fixed, want, options);
  if (result.fits) return result.steps;
  const { code, message } = result.refusal;
  const isForeign = code === 'BusyInstanceInTheWay' && planGpu(gpu.geometry, have, want, options).fits;
  const holders = code === 'BusyInstanceInTheWay' && !isForeign ? listHolders(gpu, held) : [];
  throw new DeviceError(isForeign ? 'ForeignInstance' : translate(code), {
    tried,
    found: isForeign ? 'every way to this layout destroys instances that may not be touched' : message,
    gpu: gpu.pciBusId,
    holders,
  });
}

/** Steps that empty the GPU, idle instances first; as {@link planSteps}, unknown profiles included. */
export function planEmptying(
  gpu: GpuState,
  held: ReadonlySet<string>,
  mayTouch: (place: Place) => boolean,
): readonly Step[] {
  const tried = 'to plan MIG mode off';
  const busy = gpu.instances.filter((instance) => isBusy(gpu, instance, held));
  if (busy.length > 0) {
    const found = `${busy.map(({ profile, start }) => `${profile} at ${start}`).join(', ')} in use; nothing was touched`;
    throw new DeviceError('InUse', { tried, found, gpu: gpu.pciBusId, holders: listHolders(gpu, held) });
  }
  const foreign = gpu.instances.filter((instance) => !mayTouch(instance));
  if (foreign.length > 0) {
    const found = `${foreign.map(({ profile, start }) => `${profile} at ${start}`).join(', ')} may not be touched`;
    throw new DeviceError('ForeignInstance', { tried, found, gpu: gpu.pciBusId });
  }
  return gpu.instances.map((instance) => ({ action: 'DestroyInstance', ...describe(instance) }));
}

/**
 * Steps from what is there back to what was: the same profiles at the same starts with the same compute instances. An instance that
 * was not there is destroyed only if this apply made it.
 */
export function planReturn(
  now: readonly GpuInstanceState[],
  before: readonly GpuInstanceState[],
  isMade: (place: Place) => boolean,
): readonly Step[] {
  const same = (a: Place) => (b: Place) => a.start === b.start && a.profile === b.profile;
  const destroyed = now.filter((instance) => !before.some(same(instance)) && isMade(instance));
  const created = before.filter((instance) => !now.some(same(instance))).toSorted((a, b) => b.size - a.size);
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
  more: GpuInstanceState,
  less: GpuInstanceState,
): readonly Step[] {
  const rest = describe(less).computeInstances.slice();
  const computeInstances = describe(more).computeInstances.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
  return computeInstances.length === 0 ? [] : [{ action, ...describe(less), computeInstances }];
}

/** Compute instances in the planner's words: one over the whole has the name of its GPU instance, whatever the driver prints. */
function describe({ profile, start, computeInstances }: GpuInstanceState): {
  readonly profile: string;
  readonly start: number;
  readonly computeInstances: readonly string[];
} {
  const names = computeInstances
    .map((part) => (computeInstanceSlices(part.profile, 0) === 0 ? profile : part.profile))
    .toSorted((a, b) => computeInstanceSlices(b, 0) - computeInstanceSlices(a, 0));
  return { profile, start, computeInstances: names };
}

function listHolders(gpu: GpuState, held: ReadonlySet<string>): readonly string[] {
  return gpu.instances.flatMap((instance) => [
    ...instance.processes.map(({ pid, name }) => `pid ${pid} (${name}) on ${instance.profile} at ${instance.start}`),
    ...instance.computeInstances.flatMap(({ uuid }) =>
      uuid !== undefined && held.has(uuid) ? [`a pod on ${instance.profile} at ${instance.start}`] : [],
    ),
  ]);
}

function translate(code: RefusalCode): DeviceErrorCode {
  switch (code) {
    case 'BusyInstanceInTheWay':
      return 'InUse';
    case 'ForeignInstanceInTheWay':
    case 'UnknownInstance':
      return 'ForeignInstance';
    case 'UnknownProfile':
    case 'InvalidProfileName':
    case 'InvalidComputeInstance':
    case 'UnknownPreset':
      return 'UnknownProfile';
    case 'InvalidCount':
    case 'NotEnoughMemorySlices':
    case 'NotEnoughComputeSlices':
    case 'TooManyInstances':
    case 'NotEnoughEngines':
    case 'ExclusiveProfiles':
    case 'NoPlacement':
    case 'PlacementsUnknown':
    case 'OverlappingInstances':
    case 'NotEnoughGpus':
      return 'DoesNotFit';
  }
}
