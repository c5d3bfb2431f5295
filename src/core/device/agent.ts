// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here for a reading as it is reported, what the agent plans, and what it says of itself.
import type {
  DeviceReport,
  GpuNodePartition,
  Grant,
  PlanReport,
  GpuReport,
  InstanceReport,
  ModelReport,
} from '../../api/types.ts';
import { doubledMs } from '../text/syntax.ts';
import { type Fault, GrantRefused, isRevocation, type Claim, retryMs } from './grants.ts';
import type { Readings } from './kubelet.ts';
import { type DeviceUsers, type AskedWish, listInTheWay, planDrained, planWish, type WishPlan } from './plan.ts';
import { omitUndefined, deepEqual } from '../text/json.ts';
import { cutText } from '../text/words.ts';
import type { Engines, Geometry } from '../gpu/geometry.ts';
import { nameWhole } from '../gpu/profiles.ts';
import type { ComputeInstanceState, DeviceState, GpuInstanceState, GpuState, LostGpu } from '../gpu/device-state.ts';

/** How often the device is read while somebody is in the way of the wish, in ms. */
const busyReadMs = 5_000;
/** Milliseconds between readings during a drain. */
const drainReadMs = 1_000;
/** A kubelet that has not answered is asked again after this many ms, then after twice as many each time, and so often. */
const quickMs = 250;
const mostQuick = 5;

/** Most milliseconds between readings while a GPU is sick, or none can be read: people look whether what they did has helped. */
const sickReadMs = 15_000;

/** Rest before GPUs are read again after this many readings that failed, in ms. */
function rereadMs(failures: number): number {
  return Math.min(sickReadMs, retryMs(failures));
}

/** What decides how soon the device is read again. */
export interface ReadNeed {
  /** The usual time between two readings, in ms. */
  readonly intervalMs: number;
  /** Consecutive failed readings. */
  readonly failures: number;
  /** Whether there is an earlier reading, and the last one failed only for want of a kubelet, which may be restarting. */
  readonly isKubeletAway: boolean;
  /** A GPU is lost, was not understood, or is reported as unhealthy. */
  readonly isSick: boolean;
  /** The plan waits for somebody who uses a GPU. */
  readonly isInUse: boolean;
  /** Pods are told to go: the node is closed. */
  readonly isDraining: boolean;
}

/** The time from one reading to the next, in ms, and whether the kubelet has not been away for long: the last reading is worth keeping. */
export function paceReading(need: ReadNeed): { readonly ms: number; readonly mayBeBackSoon: boolean } {
  const { intervalMs, failures, isKubeletAway } = need;
  const mayBeBackSoon = isKubeletAway && failures > 0 && failures <= mostQuick;
  const ms = mayBeBackSoon ? doubledMs({ baseMs: quickMs, maxMs: intervalMs }, failures) : readPaceMs(need);
  return { ms, mayBeBackSoon };
}

function readPaceMs({ intervalMs, failures, isSick, isInUse, isDraining }: ReadNeed): number {
  if (failures > 0) return Math.min(intervalMs, rereadMs(failures));
  // Even when all known pods have gone: the controller waits to hear of a late pod.
  if (isDraining) return Math.min(drainReadMs, intervalMs);
  if (isInUse) return Math.min(busyReadMs, intervalMs);
  return isSick ? Math.min(sickReadMs, intervalMs) : intervalMs;
}

/** What was read last; the report is empty before the first reading. */
interface LastReading {
  readonly report: DeviceReport;
  readonly users: DeviceUsers;
}

/** Plans on the last reading, and remembers the basis of the plan: a drain must not change the plan. */
export class Planner {
  readonly #view: LastReading;
  readonly #claim: Claim;
  #basis: { readonly plan: PlanReport; readonly device: DeviceReport } | undefined;

  constructor(view: LastReading, claim: Claim) {
    this.#view = view;
    this.#claim = claim;
  }

  /**
   * @param asked a wish, or a grant of it
   * @param unfinished a grant that is being acted on
   */
  plan(partition: GpuNodePartition, asked: AskedWish, unfinished?: Grant): WishPlan {
    const { spec, status } = partition;
    const { report, users } = this.#view;
    const marks = { drain: spec.drain, reported: status?.device?.plan, basis: this.#basis };
    const plan = planDrained(report, asked, marks, this.#claim.foreign(partition, unfinished), users);
    if (plan.report.hash !== this.#basis?.plan.hash) this.#basis = { plan: plan.report, device: report };
    return plan;
  }

  /** Plans to make a granted layout again of which a reboot has left nothing. @returns undefined if creating is not enough */
  planAgain(partition: GpuNodePartition, granted: Grant): WishPlan | undefined {
    const plan = planWish(this.#view.report, granted, this.#claim.foreign(partition));
    const { refusal, drains } = plan.report;
    const destroys = plan.work.some(
      ({ mode, resets, steps }) =>
        mode === 'Disable' || resets === true || steps.some(({ action }) => action.startsWith('Destroy')),
    );
    return refusal !== undefined || drains !== undefined || destroys ? undefined : plan;
  }

  /** Lists who is in the way of a plan right now, among those who must leave first. */
  listInTheWay(plan: PlanReport): readonly string[] {
    return listInTheWay(this.#view.report, plan, this.#view.users);
  }

  /**
   * Why a plan that was just made is not carried out for a grant; `Done` if there is nothing to do.
   *
   * @throws GrantRefused Stale, if the grant takes back one that was not answered in time
   */
  explainRefusal(granted: Grant, { work, report }: WishPlan): Fault | 'Done' | undefined {
    const { refusal, refusalCode, hash } = report;
    if (work.length > 0 && isRevocation(granted)) {
      throw new GrantRefused(
        'Stale',
        `grant ${granted.epoch} takes back the one before, which was not answered in time`,
      );
    }
    if (refusal !== undefined) {
      return refusalCode === 'InUse' ? explainUse(refusal) : { code: 'Refused', message: refusal };
    }
    if (work.length === 0) return 'Done';
    // Only the granted plan may be carried out. A new plan is reported, and granted or not.
    if (hash !== granted.planHash) {
      const message = 'the device changed after the plan was made; the new plan is in status.device.plan';
      return { code: 'PlanChanged', message };
    }
    // The plan assumes that its pods have gone. The kubelet and the driver know best whether they have.
    const inTheWay = this.listInTheWay(report);
    return inTheWay.length > 0 ? explainUse(inTheWay.join('; ')) : undefined;
  }
}

/** The fault of a GPU in use, on which nothing was touched. */
function explainUse(holders: string): Fault {
  return { code: 'InUse', message: `${holders}. Nothing was touched; it is retried soon` };
}

/** What an agent knows besides its grants. */
interface AgentState {
  readonly agentVersion: string;
  readonly bootID: string;
  readonly driverLoad: string | undefined;
  readonly machine: string | undefined;
  /** What the host is still owed after a change, a sentence each. */
  readonly hostProblems: readonly string[];
  /** How far the node's clock is ahead of the API server's; undefined if it was not measured. */
  readonly skewMs: number | undefined;
  /** What this process has signalled; null: nothing. Undefined: it has not done any work yet. */
  readonly signalled: DeviceReport['signalled'] | null;
  /** The report of the last reading; undefined if there is none. */
  readonly reading: Partial<ReturnType<Readings['complete']>> | undefined;
}

/** The fields that are always reported. @param seen what was reported last */
export function reportState(state: AgentState, seen: DeviceReport | undefined): DeviceReport {
  const { bootID, driverLoad, hostProblems, skewMs, reading } = state;
  return {
    ...lastingFields(state, seen),
    ...hostFields(hostProblems),
    ...reportSkew(skewMs, seen),
    ...(reading === undefined
      ? pickReading(seen)
      : {
          bootID,
          ...(driverLoad !== undefined && { driverLoad }),
          ...reading,
          ...(reading.gpus && { gpus: cutHolders(reading.gpus) }),
        }),
  };
}

/** The firmware's text, or a file of the user's: as much of it as the API takes. */
const longestMachine = 128;

/** The last reported reading, with its boot: it stays until there is a newer one. */
function pickReading(seen: DeviceReport | undefined): Partial<DeviceReport> {
  const { bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices } = seen ?? {};
  return omitUndefined({ bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices });
}

/** What is reported whatever was found: who reports, what it has answered, and what earlier work has left. */
function lastingFields(
  { agentVersion, bootID, machine, signalled }: AgentState,
  seen: DeviceReport | undefined,
): DeviceReport {
  // A signal from before the reboot reached a process that is gone.
  const before = seen?.bootID === bootID ? seen.signalled : undefined;
  const known = signalled === undefined ? before : signalled;
  return {
    agentVersion,
    ...(machine === undefined ? {} : { machine: machine.slice(0, longestMachine) }),
    ...(seen?.observedEpoch === undefined ? {} : { observedEpoch: seen.observedEpoch }),
    ...(known ? { signalled: known } : {}),
    ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
  };
}

/** What the host is still owed after a change, a sentence each. */
function hostFields(problems: readonly string[]): Pick<DeviceReport, 'hostProblems'> {
  if (problems.length === 0) return {};
  return { hostProblems: problems.slice(0, 16).map((problem) => cutText(problem, 512)) };
}

/** Limits on names of pods and claims: per device, what the API takes; for all devices together, what leaves room for the rest of the report. */
const mostNames = 16;
const mostNameBytes = 8_000;

/**
 * Cuts the names of holders to what a report takes, at least one per device: busy without a name would mean a process. Plans use all names.
 */
function cutHolders(gpus: readonly GpuReport[]): GpuReport[] {
  const lists = gpus
    .flatMap((gpu) => [gpu, ...gpu.instances])
    .flatMap(({ pods, claims }) => [pods ?? [], claims ?? []]);
  const bytesOf = (most: number): number =>
    lists.reduce((sum, names) => sum + names.slice(0, most).reduce((length, name) => length + name.length, 0), 0);
  let most = mostNames;
  while (most > 1 && bytesOf(most) > mostNameBytes) most -= 1;
  return gpus.map((gpu) => ({ ...cut(gpu, most), instances: gpu.instances.map((one) => cut(one, most)) }));
}

function cut<Held extends Pick<GpuReport, 'pods' | 'claims'>>(one: Held, most: number): Held {
  const { pods, claims } = one;
  return {
    ...one,
    ...(pods && { pods: pods.slice(0, most) }),
    ...(claims && { claims: claims.slice(0, most) }),
  };
}

/** What two clocks may differ by, in seconds; the measurement is precise to two. */
const usualSeconds = 10;
const mostSeconds = 2_000_000_000;

/**
 * Reports by how much the node's clock is wrong, if it is: the reported value stays as long as it is about right, or each report would be a
 * write.
 */
function reportSkew(
  skewMs: number | undefined,
  { clockSkewSeconds: before }: Pick<DeviceReport, 'clockSkewSeconds'> = {},
): Pick<DeviceReport, 'clockSkewSeconds'> {
  if (skewMs === undefined) return before === undefined ? {} : { clockSkewSeconds: before };
  const seconds = Math.max(-mostSeconds, Math.min(mostSeconds, Math.round(skewMs / 1000)));
  if (Math.abs(seconds) < usualSeconds) return {};
  const isAsBefore = before !== undefined && Math.abs(seconds - before) < usualSeconds;
  return { clockSkewSeconds: isAsBefore ? before : seconds };
}

/**
 * The GPUs as reported to the cluster: what placements, labels and busy checks need, and nothing else.
 *
 * @param before the GPUs as they were last reported
 */
export function reportDevice(
  device: DeviceState,
  before: readonly GpuReport[] = [],
): Pick<DeviceReport, 'driverVersion' | 'cudaVersion' | 'gpus' | 'models'> {
  const tables = new Map(
    device.gpus.flatMap(({ product, geometry, tableSource }) =>
      geometry && tableSource !== 'BuiltIn' ? [[product, geometry] as const] : [],
    ),
  );
  // A GPU that answers from another slot now is not the one that does not answer at its old address.
  const gone = before.filter(({ uuid }) => !device.gpus.some((gpu) => gpu.uuid === uuid));
  return {
    driverVersion: device.driverVersion,
    ...omitUndefined({ cudaVersion: device.cudaVersion }),
    gpus: [
      ...device.gpus.map((gpu) => reportGpu(gpu, tables.get(gpu.product))),
      ...device.lost.map((gpu) => reportLost(gpu, gone)),
    ].toSorted((a, b) => a.index - b.index),
    models: [...tables].map(([product, geometry]) => reportModel(product, geometry)),
  };
}

/** @param table the profiles as they are reported: what is as they say is not repeated */
function reportGpu(gpu: GpuState, table: Geometry | undefined): GpuReport {
  const { mig, fault } = gpu;
  return {
    uuid: gpu.uuid,
    index: gpu.index,
    pciBusId: gpu.pciBusId,
    product: gpu.product,
    memoryMiB: gpu.memoryMiB,
    migCapable: gpu.migCapable,
    ...omitUndefined({
      minor: gpu.minor,
      pciDeviceId: gpu.pciDeviceId,
      pciClass: gpu.pciClass,
      computeCapability: gpu.computeCapability,
      mig: mig?.current,
      migPending: mig?.pending === mig?.current ? undefined : mig?.pending,
      busy: gpu.processes.length > 0 ? true : undefined,
      health: gpu.health && { action: gpu.health.action, message: cutText(gpu.health.message, 256) },
      vgpuHost: gpu.vgpuHost,
      error: fault && cutText(`${fault.code}: ${fault.message}`, 256),
    }),
    instances: gpu.instances
      .toSorted((a, b) => a.start - b.start)
      .map((one) => reportInstance(gpu.processes, one, table)),
  };
}

/** A lost GPU stays in the report, so that nobody assumes it was never there. */
function reportLost(
  { uuid, index, pciBusId, product, fault, instances }: LostGpu,
  before: readonly GpuReport[],
): GpuReport {
  const error = cutText(`${fault.code}: ${fault.message}`, 256);
  if (uuid === undefined) {
    // Of an agent that was restarted since, the report of the one before tells which GPU is at that address.
    const known = before.find((gpu) => gpu.pciBusId === pciBusId);
    if (known !== undefined) return carryOver(known, error);
  }
  return {
    uuid: uuid ?? pciBusId,
    index: index ?? 63,
    pciBusId,
    product: product ?? 'unknown',
    error,
    instances: instances.map((one) => reportInstance([], one)),
  };
}

/** A GPU that does not answer, with its last instances but without who used them: that is asked again. */
function carryOver({ uuid, index, pciBusId, product, instances }: GpuReport, error: string): GpuReport {
  const kept = instances.map(({ pods: _pods, claims: _claims, busy: _use, ...one }) => one);
  return { uuid, index, pciBusId, product, error, instances: kept };
}

/** @param others processes of the GPU that may be on any instance */
function reportInstance(others: GpuState['processes'], instance: GpuInstanceState, table?: Geometry): InstanceReport {
  const [part, ...parts] = instance.computeInstances;
  const isWhole = part !== undefined && parts.length === 0 && isAsProfiled(instance.profile, part, table);
  return {
    profile: instance.profile,
    gi: instance.id,
    start: instance.start,
    ...(instance.processes.length + others.length > 0 ? { busy: true } : {}),
    ...(isWhole
      ? omitUndefined({ uuid: part.uuid })
      : { computeInstances: instance.computeInstances.map(reportComputeInstance) }),
  };
}

function reportComputeInstance({ profile, uuid, attributes }: ComputeInstanceState) {
  const { memoryMiB, multiprocessors, engines } = attributes ?? {};
  return { profile, ...omitUndefined({ uuid, memoryMiB, multiprocessors, engines: engines && listEngines(engines) }) };
}

/** Whether a compute instance takes all of its GPU instance, and has exactly what the driver's table says of the profile. */
function isAsProfiled(instance: string, { profile, attributes }: ComputeInstanceState, table?: Geometry): boolean {
  const row = table?.profiles.find(({ name }) => name === instance);
  if (row === undefined || attributes === undefined || nameWhole(profile, instance) !== instance) return false;
  const { memoryMiB, multiprocessors, engines } = attributes;
  return deepEqual(
    [memoryMiB, multiprocessors, listEngines(engines)],
    [row.memoryMiB, row.multiprocessors, listEngines(row.engines)],
  );
}

function reportModel(product: string, geometry: Geometry): ModelReport {
  return {
    product,
    computeSlices: geometry.computeSlices,
    memorySlices: geometry.memorySlices,
    profiles: geometry.profiles.map((profile) => ({
      name: profile.name,
      computeSlices: profile.computeSlices,
      memorySlices: profile.memorySlices,
      starts: [...profile.starts],
      maxInstances: profile.maxInstances,
      engines: listEngines(profile.engines),
      ...omitUndefined({ id: profile.id, memoryMiB: profile.memoryMiB, multiprocessors: profile.multiprocessors }),
    })),
  };
}

function listEngines({ copy, decoder, encoder, jpeg, ofa }: Engines): number[] {
  return [copy, decoder, encoder, jpeg, ofa];
}
