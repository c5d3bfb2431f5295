import type { DeviceReport, NodePartitionSpec, PlanReport, Wish } from '../../api/types.ts';
import { describeUse, type DeviceUsers, userKey } from './device-users.ts';
import type { ForeignInstances } from './ownership.ts';
import { planWish, type WishPlan } from './plan-wish.ts';

/** What is known of a drain that is under way. */
export interface DrainMarks {
  readonly drain?: NodePartitionSpec['drain'] | undefined;
  /** The plan that was reported last. */
  readonly reported?: PlanReport | undefined;
}

/**
 * Plans a wish while pods are told to go for it: as if all of them still held what they did, so that the plan and its hash stay what
 * they are while the pods leave one by one. Where another plan comes of that, something else has changed: then the drain is of no
 * use any more, and what is really there counts.
 *
 * @param foreign @param users as for {@link planWish}
 */
export function planDrained(
  device: DeviceReport,
  wish: Pick<Wish, 'gpus' | 'replaceForeignInstances'>,
  { drain, reported }: DrainMarks,
  foreign: ForeignInstances,
  users: DeviceUsers,
): WishPlan {
  for (const pods of drain ? listCandidates(drain, reported) : []) {
    const plan = planWish(markPlaces(device, drain?.places ?? [], pods), wish, foreign, users);
    if (plan.report.hash === drain?.planHash) return plan;
  }
  return planWish(device, wish, foreign, users);
}

/** Who is in the way of a plan right now, of those who have to go first: `GPU 0 (A100-SXM4-40GB): pod team/train holds 3g.20gb at 4`. */
export function listInTheWay(device: DeviceReport, { drains = [] }: PlanReport, users: DeviceUsers): readonly string[] {
  const places = new Set(drains);
  return (device.gpus ?? []).flatMap((gpu) => {
    const name = `GPU ${gpu.index} (${gpu.product.replace(/^NVIDIA /, '')})`;
    const whole = gpu.busy === true && places.has(userKey(gpu.uuid)) ? [`${name}: ${describeUse(users, gpu)} it`] : [];
    const used = gpu.instances.filter((one) => one.busy === true && places.has(userKey(gpu.uuid, one)));
    return [...whole, ...used.map((one) => `${name}: ${describeUse(users, gpu, one)} ${one.profile} at ${one.start}`)];
  });
}

/** The names that a plan of that hash was reported with are the right ones; else those that were told to go are. */
function listCandidates(
  { planHash, pods }: NonNullable<DrainMarks['drain']>,
  reported: PlanReport | undefined,
): readonly (readonly string[])[] {
  const told = pods.map(({ namespace, name }) => `${namespace}/${name}`);
  return reported?.hash === planHash ? [reported.affectedPods ?? [], told] : [told];
}

/** A device on which pods hold these places too. */
function markPlaces(device: DeviceReport, marked: readonly string[], pods: readonly string[]): DeviceReport {
  const places = new Set(marked);
  const mark = <Used extends { readonly pods?: readonly string[] }>(used: Used, place: string): Used =>
    places.has(place) ? { ...used, busy: true, pods: [...(used.pods ?? []), ...pods] } : used;
  return {
    ...device,
    gpus: (device.gpus ?? []).map((gpu) => ({
      ...mark(gpu, userKey(gpu.uuid)),
      instances: gpu.instances.map((one) => mark(one, userKey(gpu.uuid, one))),
    })),
  };
}
