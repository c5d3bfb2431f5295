// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here for a reading as it is reported to the cluster.
import type { DeviceReport, GpuReport, InstanceReport, ModelReport, PlanReport } from '../../api/types.ts';
import type { Engines, Geometry } from '../gpu/geometry.ts';
import { nameWhole } from '../gpu/profiles.ts';
import {
  type ComputeInstanceState,
  type DeviceState,
  type GpuInstanceState,
  type GpuState,
  type LostGpu,
  userKey,
} from '../gpu/device-state.ts';
import { omitUndefined, deepEqual } from '../text/json.ts';
import { cutText, countWords } from '../text/words.ts';
import { timeText } from '../text/syntax.ts';
import type { Fault } from './grants.ts';
import {
  type Holders,
  holdersOf,
  listHeldIds,
  listUnidentified,
  type PodHolding,
  listGpuHolders,
  listInstanceClaims,
  listInstanceHolders,
  listUnresolved,
  listWholeClaims,
  adviseMonitors,
} from './holders.ts';

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

/** Who holds what of the GPUs that were just read. @param device undefined if they could not be read */
export function holdersOnHost(device: DeviceState | undefined, holdings: readonly PodHolding[]) {
  const holders = holdersOf(device === undefined ? {} : reportDevice(device), holdings);
  const { ofDevice, ofAny } = holders;
  return {
    /** How many GPUs and slices pods hold. */
    held: ofDevice.size,
    /** Everything that pods hold, as {@link listHeldIds} lists it. */
    ids: listHeldIds(holders),
    /** Pods with a slice that no GPU has. */
    unresolved: device === undefined ? [] : listUnresolved(holders),
    /** What no reading explains, a sentence each. */
    unidentified: device === undefined ? [] : listUnidentified(holders),
    /** Pods that may hold any device. */
    ofAny: device === undefined ? [] : ofAny,
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

/** The firmware's text, or a file of the user's: as much of it as the API takes. */
const longestMachine = 128;

/** The last reported reading, with its boot: it stays until there is a newer one. */
export function pickReading(seen: DeviceReport | undefined): Partial<DeviceReport> {
  const { bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices } = seen ?? {};
  return omitUndefined({ bootID, driverLoad, driverVersion, cudaVersion, gpus, models, advertised, lostDevices });
}

/** The outcome of the last grant stays reported until the next one. */
export function keepOutcome(seen: DeviceReport | undefined): Partial<DeviceReport> {
  if (seen?.step !== 'Failed') return { step: 'Idle' };
  const { step, error } = seen;
  return { step, ...(error ? { error } : {}) };
}

/**
 * What is reported whatever was found: who reports, what it has answered, and what earlier work has left.
 *
 * @param signalled what this process has signalled; null: nothing. Undefined: it has not done any work yet
 */
export function lastingFields(
  {
    agentVersion,
    bootID,
    machine,
  }: { readonly agentVersion: string; readonly bootID: string; readonly machine: string | undefined },
  seen: DeviceReport | undefined,
  signalled: DeviceReport['signalled'] | null,
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
export function hostFields(problems: readonly string[]): Pick<DeviceReport, 'hostProblems'> {
  if (problems.length === 0) return {};
  return { hostProblems: problems.slice(0, 16).map((problem) => cutText(problem, 512)) };
}

/** Limits on names of pods and claims: per device, what the API takes; for all devices together, what leaves room for the rest of the report. */
const mostNames = 16;
const mostNameBytes = 8_000;

/** The GPUs with the pods that hold them: a pod may hold a slice without running a process on it. */
export function withHolders(gpus: readonly GpuReport[], holders: Holders): readonly GpuReport[] {
  return gpus.map((gpu) => ({
    ...gpu,
    ...held(listGpuHolders(holders, gpu), listWholeClaims(holders, gpu)),
    instances: gpu.instances.map((instance) => ({
      ...instance,
      ...held(
        [...new Set([...listInstanceHolders(holders, instance), ...listUnresolved(holders)])],
        listInstanceClaims(holders, instance),
      ),
    })),
  }));
}

/**
 * Cuts the names of holders to what a report takes, at least one per device: busy without a name would mean a process. Plans use all names.
 */
export function cutHolders(gpus: readonly GpuReport[]): GpuReport[] {
  const lists = gpus
    .flatMap((gpu) => [gpu, ...gpu.instances])
    .flatMap(({ pods, claims }) => [pods ?? [], claims ?? []]);
  const bytesOf = (most: number): number =>
    lists.reduce((sum, names) => sum + names.slice(0, most).reduce((length, name) => length + name.length, 0), 0);
  let most = mostNames;
  while (most > 1 && bytesOf(most) > mostNameBytes) most -= 1;
  return gpus.map((gpu) => ({ ...cut(gpu, most), instances: gpu.instances.map((one) => cut(one, most)) }));
}

function held(
  pods: readonly string[],
  claims: readonly string[],
): { readonly busy?: true; readonly pods?: readonly string[]; readonly claims?: readonly string[] } {
  return pods.length > 0 ? { busy: true, pods, ...(claims.length > 0 && { claims }) } : {};
}

function cut<Held extends Pick<GpuReport, 'pods' | 'claims'>>(one: Held, most: number): Held {
  const { pods, claims } = one;
  return {
    ...one,
    ...(pods && { pods: pods.slice(0, most) }),
    ...(claims && { claims: claims.slice(0, most) }),
  };
}

/** What a plan does beside its instances, which may be all that it does; follows their numbers. */
export function describeModeChanges({ modeChanges = 0 }: Partial<Pick<PlanReport, 'modeChanges'>> = {}): string {
  return modeChanges === 0 ? '' : `, with a change of MIG mode or a reset of ${countWords(modeChanges, 'GPU')}`;
}

/**
 * The fault of a GPU that was in use, with the pods that look on at it: the driver lists no handle that a monitor keeps open. If the
 * fault is about one instance, only those on it.
 */
export function nameMonitors(fault: Fault, gpus: readonly GpuReport[], users: DeviceUsers): Fault {
  const gpu =
    fault.code === 'InUse' || fault.code === 'Pending' ? gpus.find(({ uuid }) => uuid === fault.gpu) : undefined;
  if (gpu === undefined) return fault;
  const named = gpu.instances.filter(({ profile, start }) => fault.message.startsWith(`${profile} at ${start} `));
  const places = named.length > 0 ? named : [undefined, ...gpu.instances];
  const monitors = [...new Set(places.flatMap((one) => describeMonitors(users, gpu, one)))].sort();
  const advice = adviseMonitors(monitors);
  return advice === undefined ? fault : { ...fault, message: `${fault.message}. ${advice}` };
}

/** What two clocks may differ by, in seconds; the measurement is precise to two. */
const usualSeconds = 10;
const mostSeconds = 2_000_000_000;

/**
 * Reports by how much the node's clock is wrong, if it is: the reported value stays as long as it is about right, or each report would be a
 * write.
 */
export function reportSkew(
  skewMs: number | undefined,
  { clockSkewSeconds: before }: Pick<DeviceReport, 'clockSkewSeconds'> = {},
): Pick<DeviceReport, 'clockSkewSeconds'> {
  if (skewMs === undefined) return before === undefined ? {} : { clockSkewSeconds: before };
  const seconds = Math.max(-mostSeconds, Math.min(mostSeconds, Math.round(skewMs / 1000)));
  if (Math.abs(seconds) < usualSeconds) return {};
  const isAsBefore = before !== undefined && Math.abs(seconds - before) < usualSeconds;
  return { clockSkewSeconds: isAsBefore ? before : seconds };
}

/** The time of the last successful reading. */
interface ReadTime {
  /** The time at which it began, in ms since the epoch by the API server's clock; undefined: there was none yet. */
  readonly readMs: number | undefined;
  /** `spec.drain.readAfter` */
  readonly readAfter: string | undefined;
}

/**
 * A report with the time of its reading. Readings that show nothing new are not reported, so that an idle node writes nothing: then
 * the time stays that of the first of them, unless the controller asks for a later one.
 */
export function stampReading(
  device: DeviceReport,
  told: DeviceReport | undefined,
  { readMs, readAfter }: ReadTime,
): DeviceReport {
  const { readTime: before } = told ?? {};
  const same = { ...device, ...(before !== undefined && { readTime: before }) };
  if (readMs === undefined) return same;
  const isAwaited = isAt(readMs, readAfter) && !isAt(Date.parse(before ?? ''), readAfter);
  return deepEqual(same, told) && !isAwaited ? same : { ...device, readTime: timeText(readMs) };
}

function isAt(ms: number, time: string | undefined): boolean {
  return ms >= Date.parse(time ?? '');
}

/**
 * Processes on the GPUs, for messages: `pid 4242 (python3)`, by {@link userKey}. A report names none: on a busy node they come and
 * go, and each would cause a write.
 */
export type DeviceUsers = ReadonlyMap<string, readonly string[]>;

/** The number of users that are named; then how many more there are. */
const mostNamed = 4;

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

/** Names the users of a GPU, or of one of its instances: the pods if the kubelet names any, else the processes. */
export function describeUsers(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): readonly string[] {
  const { pods = [] } = instance ?? gpu;
  if (pods.length > 0) return pods;
  const processes = users.get(userKey(gpu.uuid, instance)) ?? [];
  const more = processes.length - mostNamed;
  return more > 0 ? [...processes.slice(0, mostNamed), `${more} more`] : processes;
}

/** Names the users with a verb, to be followed by what is used: `pod team/train holds`, `pid 4242 (python3) runs on`. */
export function describeUse(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): string {
  const names = describeUsers(users, gpu, instance);
  if ((instance ?? gpu).pods?.length) return `pod ${names.join(', ')} holds`;
  return names.length > 1 ? `${names.join(', ')} run on` : `${names[0] ?? 'a process'} runs on`;
}
