// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here what the agent makes of readings and grants: when it reads again, what it plans, carries out and reports.
import { adoptAnnotation } from '../../api/names.ts';
import type {
  DeviceReport,
  GpuNodePartition,
  GpuReport,
  GpuWish,
  Grant,
  NodePartitionSpec,
  PlanReport,
} from '../../api/types.ts';
import { describeProcess, type DeviceState, userKey } from '../gpu/device-state.ts';
import { omitUndefined } from '../text/json.ts';
import { doubledMs } from '../text/syntax.ts';
import {
  type Fault,
  faultFields,
  faultOfWork,
  GrantRefused,
  rereadMs,
  sickReadMs,
  withVainReboot,
  isRevocation,
} from './grants.ts';
import { driverEpochOf, isSameLoad, isToMakeAgain } from './ownership.ts';
import { holdersOf, type Holders, listUnidentified, type PodHolding } from './holders.ts';
import {
  cutLostDevices,
  findLostDevices,
  judgeAdvertised,
  listUnserved,
  type LostDevice,
  withoutLost,
} from './kubelet.ts';
import { findForeign, type ForeignInstances, lastGoodOf, settleClaims } from './ownership.ts';
import { type AskedWish, deviceMeets, listInTheWay, planDrained, planWish, wishHash, type WishPlan } from './plan.ts';
import {
  cutHolders,
  hostFields,
  keepOutcome,
  lastingFields,
  nameMonitors,
  pickReading,
  type reportDevice,
  reportSkew,
  withHolders,
  type DeviceUsers,
  monitorKey,
  unidentifiedKey,
} from './report.ts';

/** What the node's kubelet reports about its GPUs. */
export interface KubeletWord {
  /** Pods that hold devices, by device. */
  readonly holders: Holders;
  /** Resources that the kubelet offers; absent if this kubelet does not report them (before Kubernetes 1.28). */
  readonly advertised?: NonNullable<DeviceReport['advertised']>;
  /** Resources of it that no plugin serves which has read the devices. */
  readonly unserved?: readonly string[];
}

/** Reads the kubelet's answers. @param allocatable device ids by resource; undefined if this kubelet does not report them */
export function readKubelet(
  device: DeviceReport,
  holdings: readonly PodHolding[],
  allocatable: ReadonlyMap<string, readonly string[]> | undefined,
  { strategy, monitors }: Pick<NodePartitionSpec, 'strategy' | 'monitors'>,
): KubeletWord {
  const holders = holdersOf(device, holdings, monitors);
  if (allocatable === undefined) return { holders };
  const { resources, stale } = judgeAdvertised(device, allocatable, strategy);
  return {
    holders,
    // Server-side apply turns an empty map into null, which the schema rejects.
    advertised: { stale, ...(Object.keys(resources).length > 0 && { resources: { ...resources } }) },
    // Hardly ever asked for, and after a change the kubelet is asked many times a second.
    get unserved() {
      return listUnserved(device, allocatable, strategy);
    },
  };
}

/** A reading of the GPUs, and which of them did not answer. */
interface Reading {
  readonly lost: readonly unknown[];
}

type Report = ReturnType<typeof reportDevice> & Pick<DeviceReport, 'advertised' | 'lostDevices'>;

/**
 * Devices that pods hold and that two readings in a row did not have. One is not enough: the kubelet is asked after the GPUs, and a
 * device may have been made in between.
 */
export class MissingDevices {
  /** The reading that each was first missing from. */
  #missing: ReadonlyMap<string, Reading> = new Map();
  /** Whether the last reading was the first to lack a device. */
  isUnsure = false;

  /** @param report what was made of the reading */
  note(reading: Reading, report: Pick<DeviceReport, 'gpus'>, holders: Holders | undefined): readonly LostDevice[] {
    const found = holders === undefined || reading.lost.length > 0 ? [] : findLostDevices(report, holders);
    const before = this.#missing;
    this.#missing = new Map(found.map(({ id }) => [id, before.get(id) ?? reading]));
    const lost = found.filter(({ id }) => this.#missing.get(id) !== reading);
    this.isUnsure = lost.length < found.length;
    return lost;
  }

  /** Completes the report of a reading. @param word undefined: the kubelet need not be asked */
  complete(reading: Reading, report: Report, word: KubeletWord | undefined): Report {
    const lost = this.note(reading, report, word?.holders);
    if (word === undefined) return report;
    return {
      ...report,
      gpus: [...withHolders(report.gpus ?? [], withoutLost(word.holders, lost))],
      ...(lost.length > 0 && { lostDevices: cutLostDevices(lost) }),
      ...(word.advertised && { advertised: word.advertised }),
    };
  }
}

/**
 * The users of the GPUs: the processes that a reading shows, the pods that only look on, and those whose devices are not identified.
 *
 * @param holders undefined if the kubelet was not asked
 */
export function listDeviceUsers(
  gpus: DeviceState['gpus'],
  holders: Pick<Holders, 'monitorsOf' | 'stale'> = { stale: [] },
): DeviceUsers {
  const monitorsOf = (uuid = ''): readonly string[] => holders.monitorsOf?.get(uuid) ?? [];
  return new Map([
    [unidentifiedKey, listUnidentified(holders)] as const,
    ...gpus.flatMap(({ uuid, processes, instances }) => [
      [userKey(uuid), processes.map(describeProcess)] as const,
      [monitorKey(uuid), monitorsOf(uuid)] as const,
      ...instances.flatMap((one) => [
        [userKey(uuid, one), one.processes.map(describeProcess)] as const,
        [monitorKey(uuid, one), one.computeInstances.flatMap((part) => monitorsOf(part.uuid))] as const,
      ]),
    ]),
  ]);
}

/** How often the device is read while somebody is in the way of the wish, in ms. */
const busyReadMs = 5_000;
/** Milliseconds between readings during a drain. */
const drainReadMs = 1_000;
/** A kubelet that has not answered is asked again after this many ms, then after twice as many each time, and so often. */
const quickMs = 250;
const mostQuick = 5;

/** What decides how soon the device is read again. */
interface ReadNeed {
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

type LastGood = NonNullable<DeviceReport['lastGood']>;

/** Tells which instances of the node are ours: those in `lastGood`, and those that an unfinished grant made. */
export class Claim {
  readonly #view: LastReading;
  readonly #bootID: string;
  readonly #driverLoad: () => string | undefined;

  /** @param driverLoad identifies the current load of the driver; undefined if that is not known */
  constructor(view: LastReading, bootID: string, driverLoad: () => string | undefined) {
    this.#view = view;
    this.#bootID = bootID;
    this.#driverLoad = driverLoad;
  }

  get #driverEpoch(): string {
    return driverEpochOf(omitUndefined({ bootID: this.#bootID, driverLoad: this.#driverLoad() }));
  }

  /** Whether what was granted and done before this load of the driver is yet to be made again. */
  isToMakeAgain({ status }: GpuNodePartition): boolean {
    return isToMakeAgain(status?.device ?? {}, this.#driverEpoch);
  }

  /** @param unfinished a grant that is being acted on: what it has made so far is not in the report yet */
  foreign({ status }: GpuNodePartition, unfinished?: Grant): ForeignInstances {
    return findForeign(this.#view.report.gpus ?? [], this.#driverEpoch, status?.device?.lastGood, unfinished);
  }

  /** What to report, and to remember, after work on the device. @param readFault why it could not be read afterwards */
  conclude(
    partition: GpuNodePartition,
    granted: Grant,
    { fault, hasBegun }: { readonly fault?: Fault | undefined; readonly hasBegun?: boolean },
    readFault: Fault | undefined,
  ): Partial<DeviceReport> {
    const failure = fault ?? readFault;
    if (!failure) return { step: 'Idle', lastGood: this.#afterSuccess(partition, granted.gpus) };
    return {
      ...faultFields(failure, readFault ? 'Unknown' : 'Failed'),
      ...(readFault
        ? this.#afterUnread(partition, granted, hasBegun === true)
        : { lastGood: this.#lastGood(partition, this.foreign(partition, granted), granted) }),
    };
  }

  /**
   * What to remember if the GPUs could not be read after a grant. The memory of an earlier boot stays unchanged as long as nothing
   * was done in this one: the layout must still be recreated.
   */
  #afterUnread({ status }: GpuNodePartition, granted: Grant, hasBegun: boolean): Pick<DeviceReport, 'lastGood'> {
    const { lastGood } = status?.device ?? {};
    if (!hasBegun && lastGood !== undefined && !isSameLoad(lastGood.bootID, this.#driverEpoch)) return {};
    return { lastGood: lastGoodOf([], this.#driverEpoch, new Map(), { lastGood, unfinished: granted }) };
  }

  /** What to remember when these GPUs match the request: everything on them is ours. */
  #afterSuccess(partition: GpuNodePartition, gpus: readonly GpuWish[]): LastGood {
    const rest = [...this.foreign(partition)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return this.#lastGood(partition, new Map(rest));
  }

  /** What to report of a reading that follows no work: the outcome of the last grant stays, and the memory follows the reading. */
  review(partition: GpuNodePartition): Partial<DeviceReport> {
    return { ...keepOutcome(partition.status?.device), ...this.#reviewMemory(partition) };
  }

  /**
   * Finds what a reading changes in the memory. A device that already matches the wish is adopted: from now on its instances are ours,
   * without any operation; so is one that somebody adopts by annotation in this boot. A GPU that answers again shows which of its instances
   * are ours.
   */
  #reviewMemory(partition: GpuNodePartition): Pick<DeviceReport, 'lastGood'> {
    const { wish } = partition.spec;
    const { gpus = [] } = this.#view.report;
    const foreign = this.foreign(partition);
    const isAdopted = wish?.gpus.some(({ uuid }) => foreign.has(uuid)) === true && deviceMeets(gpus, wish.gpus);
    if (isAdopted) return { lastGood: this.#afterSuccess(partition, wish.gpus) };
    const isAsked = partition.metadata.annotations?.[adoptAnnotation] === this.#bootID;
    if (isAsked && foreign.size > 0) return { lastGood: this.#lastGood(partition, new Map()) };
    const settled = settleClaims(gpus, this.#driverEpoch, partition.status?.device?.lastGood);
    return settled ? { lastGood: settled } : {};
  }

  #lastGood({ status }: GpuNodePartition, foreign: ForeignInstances, unfinished?: Grant): LastGood {
    const { lastGood } = status?.device ?? {};
    return lastGoodOf(this.#view.report.gpus ?? [], this.#driverEpoch, foreign, { lastGood, unfinished });
  }
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

/** The first failure of work on GPUs, with the pods that look on where one was in use. */
export function judgeWork(
  results: Parameters<typeof faultOfWork>[0],
  gpus: readonly GpuReport[] | undefined,
  users: DeviceUsers,
): Fault | undefined {
  const fault = faultOfWork(results);
  return fault && nameMonitors(fault, gpus ?? [], users);
}

/** The reboot that was asked for: for which wish, and in which boot; undefined if there is none. */
type RebootAsked = { readonly wish: string; readonly bootID: string } | undefined;

/**
 * What follows from a fault of a grant: what is said of it, and the reboot to ask for, if it is one that needs it. One that did not help
 * is not followed by another.
 *
 * @param before the last reboot that was asked for
 */
export function judgeReboot(
  granted: Grant,
  fault: Fault | undefined,
  bootID: string,
  before: RebootAsked,
): { readonly fault: Fault | undefined; readonly asked: RebootAsked } {
  const wish = wishHash(granted);
  const isAsked = before?.wish === wish;
  const isVain = isAsked && before.bootID !== bootID;
  const mayAsk = fault?.code === 'RebootRequired' && granted.allowReboot === true && !isAsked;
  return { fault: isVain ? withVainReboot(fault) : fault, asked: mayAsk ? { wish, bootID } : undefined };
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
  readonly reading: Partial<Report> | undefined;
}

/** The fields that are always reported. @param seen what was reported last */
export function reportState(state: AgentState, seen: DeviceReport | undefined): DeviceReport {
  const { bootID, driverLoad, hostProblems, skewMs, signalled, reading } = state;
  return {
    ...lastingFields(state, seen, signalled),
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
