import type { DeviceReport, GpuReport, GpuWish, PlanReport } from '../../api/types.ts';
import { explainOldDriver } from '../gpu/geometry/model-lookup.ts';
import { type ChangeRefusal, type GpuChange, pickInstances, planGpuChange } from '../gpu/plan/gpu-change.ts';
import type { ViewedInstance } from '../gpu/plan/gpu-view.ts';
import { planGpuReset } from '../gpu/plan/reset-plan.ts';
import { type Place, placeOf } from '../gpu/search/instance.ts';
import { writeLayout } from '../gpu/search/layout-words.ts';
import { viewReport } from './report-view.ts';
import { describeVgpu } from '../gpu/state/device-state.ts';
import { describeUse, type DeviceUsers, listMonitors, listUsers, userKey } from '../gpu/state/device-users.ts';
import { meetsWish } from './wish.ts';
import { definedOnly } from '../text/defined-fields.ts';

/** The work to do on one GPU. */
export interface GpuWork extends Pick<GpuChange, 'steps' | 'resets'> {
  readonly uuid: string;
  readonly mode?: NonNullable<GpuChange['mode']>;
}

/** What one GPU needs; `kept` instances are unchanged. */
export interface GpuNeed {
  readonly work?: GpuWork;
  readonly kept: number;
  readonly refusal?: PlanRefusal;
  /** What the work destroys although pods hold it, by {@link userKey}. */
  readonly drains?: readonly string[];
  /** Those pods. */
  readonly pods?: readonly string[];
}

interface PlanRefusal {
  readonly code: NonNullable<PlanReport['refusalCode']>;
  readonly message: string;
  /** Pods that look on at what is in the way, with their claims: its processes may be theirs. */
  readonly monitors?: readonly string[];
}

/**
 * Plans one GPU of a wish. Work that pods block is planned for when they have gone.
 *
 * @param foreign placements of instances that may not be touched
 * @param users whom to name if somebody is in the way
 * @param mayReset whether the plan may include a reset that the GPU's driver asks for
 */
export function planGpuWish(
  device: DeviceReport,
  wish: GpuWish,
  foreign: ReadonlySet<string>,
  users: DeviceUsers = new Map(),
  mayReset = false,
): GpuNeed {
  const gpu = device.gpus?.find(({ uuid }) => uuid === wish.uuid);
  if (!gpu) return refuse('Lost', `GPU ${wish.uuid} is no longer on this node`);
  if (gpu.error !== undefined) return refuse('Lost', `GPU ${gpu.index} (${gpu.pciBusId}): ${gpu.error}`);
  if (meetsWish(gpu, wish)) return { kept: gpu.instances.length };
  const isReset = mayReset && gpu.health?.action === 'Reset' && wish.mig !== 'Disabled';
  if (gpu.health !== undefined && !isReset)
    return refuse('Unhealthy', `GPU ${gpu.index} (${gpu.pciBusId}) is not repartitioned: ${gpu.health.message}`);
  const want = wish.mig === 'Disabled' ? 'Disabled' : (wish.profiles ?? {});
  const view = viewReport(device, gpu);
  const name = `GPU ${gpu.index} (${view.product})`;
  if (gpu.vgpuHost !== undefined) {
    const advice = 'take it out of the layout, or out of vGPU mode';
    return refuse('Foreign', `${name} ${describeVgpu(gpu.vgpuHost)} and is left alone: ${advice}`);
  }
  const oldDriver = want === 'Disabled' ? undefined : explainOldDriver(gpu.product, device.driverVersion);
  if (oldDriver !== undefined) return refuse('Impossible', `${name}: ${oldDriver}; nothing was touched`);
  const mayTouch = (place: Place): boolean => !foreign.has(placeOf(place));
  const result =
    isReset && want !== 'Disabled' ? planGpuReset(view, want, mayTouch) : planGpuChange(view, want, mayTouch);
  if ('refusal' in result) {
    return result.refusal.code === 'Untouchable'
      ? refuseForeign(name, want === 'Disabled' ? 'MIG mode Disabled' : writeLayout(want), result.refusal.inTheWay)
      : explain(gpu, wish, name, result.refusal, users);
  }
  const { mode, steps, keep, isDone, resets } = result.change;
  // The layout is there, beside something that no plan touches.
  if (isDone)
    return refuse(
      'Impossible',
      `${name} holds instances of profiles that its profile table does not have; destroy them manually`,
    );
  const work = definedOnly({ uuid: gpu.uuid, mode, resets, steps });
  return { kept: keep.length, work, ...listDrained(gpu, result.change) };
}

function listDrained(gpu: GpuReport, { drains, drainsGpu }: GpuChange): Pick<GpuNeed, 'drains' | 'pods'> {
  const used = pickInstances(gpu, drains);
  const whole = drainsGpu ? [gpu] : [];
  return {
    drains: [...whole.map(({ uuid }) => userKey(uuid)), ...used.map((one) => userKey(gpu.uuid, one))],
    pods: [...whole, ...used].flatMap(({ pods = [] }) => pods),
  };
}

function explain(
  gpu: GpuReport,
  wish: GpuWish,
  name: string,
  { code, message, inTheWay }: ChangeRefusal,
  users: DeviceUsers,
): GpuNeed {
  if (code === 'NoMig') return refuse('Impossible', `${name} does not support MIG`);
  if (code !== 'InUse') return refuse('Impossible', `${name}: ${message}`);
  const used = pickInstances(gpu, inTheWay);
  const places = used.length > 0 ? used : [undefined, ...gpu.instances];
  const monitors = [...new Set(places.flatMap((one) => listMonitors(users, gpu, one)))].sort();
  if (inTheWay.length === 0) {
    return refuse('InUse', `${name}: ${describeUse(users, gpu)} it; it can change once that ends`, monitors);
  }
  const [first] = used;
  if (wish.mig === 'Disabled' && first !== undefined) {
    const what = `${describeUse(users, gpu, first)} ${first.profile} at ${first.start}`;
    return refuse('InUse', `${name}: ${what}; MIG mode can be disabled once it ends`, monitors);
  }
  const names = [...new Set(used.flatMap((one) => listUsers(users, gpu, one)))].sort();
  const holders = names.length > 0 ? ` (held by ${names.join(', ')})` : '';
  return refuse('InUse', `${name}: ${message}${holders}`, monitors);
}

function refuseForeign(name: string, want: string, others: readonly ViewedInstance[]): GpuNeed {
  const places = others.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  return refuse(
    'Foreign',
    `${name}: ${want} requires destroying ${places}, which this operator did not create. Destroy ${others.length === 1 ? 'it' : 'them'} manually, ` +
      'choose a layout that keeps what is there, or set spec.allow.replaceForeignInstances: true',
  );
}

function refuse(code: PlanRefusal['code'], message: string, monitors: readonly string[] = []): GpuNeed {
  return { kept: 0, refusal: { code, message, ...(monitors.length > 0 && { monitors }) } };
}
