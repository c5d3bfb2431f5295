import type { DeviceReport, NodePartitionSpec, PlanReport } from '../../api/types.ts';
import { describeUse, type DeviceUsers, userKey } from '../gpu/state/device-users.ts';
import type { ForeignInstances } from './ownership.ts';
import { type AskedWish, planWish, type WishPlan } from './plan-wish.ts';

type Drain = NonNullable<NodePartitionSpec['drain']>;

/** What is known of a drain that is under way. */
export interface DrainMarks {
  readonly drain?: Drain | undefined;
  /** The plan that was last reported. */
  readonly reported?: PlanReport | undefined;
  /** The last plan, and the device that it was first made on. */
  readonly basis?: { readonly plan: PlanReport; readonly device: DeviceReport } | undefined;
}

/** Who is assumed to still be on a place, by {@link userKey}. */
type Marks = (place: string) => readonly string[];

/**
 * Plans a wish while pods are evicted for it: as if all of them still held what they did, so that the plan and its hash do not
 * change while the pods leave one by one. If a different plan results, something else has changed: then the drain is obsolete, and
 * the actual state counts.
 *
 * @param foreign @param users as for {@link planWish}
 */
export function planDrained(
  device: DeviceReport,
  wish: AskedWish,
  { drain, ...known }: DrainMarks,
  foreign: ForeignInstances,
  users: DeviceUsers,
): WishPlan {
  for (const marks of drain ? listMarks(drain, known) : []) {
    const plan = planWish(markDevice(device, marks), wish, foreign, users);
    if (plan.report.hash === drain?.planHash) return plan;
  }
  return planWish(device, wish, foreign, users);
}

/** Who blocks a plan right now, among those who have to go first: `GPU 0 (A100-SXM4-40GB): pod team/train holds 3g.20gb at 4`. */
export function listInTheWay(device: DeviceReport, { drains = [] }: PlanReport, users: DeviceUsers): readonly string[] {
  const places = new Set(drains);
  return (device.gpus ?? []).flatMap((gpu) => {
    const name = `GPU ${gpu.index} (${gpu.product.replace(/^NVIDIA /, '')})`;
    const whole = gpu.busy === true && places.has(userKey(gpu.uuid)) ? [`${name}: ${describeUse(users, gpu)} it`] : [];
    const used = gpu.instances.filter((one) => one.busy === true && places.has(userKey(gpu.uuid, one)));
    return [...whole, ...used.map((one) => `${name}: ${describeUse(users, gpu, one)} ${one.profile} at ${one.start}`)];
  });
}

/** Best knowledge first; the hash of the plan shows which of it is right. */
function listMarks({ planHash, places = [], pods }: Drain, { reported, basis }: DrainMarks): readonly Marks[] {
  const marked = new Set(places);
  const onPlaces =
    (names: readonly string[]): Marks =>
    (place) =>
      marked.has(place) ? names : [];
  return [
    // A pod that goes may also hold an instance that stays: without the pod, that instance would look idle and be the one to destroy.
    ...(basis?.plan.hash === planHash ? [markHeld(basis.device, basis.plan.affectedPods ?? [])] : []),
    // After a restart. Pods that the controller evicts additionally, or no longer found, change no plan.
    ...(reported?.hash === planHash ? [onPlaces(reported.affectedPods ?? [])] : []),
    onPlaces(pods.map(({ namespace, name }) => `${namespace}/${name}`)),
  ];
}

/** What these pods held. */
function markHeld({ gpus = [] }: DeviceReport, names: readonly string[]): Marks {
  const going = new Set(names);
  const pick = (pods: readonly string[] = []): readonly string[] => pods.filter((pod) => going.has(pod));
  const held = new Map(
    gpus.flatMap((gpu) => [
      [userKey(gpu.uuid), pick(gpu.pods)] as const,
      ...gpu.instances.map((one) => [userKey(gpu.uuid, one), pick(one.pods)] as const),
    ]),
  );
  return (place) => held.get(place) ?? [];
}

function markDevice(device: DeviceReport, marks: Marks): DeviceReport {
  const mark = <Used extends { readonly pods?: readonly string[] }>(used: Used, place: string): Used => {
    const names = marks(place);
    return names.length === 0 ? used : { ...used, busy: true, pods: [...(used.pods ?? []), ...names] };
  };
  return {
    ...device,
    gpus: (device.gpus ?? []).map((gpu) => ({
      ...mark(gpu, userKey(gpu.uuid)),
      instances: gpu.instances.map((one) => mark(one, userKey(gpu.uuid, one))),
    })),
  };
}
