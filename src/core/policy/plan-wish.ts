import type { DeviceReport, GpuReport, GpuWish, PlanReport, Wish } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../fingerprint.ts';
import { findModel } from '../geometry/model-lookup.ts';
import { planGpu } from '../planning/gpu-plan.ts';
import type { Instance } from '../planning/instance.ts';
import type { Step } from '../planning/step.ts';
import { liveGeometry } from './live-geometry.ts';
import { meetsWish, wishHash } from './wish.ts';

/** What has to be done on one GPU, in this order: steps, then `Disable`; or `Enable`, then steps. */
export interface GpuWork {
  readonly uuid: string;
  readonly mode?: 'Enable' | 'Disable';
  readonly steps: readonly Step[];
}

export interface WishPlan {
  /** GPUs that differ from the wish, in the order of the device. */
  readonly work: readonly GpuWork[];
  /** For status; its hash names exactly this work. */
  readonly report: PlanReport;
}

/** What one GPU needs; `kept` instances stay as they are. */
interface GpuOutcome {
  readonly work?: GpuWork;
  readonly kept: number;
  readonly refusal?: PlanRefusal;
}

interface PlanRefusal {
  readonly code: NonNullable<PlanReport['refusalCode']>;
  readonly message: string;
}

/**
 * Plans a wish on what the agent just read. An instance with a process is never destroyed: where the wish needs that,
 * the plan is a refusal that names it. Deterministic: the same device and wish give the same hash.
 */
export function planWish(device: DeviceReport, wish: Wish['gpus']): WishPlan {
  const outcomes = wish.map((one) => planOne(device, one));
  const refusals = outcomes.flatMap((outcome) => outcome.refusal ?? []);
  const stopping = refusals.find(({ code }) => code !== 'Lost');
  const work = stopping === undefined ? outcomes.flatMap((outcome) => outcome.work ?? []) : [];
  // A GPU that does not answer keeps the others waiting no longer than there is work on them.
  const refusal = stopping ?? (work.length === 0 ? refusals[0] : undefined);
  const count = (action: Step['action']) =>
    work.reduce((sum, { steps }) => sum + steps.filter((step) => step.action === action).length, 0);
  return {
    work,
    report: {
      hash: fingerprint(canonicalJson(work)),
      wishHash: wishHash(wish),
      keep: outcomes.reduce((sum, { kept }) => sum + kept, 0),
      destroy: count('DestroyInstance'),
      create: count('CreateInstance'),
      gpusChanging: work.length,
      ...(refusal === undefined ? {} : { refusalCode: refusal.code, refusal: refusal.message.slice(0, 1024) }),
    },
  };
}

function planOne(device: DeviceReport, wish: GpuWish): GpuOutcome {
  const gpu = device.gpus?.find(({ uuid }) => uuid === wish.uuid);
  if (!gpu) return refuse('Lost', `GPU ${wish.uuid} is not on this node any more`);
  if (gpu.error !== undefined) return refuse('Lost', `GPU ${gpu.index} (${gpu.pciBusId}): ${gpu.error}`);
  if (meetsWish(gpu, wish)) return { kept: gpu.instances.length };
  return wish.mig === 'Disabled' ? planWhole(gpu) : planSlices(device, gpu, wish);
}

function planWhole(gpu: GpuReport): GpuOutcome {
  const busy = gpu.instances.find((instance) => instance.busy === true);
  if (busy) {
    const what = `a process runs on ${busy.profile} at ${busy.start}`;
    return refuse('InUse', `GPU ${gpu.index}: ${what}; MIG mode can be disabled when it has ended`);
  }
  const steps = gpu.instances.map((instance): Step => ({
    action: 'DestroyInstance',
    profile: instance.profile,
    start: instance.start,
    computeInstances: computeInstancesOf(gpu, instance.start),
  }));
  return { kept: 0, work: { uuid: gpu.uuid, mode: 'Disable', steps } };
}

function planSlices(device: DeviceReport, gpu: GpuReport, wish: GpuWish): GpuOutcome {
  const name = `GPU ${gpu.index} (${gpu.product.replace(/^NVIDIA /, '')})`;
  const geometry = liveGeometry(device, gpu);
  if (!geometry) return refuse('Impossible', `${name} does not know MIG`);
  const isOn = gpu.mig === 'Enabled';
  if (!isOn && gpu.busy === true) {
    return refuse('InUse', `${name}: a process runs on it; MIG mode can be enabled when it has ended`);
  }
  const model = findModel(gpu.product);
  const plan = planGpu(
    geometry,
    isOn ? gpu.instances.map((one) => instanceOf(gpu, one.start)) : [],
    wish.profiles ?? {},
    {
      gpuName: name,
      keepBusy: true,
      ...(model === undefined ? {} : { model }),
    },
  );
  if (!plan.fits) {
    const code = plan.refusal.code === 'BusyInstanceInTheWay' ? 'InUse' : 'Impossible';
    return refuse(code, `${name}: ${plan.refusal.message}`);
  }
  return {
    kept: plan.keep.length,
    work: { uuid: gpu.uuid, ...(isOn ? {} : { mode: 'Enable' as const }), steps: plan.steps },
  };
}

function refuse(code: PlanRefusal['code'], message: string): GpuOutcome {
  return { kept: 0, refusal: { code, message } };
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
