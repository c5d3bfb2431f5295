import type { DeviceReport, GpuReport, GpuWish, PlanReport } from '../../api/types.ts';
import { type ChangeRefusal, type GpuChange, planGpuChange } from '../gpu/plan/gpu-change.ts';
import type { ViewedInstance } from '../gpu/plan/gpu-view.ts';
import { placeOf } from '../gpu/search/instance.ts';
import { viewReport } from './report-view.ts';
import { describeUse, type DeviceUsers, listUsers } from './device-users.ts';
import { meetsWish } from './wish.ts';

/** What has to be done on one GPU. */
export interface GpuWork extends Pick<GpuChange, 'steps'> {
  readonly uuid: string;
  readonly mode?: NonNullable<GpuChange['mode']>;
}

/** What one GPU needs; `kept` instances stay as they are. */
export interface GpuNeed {
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
): GpuNeed {
  const gpu = device.gpus?.find(({ uuid }) => uuid === wish.uuid);
  if (!gpu) return refuse('Lost', `GPU ${wish.uuid} is not on this node any more`);
  if (gpu.error !== undefined) return refuse('Lost', `GPU ${gpu.index} (${gpu.pciBusId}): ${gpu.error}`);
  if (meetsWish(gpu, wish)) return { kept: gpu.instances.length };
  if (gpu.health !== undefined)
    return refuse('Unhealthy', `GPU ${gpu.index} (${gpu.pciBusId}) is not repartitioned: ${gpu.health.message}`);
  const want = wish.mig === 'Disabled' ? 'Disabled' : (wish.profiles ?? {});
  const view = viewReport(device, gpu);
  const name = `GPU ${gpu.index} (${view.product})`;
  const result = planGpuChange(view, want, (place) => !foreign.has(placeOf(place)));
  if ('refusal' in result) {
    return result.refusal.code === 'Untouchable'
      ? refuseForeign(name, want === 'Disabled' ? 'MIG mode Disabled' : JSON.stringify(want), result.refusal.inTheWay)
      : explain(gpu, wish, name, result.refusal, users);
  }
  const { mode, steps, keep, isDone } = result.change;
  // The layout is there, beside something that no plan touches.
  if (isDone)
    return refuse(
      'Impossible',
      `${name} holds instances of profiles that its profile table does not have; destroy them by hand`,
    );
  return { kept: keep.length, work: { uuid: gpu.uuid, ...(mode === undefined ? {} : { mode }), steps } };
}

function explain(
  gpu: GpuReport,
  wish: GpuWish,
  name: string,
  { code, message, inTheWay }: ChangeRefusal,
  users: DeviceUsers,
): GpuNeed {
  if (code === 'NoMig') return refuse('Impossible', `${name} does not know MIG`);
  if (code !== 'InUse') return refuse('Impossible', `${name}: ${message}`);
  if (inTheWay.length === 0) {
    return refuse('InUse', `${name}: ${describeUse(users, gpu)} it; it can be changed when that has ended`, gpu.pods);
  }
  const places = new Set(inTheWay.map(placeOf));
  const used = gpu.instances.filter((one) => places.has(placeOf(one)));
  const pods = used.flatMap((one) => one.pods ?? []);
  const [first] = used;
  if (wish.mig === 'Disabled' && first !== undefined) {
    const what = `${describeUse(users, gpu, first)} ${first.profile} at ${first.start}`;
    return refuse('InUse', `${name}: ${what}; MIG mode can be disabled when it has ended`, pods);
  }
  const names = [...new Set(used.flatMap((one) => listUsers(users, gpu, one)))].sort();
  const holders = names.length > 0 ? ` (held by ${names.join(', ')})` : '';
  return refuse('InUse', `${name}: ${message}${holders}`, pods);
}

function refuseForeign(name: string, want: string, others: readonly ViewedInstance[]): GpuNeed {
  const places = others.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  return refuse(
    'Foreign',
    `${name}: ${want} needs ${places} gone, which this operator did not make. Destroy ${others.length === 1 ? 'it' : 'them'} by hand, ` +
      'ask for a layout that keeps what is there, or set spec.allow.replaceForeignInstances: true',
  );
}

function refuse(code: PlanRefusal['code'], message: string, pods: readonly string[] = []): GpuNeed {
  return { kept: 0, pods, refusal: { code, message } };
}
