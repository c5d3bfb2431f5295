// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here for a reported GPU as the planner sees it, for its MIG devices, and for the work of a wish, or why there can be none; equal work has an equal hash.
import type {
  GpuReport,
  GpuWish,
  Wish,
  DeviceReport,
  PlanReport,
  NodePartitionSpec,
  ModelReport,
  InstanceReport,
} from '../../api/types.ts';
import { canonicalJson, fingerprint, deepEqual, memoize, omitUndefined } from '../text/json.ts';
import { computeInstancesOf, describeVgpu, userKey } from '../gpu/device-state.ts';
import { computeInstanceSlices, nameWhole, completeTable } from '../gpu/profiles.ts';
import {
  type ChangeRefusal,
  type GpuChange,
  pickInstances,
  planGpuChange,
  type ViewedInstance,
  planGpuReset,
  listDisturbed,
  type Step,
  type GpuView,
} from '../gpu/plan.ts';
import { gridOf, type Place, placeOf, unitsOf } from '../gpu/grid.ts';
import { writeLayout, type Layout, explainOldDriver, type Geometry, findModel } from '../gpu/geometry.ts';
import type { ForeignInstances } from './grants.ts';
import { cutText, countWords } from '../text/words.ts';

type HashedWish = Pick<Wish, 'gpus' | 'replaceForeignInstances'>;

/**
 * Hash of a wish: it identifies the wish that the agent's plan was made for. Which entry chose a GPU changes no plan. Each decision
 * asks for that of a wish that rarely changes.
 */
export const wishHash = memoize(({ gpus, replaceForeignInstances }: HashedWish): string => {
  const sorted = gpus.map(({ entry: _entry, ...rest }) => rest).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  return fingerprint(canonicalJson(replaceForeignInstances === true ? [sorted, 'replaceForeignInstances'] : sorted));
});

/** What is on the GPU, in a layout's terms: the compute instances that workloads can use, by profile. */
export function layoutOf(gpu: GpuReport): Layout {
  const counts: Record<string, number> = {};
  for (const instance of gpu.instances) {
    for (const { profile } of computeInstancesOf(instance)) {
      const name = nameWhole(profile, instance.profile);
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}

/** GPU instances without compute instances of a GPU, which a change that was stopped in between has left. */
interface HalfMade {
  readonly evidence: string;
  /** Destroys them: nothing can use them. */
  readonly command: string;
}

/** Finds GPU instances that take up room and are of no use to anybody; only a layout for the GPU would make it right. */
export function findHalfMade(gpus: readonly GpuReport[]): readonly HalfMade[] {
  return gpus.flatMap((gpu) => {
    const left = withoutComputeInstance(gpu);
    if (left.length === 0 || gpu.error !== undefined) return [];
    const names = left.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
    return {
      evidence: `GPU ${gpu.index} has GPU instances without compute instances, which no pod can use: ${names}`,
      command: `nvidia-smi mig -i ${gpu.pciBusId} -dgi -gi ${left.map(({ gi }) => gi).join(',')}`,
    };
  });
}

function withoutComputeInstance({ instances }: GpuReport): readonly InstanceReport[] {
  return instances.filter((instance) => computeInstancesOf(instance).length === 0);
}

/** The layout of a GPU as text: `2×1g.5gb + 1×3g.20gb`, `empty and 1 without compute instance`. */
export function writeLayoutOf(gpu: GpuReport): string {
  const left = withoutComputeInstance(gpu).length;
  const text = gpu.instances.length > left ? writeLayout(layoutOf(gpu)) : 'empty';
  return left === 0 ? text : `${text} and ${left} without compute instance`;
}

/** Whether the GPU matches the wish. A GPU without MIG support matches `mig: Disabled`. */
export function meetsWish(gpu: GpuReport, wish: GpuWish): boolean {
  if (gpu.error !== undefined) return false;
  const settled = gpu.migPending === undefined || gpu.migPending === gpu.mig;
  if (wish.mig === 'Disabled') return gpu.mig !== 'Enabled' && settled;
  if (gpu.mig !== 'Enabled' || !settled) return false;
  // A GPU instance without a compute instance takes up room and is of no use: the layout is not done.
  if (withoutComputeInstance(gpu).length > 0) return false;
  return deepEqual(layoutOf(gpu), wish.profiles ?? {});
}

/** Whether every GPU that the wish names exists and matches. */
export function deviceMeets(gpus: readonly GpuReport[], wish: Wish['gpus']): boolean {
  return wish.every((one) => {
    const gpu = gpus.find(({ uuid }) => uuid === one.uuid);
    return gpu !== undefined && meetsWish(gpu, one);
  });
}

/** The work to do on one GPU. */
export interface GpuWork extends Pick<GpuChange, 'steps' | 'resets'> {
  readonly uuid: string;
  readonly mode?: NonNullable<GpuChange['mode']>;
}

/** What one GPU needs; `kept` instances are unchanged. */
interface GpuNeed {
  readonly work?: GpuWork;
  readonly kept: number;
  readonly refusal?: PlanRefusal;
  /** What the work destroys although pods hold it, by {@link userKey}. */
  readonly drains?: readonly string[];
  /** Pods that hold it. */
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
function planGpuWish(
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
  const work = omitUndefined({ uuid: gpu.uuid, mode, resets, steps });
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
  const monitors = [...new Set(places.flatMap((one) => describeMonitors(users, gpu, one)))].sort();
  if (inTheWay.length === 0) {
    return refuse('InUse', `${name}: ${describeUse(users, gpu)} it; it can change once that ends`, monitors);
  }
  const [first] = used;
  if (wish.mig === 'Disabled' && first !== undefined) {
    const what = `${describeUse(users, gpu, first)} ${first.profile} at ${first.start}`;
    return refuse('InUse', `${name}: ${what}; MIG mode can be disabled once it ends`, monitors);
  }
  const names = [...new Set(used.flatMap((one) => describeUsers(users, gpu, one)))].sort();
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

export interface WishPlan {
  /** GPUs that differ from the wish, in the order of the device. */
  readonly work: readonly GpuWork[];
  /** The plan for the status; its hash identifies exactly this work. */
  readonly report: PlanReport;
}

/** The wish that is requested, or a grant of it. */
export type AskedWish = Pick<Wish, 'gpus' | 'replaceForeignInstances' | 'allowGpuReset'>;

const noForeign: ForeignInstances = new Map();
const noUsers: DeviceUsers = new Map();

/** The most names that the API accepts; and no more bytes of names than leave room for the rest of the report. */
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

type Drain = NonNullable<NodePartitionSpec['drain']>;

/** The state of a drain that is under way. */
interface DrainMarks {
  readonly drain?: Drain | undefined;
  /** The plan that was last reported. */
  readonly reported?: PlanReport | undefined;
  /** The last plan, and the device that it was first made on. */
  readonly basis?: { readonly plan: PlanReport; readonly device: DeviceReport } | undefined;
}

/** Finds the users who are assumed to be on a place still, by {@link userKey}. */
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

/** Lists who blocks a plan right now, among those who have to go first: `GPU 0 (A100-SXM4-40GB): pod team/train holds 3g.20gb at 4`. */
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

/** Marks the places that these pods held. */
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

/**
 * Geometry of a reported GPU: the driver's own table, else the built-in one (no table is reported while the driver does not answer);
 * undefined if the GPU does not support MIG.
 */
export function liveGeometry(device: DeviceReport, gpu: GpuReport): Geometry | undefined {
  if (gpu.migCapable === false) return undefined;
  const live = device.models?.find(({ product }) => product === gpu.product);
  return live ? readReport(live) : findModel(gpu.product);
}

// The planner prepares each geometry object once: the same report must yield the same object.
const readReport = memoize(({ product, ...table }: ModelReport): Geometry => {
  const profiles = table.profiles.map(({ engines = [], ...profile }) => {
    const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines;
    return { ...profile, engines: { copy, decoder, encoder, jpeg, ofa } };
  });
  return completeTable(product, { ...table, profiles });
});

/** A reported GPU as the planner sees it. Pods can be evicted; a process that belongs to no known pod cannot. */
export function viewReport(device: DeviceReport, gpu: GpuReport): GpuView {
  const geometry = liveGeometry(device, gpu);
  const current = gpu.mig ?? 'Disabled';
  const isHeld = (gpu.pods ?? []).length > 0;
  return {
    product: gpu.product.replace(/^NVIDIA /, ''),
    geometry,
    mig: geometry === undefined ? undefined : { current, pending: gpu.migPending ?? current },
    // Under strategy none a pod may hold a whole GPU that is in MIG mode, and with it everything on it.
    instances: gpu.instances.map((instance) => viewInstance(instance, isHeld)),
    use: isHeld ? 'Evictable' : gpu.busy === true ? 'Processes' : 'None',
  };
}

function viewInstance(instance: InstanceReport, isGpuHeld: boolean): ViewedInstance {
  const { profile, start, busy = false, pods = [] } = instance;
  return {
    profile,
    start,
    busy: busy || isGpuHeld,
    isEvictable: isGpuHeld || pods.length > 0,
    computeInstances: computeInstancesOf(instance).map((one) => nameWhole(one.profile, profile)),
  };
}

/** A MIG device of a reported GPU: a compute instance. */
interface MigDevice {
  readonly gpu: string;
  readonly uuid: string;
  /** The profile and the pods (NAMESPACE/NAME) of its GPU instance: who holds which of several compute instances is not reported. */
  readonly profile: string;
  readonly gi: number;
  readonly pods: readonly string[];
  /**
   * Its share of the GPU: 0 to 1; undefined for a profile without a table, and while the GPU does not say who uses it. It counts
   * placement units, which no other instance can have. By the larger of the shares in compute and memory, a 4g.20gb and a 3g.20gb
   * would be more than one GPU.
   */
  readonly share: number | undefined;
}

export function listMigDevices(device: DeviceReport): readonly MigDevice[] {
  return (device.gpus ?? []).flatMap((gpu) => {
    const geometry = gpu.error === undefined ? liveGeometry(device, gpu) : undefined;
    return gpu.instances.flatMap((instance) => {
      const { profile, gi, pods = [] } = instance;
      const share = geometry === undefined ? undefined : shareOf(geometry, profile);
      // Compute instances divide their GPU instance among them, whether or not they take all of it.
      const parts = computeInstancesOf(instance).map((one) => ({
        ...one,
        size: computeInstanceSlices(one.profile, 1),
      }));
      const total = parts.reduce((sum, { size }) => sum + size, 0);
      return parts.flatMap(({ uuid, size }) =>
        uuid === undefined
          ? []
          : [
              {
                gpu: gpu.uuid,
                uuid,
                profile,
                gi,
                pods,
                share: share === undefined ? undefined : (share * size) / total,
              },
            ],
      );
    });
  });
}

function shareOf(geometry: Geometry, profile: string): number | undefined {
  const { profiles, indexOf } = gridOf(geometry);
  const row = profiles[indexOf.get(profile) ?? -1];
  const units = unitsOf(geometry);
  return row === undefined || units === 0 ? undefined : unitsOf(row) / units;
}

/** What a plan does beside its instances, which may be all that it does; follows their numbers. */
export function describeModeChanges({ modeChanges = 0 }: Partial<Pick<PlanReport, 'modeChanges'>> = {}): string {
  return modeChanges === 0 ? '' : `, with a change of MIG mode or a reset of ${countWords(modeChanges, 'GPU')}`;
}

/** The number of users that are named; then how many more there are. */
const mostNamed = 4;

/** Names the users of a GPU, or of one of its instances: the pods if the kubelet names any, else the processes. */
function describeUsers(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): readonly string[] {
  const { pods = [] } = instance ?? gpu;
  if (pods.length > 0) return pods;
  const processes = users.get(userKey(gpu.uuid, instance)) ?? [];
  const more = processes.length - mostNamed;
  return more > 0 ? [...processes.slice(0, mostNamed), `${more} more`] : processes;
}

/** Names the users with a verb, to be followed by what is used: `pod team/train holds`, `pid 4242 (python3) runs on`. */
function describeUse(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): string {
  const names = describeUsers(users, gpu, instance);
  if ((instance ?? gpu).pods?.length) return `pod ${names.join(', ')} holds`;
  return names.length > 1 ? `${names.join(', ')} run on` : `${names[0] ?? 'a process'} runs on`;
}

/**
 * Processes on the GPUs, for messages: `pid 4242 (python3)`, by {@link userKey}. A report names none: on a busy node they come and
 * go, and each would cause a write.
 */
export type DeviceUsers = ReadonlyMap<string, readonly string[]>;

/** The key of monitors, which only look on at a GPU or an instance: beside the processes, since one of these may be theirs. */
export function monitorKey(...of: Parameters<typeof userKey>): string {
  return `monitors ${userKey(...of)}`;
}

/** The key of pods whose devices are not identified, each in a sentence: `pod ml/odd holds nvidia7 of nvidia.com/gpu`. */
export const unidentifiedKey = 'unidentified';

/** Pods that look on by claims with admin access, each with its claim. */
export function describeMonitors(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): readonly string[] {
  return users.get(monitorKey(gpu.uuid, instance)) ?? [];
}
