// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which grant is live, answered or taken back, what came of one, how the kubelet or the work failed, and which instances are ours.
import type { DeviceReport, GpuNodePartition, Grant, GpuReport, GpuWish } from '../../api/types.ts';
import { DeviceError } from '../gpu/device-state.ts';
import { cutText, messageOf } from '../text/words.ts';
import { doubledMs } from '../text/syntax.ts';
import { type DeviceUsers, describeMonitors, deviceMeets, wishHash } from './plan.ts';
import { adviseMonitors } from './holders.ts';
import { placeOf } from '../gpu/grid.ts';
import { adoptAnnotation } from '../../api/names.ts';
import { omitUndefined } from '../text/json.ts';

/** An object that lost grants (a restored backup, a client that dropped one) is not further behind its agent than this. */
const mostAhead = 1_000_000;

/**
 * The last grant that the agent has finished; 0 if there is none. For an agent that remembers none itself: a number above the
 * grant's own was written by mistake, in bad faith or for an object that lost grants, and is ignored.
 */
export function observedEpochOf(device: DeviceReport | undefined, granted: Grant | undefined): number {
  return upTo(granted?.epoch ?? 0, device);
}

/**
 * The next grant, before it names a plan: its epoch is above that of the one that stands, and above the one that the agent says it has
 * finished. As it is, it takes back a grant that was not answered in time. Any agent refuses a grant whose plan is not the one that it
 * makes itself, also one of an earlier version. What may become of the GPUs stays in it: what the agent has made is recognised by that.
 */
export function nextGrant({ spec, status }: GpuNodePartition): Pick<Grant, 'epoch' | 'planHash'> {
  const granted = spec.granted?.epoch ?? 0;
  return { epoch: Math.max(granted, upTo(granted + mostAhead, status?.device)) + 1, planHash: '' };
}

/** Whether there is a grant that the agent has not finished. It acts on none below the one that it has finished. */
export function isUnanswered({ spec, status }: GpuNodePartition): boolean {
  const { granted } = spec;
  return granted !== undefined && upTo(granted.epoch + mostAhead, status?.device) < granted.epoch;
}

function upTo(highest: number, { observedEpoch = 0 }: DeviceReport = {}): number {
  return observedEpoch >= 0 && observedEpoch <= highest ? observedEpoch : 0;
}

/** Whether this takes the grant before it back. */
export function isRevocation({ planHash }: Grant): boolean {
  return planHash === '';
}

/** Whether there is a grant that the agent may act on. */
export function isGrantLive(partition: GpuNodePartition): boolean {
  const { granted } = partition.spec;
  return granted !== undefined && !isRevocation(granted) && isUnanswered(partition);
}

const longestConfirmedMs = 30_000;
/** Grants of an earlier version do not say how long they are valid. */
const usualSeconds = 600;

/** Milliseconds after the API server's confirmation of a grant in which the agent may begin to destroy because of it. */
export function confirmedMs({ seconds = usualSeconds }: Grant): number {
  return Math.min(longestConfirmedMs, (seconds * 1000) / 3);
}

/** Why reading or applying failed, as reported. */
export interface Fault {
  /** A code of docs/errors.md. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU. */
  readonly gpu?: string;
}

/** The grant may not be acted on, or no longer. */
export class GrantRefused extends Error {
  override readonly name = 'GrantRefused';
  readonly code: 'Expired' | 'Stale' | 'Stopped';

  constructor(code: 'Expired' | 'Stale' | 'Stopped', message: string) {
    super(message);
    this.code = code;
  }
}

/** @param undoError why the GPU, or another, is not as it was before the work that failed */
export function faultOf(error: unknown, gpu?: string, undoError?: DeviceError): Fault {
  if (error instanceof GrantRefused) return { code: error.code, message: error.message };
  const about = gpu === undefined ? {} : { gpu };
  if (error instanceof KubeletError) return { code: error.code, message: error.explanation, ...about };
  if (!(error instanceof DeviceError)) {
    return { code: 'Unknown', message: messageOf(error), ...about };
  }
  const { code, explanation, instance } = error;
  const where = [gpu === undefined && error.gpu !== undefined ? `GPU ${error.gpu}` : [], instance ?? []].flat();
  const message = [...where, explanation].join(': ');
  if (undoError === undefined) return { code, message, ...about };
  const { code: undoCode, tried, found } = undoError;
  const isOther = undoError.gpu !== undefined && error.gpu !== undefined && undoError.gpu !== error.gpu;
  const whose = isOther ? `the previous layout of GPU ${undoError.gpu}` : 'its previous layout';
  const undo = `${whose} could not be restored: ${undoCode}: tried ${tried}; found ${found}`;
  return { code, message: `${message}; ${undo}`, ...about };
}

/** Why an agent failed, as `GPU 1: DriverFailed: tried …`; without a GPU if it is about no known one. */
export function describeFault({ error, gpus = [] }: Pick<DeviceReport, 'error' | 'gpus'>): string | undefined {
  if (error === undefined) return undefined;
  const gpu = gpus.find(({ uuid }) => uuid === error.gpu);
  const isNamed = gpu === undefined || error.message.startsWith(`GPU ${gpu.index} `);
  return `${isNamed ? '' : `GPU ${gpu.index}: `}${error.code}: ${error.message}`;
}

/** A fault as it is reported. */
export function faultFields(fault: Fault, step: 'Failed' | 'Unknown'): Partial<DeviceReport> {
  const { code, message, gpu } = fault;
  return {
    step,
    error: { code, message: cutText(message, 1024), ...(gpu === undefined ? {} : { gpu }) },
  };
}

const retry = { baseMs: 5_000, maxMs: 5 * 60_000 };

/** Rest before the next try after this many consecutive failures, in ms. */
export function retryMs(failures: number): number {
  return doubledMs(retry, failures);
}

/** The outcome of the last grant stays reported until the next one. */
function keepOutcome(seen: DeviceReport | undefined): Partial<DeviceReport> {
  if (seen?.step !== 'Failed') return { step: 'Idle' };
  const { step, error } = seen;
  return { step, ...(error ? { error } : {}) };
}

/**
 * Identifies the longest possible lifetime of instances: no instance survives a boot, or a reload of the driver's modules (a driver
 * upgrade by gpu-operator does that, and the boot id stays). `BOOT+LOAD`, or the boot alone if the load is unknown.
 */
function driverEpochOf({ bootID = '', driverLoad }: Pick<DeviceReport, 'bootID' | 'driverLoad'>): string {
  return driverLoad === undefined ? bootID : `${bootID}+${driverLoad}`;
}

/** True if an instance of one lifetime may still exist in the other: the same boot, and, if both report it, the same load. */
function isSameLoad(one: string | undefined, other: string | undefined): boolean {
  const [boot, load] = (one ?? '').split('+');
  const [otherBoot, otherLoad] = (other ?? '').split('+');
  return boot === otherBoot && (load === undefined || otherLoad === undefined || load === otherLoad);
}

/** Whether the instances that a report remembers are of the boot and the load of the driver that it is of; false if it remembers none. */
export function hasLasted({ lastGood, ...seen }: DeviceReport): boolean {
  return lastGood !== undefined && isSameLoad(lastGood.bootID, driverEpochOf(seen));
}

/**
 * Whether the GPUs that answer still have all that the last grant, or adoption, has left of ours on them. True of GPUs of which nothing
 * is remembered: they were never changed.
 */
export function keepsLastGood(device: DeviceReport): boolean {
  const { gpus = [], lastGood } = device;
  if (lastGood === undefined) return true;
  return (
    hasLasted(device) &&
    (lastGood.gpus ?? []).every(({ uuid, mig, placements = [], unsettled }) => {
      const gpu = gpus.find((one) => one.uuid === uuid);
      if (gpu === undefined || unsettled !== undefined) return false;
      const places = new Set(gpu.instances.map(placeOf));
      return gpu.error !== undefined || (gpu.mig === mig && placements.every((place) => places.has(place)));
    })
  );
}

/** GPU instances that this operator neither created nor adopted, as `PROFILE@START` by GPU UUID. */
export type ForeignInstances = ReadonlyMap<string, ReadonlySet<string>>;

type LastGood = DeviceReport['lastGood'];
type ClaimedGpu = NonNullable<NonNullable<LastGood>['gpus']>[number];
type Counts = Readonly<Record<string, number>>;

/** The record of earlier instances. */
interface Memory {
  readonly lastGood?: LastGood | undefined;
  /** A grant that was acted on and did not end well. */
  readonly unfinished?: Pick<Grant, 'gpus'> | undefined;
}

/** The most GPUs that the API accepts. */
const mostGpus = 64;
const mostPlacements = 16;

/**
 * Tells our instances from those that somebody else created. Ours are those that existed when a grant had ended well in this boot
 * (no instance survives a boot), and, of a grant that was interrupted, as many of each profile as it was to create.
 *
 * @param unfinished a grant that was acted on and has not been answered
 */
function findForeign(
  gpus: readonly GpuReport[],
  bootID: string,
  lastGood: LastGood,
  unfinished: Pick<Grant, 'gpus'> | undefined,
): ForeignInstances {
  const foreign = new Map<string, ReadonlySet<string>>();
  const claims = claimsOf(bootID, lastGood);
  for (const { uuid, instances } of gpus) {
    const { placements, unsettled } = claims.get(uuid) ?? {};
    const left: Record<string, number> = { ...mergeCounts(unsettled, grantedOn(uuid, unfinished)) };
    const others = instances.filter((instance) => {
      if (placements?.includes(placeOf(instance))) return false;
      const count = left[instance.profile] ?? 0;
      left[instance.profile] = count - 1;
      return count <= 0;
    });
    if (others.length > 0) foreign.set(uuid, new Set(others.map(placeOf)));
  }
  return foreign;
}

/** Instances that are not ours by a report; where a grant is being acted on, only its agent knows. */
export function foreignOn(device: DeviceReport): ForeignInstances {
  return findForeign(device.gpus ?? [], driverEpochOf(device), device.lastGood, undefined);
}

/**
 * Our instances on the device now, to be recognised after the next change and restored after a reboot. On a GPU that does not
 * answer, what was ours stays ours, and so does what an unfinished grant may have created there.
 */
function lastGoodOf(
  gpus: readonly GpuReport[],
  bootID: string,
  foreign: ForeignInstances,
  { lastGood, unfinished }: Memory = {},
): NonNullable<LastGood> {
  const claims = claimsOf(bootID, lastGood);
  const unheard = new Set([...claims.keys(), ...(unfinished?.gpus ?? []).map(({ uuid }) => uuid)]);
  const entries = gpus.map((gpu): ClaimedGpu => {
    unheard.delete(gpu.uuid);
    const seen = { uuid: gpu.uuid, ...(gpu.mig && { mig: gpu.mig }), placements: listOwn(gpu, foreign) };
    return gpu.error === undefined ? seen : keepClaim(gpu.uuid, claims.get(gpu.uuid), unfinished, seen);
  });
  const kept = [...unheard].map((uuid) => keepClaim(uuid, claims.get(uuid), unfinished));
  return { bootID, gpus: [...entries, ...kept].slice(0, mostGpus) };
}

/**
 * The memory without claims by count, once a GPU answers that did not when a grant ended: from now on its instances are identified
 * by their placements. @returns undefined if there is nothing to settle
 */
function settleClaims(gpus: readonly GpuReport[], bootID: string, lastGood: LastGood): LastGood {
  const foreign = findForeign(gpus, bootID, lastGood, undefined);
  const settled = new Map(
    [...claimsOf(bootID, lastGood)].flatMap(([uuid, { unsettled, mig }]) => {
      const gpu = gpus.find((one) => one.uuid === uuid && one.error === undefined);
      if (!gpu || unsettled === undefined) return [];
      const now = gpu.mig ?? mig;
      return [[uuid, { uuid, ...(now && { mig: now }), placements: listOwn(gpu, foreign) }] as const];
    }),
  );
  if (settled.size === 0) return undefined;
  return { bootID, gpus: (lastGood?.gpus ?? []).map((claim) => settled.get(claim.uuid) ?? claim) };
}

function claimsOf(bootID: string, lastGood: LastGood): ReadonlyMap<string, ClaimedGpu> {
  const gpus = isSameLoad(lastGood?.bootID, bootID) ? (lastGood?.gpus ?? []) : [];
  return new Map(gpus.map((claim) => [claim.uuid, claim]));
}

function keepClaim(
  uuid: string,
  before: ClaimedGpu | undefined,
  unfinished: Memory['unfinished'],
  seen?: ClaimedGpu,
): ClaimedGpu {
  const mig = before?.mig ?? seen?.mig;
  const unsettled = mergeCounts(before?.unsettled, grantedOn(uuid, unfinished));
  const placements = [...new Set([...(before?.placements ?? []), ...(seen?.placements ?? [])])];
  return {
    uuid,
    ...(mig && { mig }),
    placements: placements.slice(0, mostPlacements),
    // Server-side apply turns an empty map into null, which the schema refuses.
    ...(Object.keys(unsettled).length > 0 && { unsettled }),
  };
}

function listOwn({ uuid, instances }: GpuReport, foreign: ForeignInstances): string[] {
  return instances.map(placeOf).filter((place) => foreign.get(uuid)?.has(place) !== true);
}

function grantedOn(uuid: string, unfinished: Memory['unfinished']): Counts | undefined {
  return unfinished?.gpus.find((one) => one.uuid === uuid)?.profiles;
}

function mergeCounts(some: Counts = {}, others: Counts = {}): Counts {
  const profiles = new Set([...Object.keys(some), ...Object.keys(others)]);
  return Object.fromEntries(
    [...profiles].map((profile) => [profile, Math.max(some[profile] ?? 0, others[profile] ?? 0)]),
  );
}

/** Tells which instances of the node are ours: those in `lastGood`, and those that an unfinished grant made. */
export class Claim {
  readonly #view: { readonly report: DeviceReport };
  readonly #bootID: string;
  readonly #driverLoad: () => string | undefined;

  /**
   * @param view the report of what was read last; empty before the first reading
   * @param driverLoad identifies the current load of the driver; undefined if that is not known
   */
  constructor(view: { readonly report: DeviceReport }, bootID: string, driverLoad: () => string | undefined) {
    this.#view = view;
    this.#bootID = bootID;
    this.#driverLoad = driverLoad;
  }

  get #driverEpoch(): string {
    return driverEpochOf(omitUndefined({ bootID: this.#bootID, driverLoad: this.#driverLoad() }));
  }

  /** Whether what was granted and done before this load of the driver is yet to be made again. */
  isToMakeAgain({ status }: GpuNodePartition): boolean {
    const { lastGood, step, ...seen } = status?.device ?? {};
    if (!lastGood || isSameLoad(lastGood.bootID, this.#driverEpoch)) return false;
    // An earlier process has failed since then: the node may be open by now.
    return step !== 'Failed' || !isSameLoad(driverEpochOf(seen), this.#driverEpoch);
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
  #afterSuccess(partition: GpuNodePartition, gpus: readonly GpuWish[]): NonNullable<LastGood> {
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

  #lastGood({ status }: GpuNodePartition, foreign: ForeignInstances, unfinished?: Grant): NonNullable<LastGood> {
    const { lastGood } = status?.device ?? {};
    return lastGoodOf(this.#view.report.gpus ?? [], this.#driverEpoch, foreign, { lastGood, unfinished });
  }
}

/**
 * The first failure of work on GPUs, with the pods that look on where one was in use. Where all of them go back, one may not that had
 * not failed itself.
 */
export function judgeWork(
  results: readonly {
    readonly uuid: string;
    readonly error?: DeviceError | undefined;
    readonly undoError?: DeviceError | undefined;
  }[],
  gpus: readonly GpuReport[],
  users: DeviceUsers,
): Fault | undefined {
  const failed = results.find(({ error }) => error !== undefined);
  if (failed === undefined) return undefined;
  const unrestored = results.find(({ error, undoError }) => error === undefined && undoError !== undefined);
  return nameMonitors(faultOf(failed.error, failed.uuid, failed.undoError ?? unrestored?.undoError), gpus, users);
}

/**
 * The fault of a GPU that was in use, with the pods that look on at it: the driver lists no handle that a monitor keeps open. If the
 * fault is about one instance, only those on it.
 */
function nameMonitors(fault: Fault, gpus: readonly GpuReport[], users: DeviceUsers): Fault {
  const gpu =
    fault.code === 'InUse' || fault.code === 'Pending' ? gpus.find(({ uuid }) => uuid === fault.gpu) : undefined;
  if (gpu === undefined) return fault;
  const named = gpu.instances.filter(({ profile, start }) => fault.message.startsWith(`${profile} at ${start} `));
  const places = named.length > 0 ? named : [undefined, ...gpu.instances];
  const monitors = [...new Set(places.flatMap((one) => describeMonitors(users, gpu, one)))].sort();
  const advice = adviseMonitors(monitors);
  return advice === undefined ? fault : { ...fault, message: `${fault.message}. ${advice}` };
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
  const asked = mayAsk ? { wish, bootID } : undefined;
  if (!isVain || fault?.code !== 'RebootRequired') return { fault, asked };
  return {
    fault: {
      ...fault,
      message: `${fault.message}. The reboot that was asked for did not help: none is asked for again`,
    },
    asked,
  };
}

/** Every way in which a query to the kubelet can fail, and what a person can do. */
const kubeletErrors = {
  KubeletSocketMissing:
    'mount the node’s folder /var/lib/kubelet/pod-resources into this container, or name the socket ' +
    '(--pod-resources-socket) if the kubelet has another root folder; it exists while the kubelet runs',
  KubeletUnavailable:
    'the kubelet is starting, down, or rejects calls of this user (root is required); it is asked again later, ' +
    'and its log on the node has details',
  KubeletTimeout: 'the kubelet is overloaded or hangs; it is asked again later, and its log on the node has details',
  KubeletUnsupported:
    'this needs a kubelet of Kubernetes 1.28 or newer, or its feature gate KubeletPodResourcesGetAllocatable',
  KubeletAnswerUnreadable:
    'is this the socket of a kubelet (pod-resources/kubelet.sock)? If so, report this with the kubelet version',
} as const satisfies Record<string, string>;

type KubeletErrorCode = keyof typeof kubeletErrors;

/** Errors that a kubelet shows while it restarts. */
const restartingCodes: ReadonlySet<string> = new Set<KubeletErrorCode>([
  'KubeletUnavailable',
  'KubeletSocketMissing',
  'KubeletTimeout',
]);

export function mayBeRestarting({ code }: { readonly code: string }): boolean {
  return restartingCodes.has(code);
}

interface KubeletErrorDetails {
  /** What was tried: `List on /var/lib/kubelet/pod-resources/kubelet.sock`. */
  readonly tried: string;
  /** What was found instead, in the words of the operating system or the kubelet if there are any. */
  readonly found: string;
  readonly cause?: unknown;
}

/** The kubelet did not answer the query, and what to do about it. */
export class KubeletError extends Error {
  static readonly codes: readonly KubeletErrorCode[] = Object.keys(kubeletErrors).filter(isKubeletErrorCode);
  override readonly name = 'KubeletError';
  readonly code: KubeletErrorCode;
  readonly tried: string;
  readonly found: string;
  readonly advice: string;
  /** The message without its code. */
  readonly explanation: string;

  constructor(code: KubeletErrorCode, { tried, found, cause }: KubeletErrorDetails) {
    const advice = kubeletErrors[code];
    const explanation = `tried ${tried}; found ${found}; ${advice}`;
    super(`${code}: ${explanation}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.explanation = explanation;
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }
}

function isKubeletErrorCode(code: string): code is KubeletErrorCode {
  return code in kubeletErrors;
}
