import type { DeviceReport, PlanReport, Wish } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';
import { listDisturbed } from '../gpu/plan/gpu-change.ts';
import type { Step } from '../gpu/plan/step.ts';
import { type DeviceUsers, unidentifiedKey } from '../gpu/state/device-users.ts';
import type { ForeignInstances } from './ownership.ts';
import { type GpuNeed, type GpuWork, planGpuWish } from './plan-gpu-wish.ts';
import { wishHash } from './wish.ts';
import { cutText } from '../text/cut-text.ts';

export interface WishPlan {
  /** GPUs that differ from the wish, in the order of the device. */
  readonly work: readonly GpuWork[];
  /** For the status; its hash identifies exactly this work. */
  readonly report: PlanReport;
}

/** What is requested: a wish, or a grant of it. */
export type AskedWish = Pick<Wish, 'gpus' | 'replaceForeignInstances' | 'allowGpuReset'>;

const noForeign: ForeignInstances = new Map();
const noUsers: DeviceUsers = new Map();

/** As many as the API accepts; and no more bytes of names than leave room for the rest of the report. */
const mostNames = 256;
const mostNameBytes = 12_000;
const mostMonitors = 16;

/**
 * Plans a wish on what the agent just read. What pods hold is destroyed only if there is no other way: then the plan names these
 * pods, and applies once they have gone. What a process outside any pod uses is never destroyed, nor is an instance that somebody
 * else created unless the wish allows it: if that would be needed, the plan is a refusal that names it. Deterministic: the same
 * device and wish give the same hash.
 *
 * @param users whom to name if somebody is in the way
 */
export function planWish(
  device: DeviceReport,
  wish: AskedWish,
  foreign: ForeignInstances = noForeign,
  users: DeviceUsers = noUsers,
): WishPlan {
  const untouchable = wish.replaceForeignInstances === true ? noForeign : foreign;
  const mayReset = wish.allowGpuReset !== false;
  const outcomes = wish.gpus.map((one) =>
    planGpuWish(device, one, untouchable.get(one.uuid) ?? new Set(), users, mayReset),
  );
  const unidentified = outcomes.some(({ work: some }) => some !== undefined && isDisturbing(some))
    ? refuseUnidentified(users)
    : [];
  const refusals = [...outcomes.flatMap((outcome) => outcome.refusal ?? []), ...unidentified];
  const stopping = refusals.find(({ code }) => code !== 'Lost' && code !== 'Unhealthy');
  const work = stopping === undefined ? outcomes.flatMap((outcome) => outcome.work ?? []) : [];
  // A GPU that does not answer, or is unhealthy, delays the others no longer than there is work on them.
  const refusal = stopping ?? (work.length === 0 ? refusals[0] : undefined);
  const going = stopping === undefined ? outcomes : [];
  const { affectedPods, morePods } = namePods(listSorted(going.flatMap(({ pods = [] }) => pods)));
  const drains = listSorted(going.flatMap((one) => one.drains ?? [])).slice(0, mostNames);
  const count = (action: Step['action']) =>
    work.reduce((sum, { steps }) => sum + steps.filter((step) => step.action === action).length, 0);
  const modeChanges = work.filter(({ mode, resets }) => mode !== undefined || resets === true).length;
  return {
    work,
    report: {
      hash: fingerprint(canonicalJson([work, affectedPods, drains])),
      wishHash: wishHash(wish),
      keep: outcomes.reduce((sum, { kept }) => sum + kept, 0),
      destroy: count('DestroyInstance'),
      create: count('CreateInstance'),
      gpusChanging: work.length,
      ...(modeChanges > 0 ? { modeChanges } : {}),
      ...(affectedPods.length > 0 ? { affectedPods } : {}),
      ...(morePods > 0 ? { morePods } : {}),
      ...(drains.length > 0 ? { drains } : {}),
      ...(refusal === undefined ? {} : { refusalCode: refusal.code, refusal: cutText(refusal.message, 1024) }),
      ...(refusal?.monitors && { monitors: refusal.monitors.slice(0, mostMonitors) }),
    },
  };
}

/** Whether the work may harm whoever uses the GPU; making an instance in free room does not. */
function isDisturbing({ mode, resets, steps }: GpuWork): boolean {
  return mode !== undefined || resets === true || listDisturbed(steps).length > 0;
}

function refuseUnidentified(users: DeviceUsers): readonly NonNullable<GpuNeed['refusal']>[] {
  const held = users.get(unidentifiedKey) ?? [];
  if (held.length === 0) return [];
  const message = `${held.join(', ')}, which this node does not have and which may be any device: nothing is changed while the pod is there`;
  return [{ code: 'InUse', message }];
}

function listSorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

function namePods(pods: readonly string[]): { readonly affectedPods: string[]; readonly morePods: number } {
  let bytes = 0;
  const first = pods.slice(0, mostNames).findIndex((pod) => (bytes += pod.length) > mostNameBytes);
  const affectedPods = pods.slice(0, first === -1 ? mostNames : first);
  return { affectedPods, morePods: pods.length - affectedPods.length };
}
