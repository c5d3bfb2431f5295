import type { DeviceReport, GpuReport, GpuWish, PlanReport } from '../../api/types.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { type Instance, placeOf } from '../gpu/search/instance.ts';
import type { Step } from '../gpu/plan/step.ts';
import { describeUse, type DeviceUsers, listUsers } from './device-users.ts';
import { liveGeometry } from './live-geometry.ts';
import { meetsWish } from './wish.ts';

/** What has to be done on one GPU, in this order: steps, then `Disable`; or `Enable`, then steps. */
export interface GpuWork {
  readonly uuid: string;
  readonly mode?: 'Enable' | 'Disable';
  readonly steps: readonly Step[];
}

/** What one GPU needs; `kept` instances stay as they are. */
export interface GpuOutcome {
  readonly work?: GpuWork;
  readonly kept: number;
  readonly refusal?: PlanRefusal;
  /** Pods that hold what has to go. */
  readonly pods?: readonly string[];
}

interface PlanRefusal {
  readonly code: NonNullable<PlanReport['refusalCode']>;
  readonly message: string;
}

/**
 * Plans one GPU of a wish.
 *
 * @param foreign places of instances that may not be touched
 * @param users who is named where somebody is in the way
 */
export function planGpuWish(
  device: DeviceReport,
  wish: GpuWish,
  foreign: ReadonlySet<string>,
  users: DeviceUsers = new Map(),
): GpuOutcome {
  const gpu = device.gpus?.find(({ uuid }) => uuid === wish.uuid);
  if (!gpu) return refuse('Lost', `GPU ${wish.uuid} is not on this node any more`);
  if (gpu.error !== undefined) return refuse('Lost', `GPU ${gpu.index} (${gpu.pciBusId}): ${gpu.error}`);
  if (meetsWish(gpu, wish)) return { kept: gpu.instances.length };
  // Under strategy none a pod may hold a GPU whole that is in MIG mode, and with it whatever is on it.
  const [holder] = gpu.pods ?? [];
  if (holder !== undefined) {
    return refuse(
      'InUse',
      `GPU ${gpu.index}: ${describeUse(users, gpu)} it; it can be changed when that has ended`,
      gpu.pods,
    );
  }
  return wish.mig === 'Disabled' ? planWhole(gpu, foreign, users) : planSlices(device, gpu, wish, foreign, users);
}

function planWhole(gpu: GpuReport, foreign: ReadonlySet<string>, users: DeviceUsers): GpuOutcome {
  const pods = [...(gpu.pods ?? []), ...gpu.instances.flatMap((instance) => instance.pods ?? [])];
  const busy = gpu.instances.find((instance) => instance.busy === true);
  if (busy) {
    const what = `${describeUse(users, gpu, busy)} ${busy.profile} at ${busy.start}`;
    return refuse('InUse', `GPU ${gpu.index}: ${what}; MIG mode can be disabled when it has ended`, pods);
  }
  const others = gpu.instances.filter((instance) => foreign.has(placeOf(instance)));
  if (others.length > 0) return refuseForeign(`GPU ${gpu.index}`, 'MIG mode Disabled', others);
  const steps = gpu.instances.map((instance): Step => ({
    action: 'DestroyInstance',
    profile: instance.profile,
    start: instance.start,
    computeInstances: computeInstancesOf(gpu, instance.start),
  }));
  return { kept: 0, pods, work: { uuid: gpu.uuid, mode: 'Disable', steps } };
}

function planSlices(
  device: DeviceReport,
  gpu: GpuReport,
  wish: GpuWish,
  foreign: ReadonlySet<string>,
  users: DeviceUsers,
): GpuOutcome {
  const name = `GPU ${gpu.index} (${gpu.product.replace(/^NVIDIA /, '')})`;
  const geometry = liveGeometry(device, gpu);
  if (!geometry) return refuse('Impossible', `${name} does not know MIG`);
  const isOn = gpu.mig === 'Enabled';
  if (!isOn && gpu.busy === true) {
    return refuse(
      'InUse',
      `${name}: ${describeUse(users, gpu)} it; MIG mode can be enabled when it has ended`,
      gpu.pods,
    );
  }
  const model = findModel(gpu.product);
  const want = wish.profiles ?? {};
  const have = isOn ? gpu.instances.map((one) => instanceOf(gpu, one.start)) : [];
  const fixed = have.map((one) => ({ ...one, busy: one.busy || foreign.has(placeOf(one)) }));
  const options = { gpuName: name, ...(model === undefined ? {} : { model }) };
  const plan = planGpu(geometry, fixed, want, { ...options, keepBusy: true });
  if (plan.fits) {
    return {
      kept: plan.keep.length,
      work: { uuid: gpu.uuid, ...(isOn ? {} : { mode: 'Enable' as const }), steps: plan.steps },
    };
  }
  if (plan.refusal.code !== 'BusyInstanceInTheWay') return refuse('Impossible', `${name}: ${plan.refusal.message}`);
  // Somebody's work, or somebody's instances: who has to be asked is another.
  const forced = planGpu(geometry, fixed, want, options);
  const inTheWay = gpu.instances.filter(
    (one) => forced.fits && forced.destroy.some(({ start, profile }) => start === one.start && profile === one.profile),
  );
  const used = inTheWay.filter(({ busy }) => busy === true);
  const others = inTheWay.filter((one) => foreign.has(placeOf(one)));
  if (used.length === 0 && others.length > 0) return refuseForeign(name, JSON.stringify(want), others);
  const pods = used.flatMap((one) => one.pods ?? []);
  const names = [...new Set(used.flatMap((one) => listUsers(users, gpu, one)))].sort();
  const holders = names.length > 0 ? ` (held by ${names.join(', ')})` : '';
  return refuse('InUse', `${name}: ${plan.refusal.message}${holders}`, pods);
}

function refuseForeign(name: string, want: string, others: GpuReport['instances']): GpuOutcome {
  const places = others.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  return refuse(
    'Foreign',
    `${name}: ${want} needs ${places} gone, which this operator did not make. Destroy ${others.length === 1 ? 'it' : 'them'} by hand, ` +
      'ask for a layout that keeps what is there, or set spec.allow.replaceForeignInstances: true',
  );
}

function refuse(code: PlanRefusal['code'], message: string, pods: readonly string[] = []): GpuOutcome {
  return { kept: 0, pods, refusal: { code, message } };
}

function instanceOf(gpu: GpuReport, start: number): Instance {
  const found = gpu.instances.find((instance) => instance.start === start);
  return {
    profile: found?.profile ?? '',
    start,
    busy: found?.busy ?? false,
    computeInstances: computeInstancesOf(gpu, start),
  };
}

/** The driver's list calls a whole `1g.5gb+me` by the name `1g.5gb`; the planner wants the GPU instance's name. */
function computeInstancesOf(gpu: GpuReport, start: number): readonly string[] {
  const found = gpu.instances.find((instance) => instance.start === start);
  return (found?.computeInstances ?? []).map(({ profile }) =>
    /^\dc\./.test(profile) ? profile : (found?.profile ?? profile),
  );
}
