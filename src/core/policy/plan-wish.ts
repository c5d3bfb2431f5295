import type { DeviceReport, PlanReport, Wish } from '../../api/types.ts';
import { canonicalJson, fingerprint } from '../text/fingerprint.ts';
import type { Step } from '../gpu/plan/step.ts';
import type { DeviceUsers } from './device-users.ts';
import type { ForeignInstances } from './ownership.ts';
import { type GpuNeed, type GpuWork, planGpuWish } from './plan-gpu-wish.ts';
import { wishHash } from './wish.ts';

export interface WishPlan {
  /** GPUs that differ from the wish, in the order of the device. */
  readonly work: readonly GpuWork[];
  /** For status; its hash names exactly this work. */
  readonly report: PlanReport;
}

/** What is asked for: a wish, or a grant of it. */
type Asked = Pick<Wish, 'gpus' | 'replaceForeignInstances'>;

const noForeign: ForeignInstances = new Map();
const noUsers: DeviceUsers = new Map();

/**
 * Plans a wish on what the agent just read. An instance that somebody uses is never destroyed, nor one that somebody else made
 * unless the wish says so: where that would be needed, the plan is a refusal that names it. Deterministic: the same device and wish
 * give the same hash.
 *
 * @param users who is named where somebody is in the way
 */
export function planWish(
  device: DeviceReport,
  wish: Asked,
  foreign: ForeignInstances = noForeign,
  users: DeviceUsers = noUsers,
): WishPlan {
  const untouchable = wish.replaceForeignInstances === true ? noForeign : foreign;
  const outcomes = wish.gpus.map((one) => planGpuWish(device, one, untouchable.get(one.uuid) ?? new Set(), users));
  const refusals = outcomes.flatMap((outcome) => outcome.refusal ?? []);
  const stopping = refusals.find(({ code }) => code !== 'Lost' && code !== 'Unhealthy');
  const work = stopping === undefined ? outcomes.flatMap((outcome) => outcome.work ?? []) : [];
  // A GPU that does not answer, or is not well, keeps the others waiting no longer than there is work on them.
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
      ...some('modeChanges', work.filter(({ mode }) => mode !== undefined).length),
      ...listAffected(outcomes),
      ...(refusal === undefined ? {} : { refusalCode: refusal.code, refusal: refusal.message.slice(0, 1024) }),
    },
  };
}

function some(key: 'modeChanges', count: number): { readonly modeChanges?: number } {
  return count > 0 ? { [key]: count } : {};
}

function listAffected(outcomes: readonly GpuNeed[]): { readonly affectedPods?: string[] } {
  const pods = [...new Set(outcomes.flatMap((outcome) => outcome.pods ?? []))].sort().slice(0, 64);
  return pods.length > 0 ? { affectedPods: pods } : {};
}
