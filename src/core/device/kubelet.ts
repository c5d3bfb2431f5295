// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here what the kubelet's answers mean: who holds which device, what it offers, and what it no longer has; and when to read again.
import type { DeviceReport, Strategy, GpuReport, NodePartitionSpec } from '../../api/types.ts';
import { isGpuResource, isGpuDriver, gpuDriver } from '../kubernetes/pod.ts';
import { computeInstancesOf, type DeviceState, userKey, describeProcess } from '../gpu/device-state.ts';
import { deepEqual } from '../text/json.ts';
import { describeReport, computeResources } from '../nvidia/predict.ts';
import { MIG_STRATEGIES } from '../nvidia/labels.ts';
import { findNamedDevice } from './holders.ts';
import { paceReading, type ReadNeed, reportDevice } from './agent.ts';
import { type DeviceUsers, monitorKey, unidentifiedKey } from './plan.ts';

/** What the kubelet offers of the node's GPUs, as reported by NVIDIA's device plugin or others. */
interface AdvertisedDevices {
  /** Resource name to count, replicas multiplied in; sorted by name, none at 0. */
  readonly resources: Readonly<Record<string, number>>;
  /** Ids of NVIDIA's plugin among them that the node does not have: it has not read the devices since they changed. */
  readonly stale: number;
}

/**
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin. Under single and mixed it offers no GPU that is in MIG mode, so the id of one is stale; under none
 * it does. If absent, such an id counts as good
 */
function judgeAdvertised(
  device: Pick<DeviceReport, 'gpus'>,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy?: Strategy,
): AdvertisedDevices {
  const offered = [...allocatable]
    .filter(([name, ids]) => ids.length > 0 && (isGpuResource(name) || ids.some((id) => isOfNode(name, id))))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isStale = staleness(device, strategy);
  return {
    resources: Object.fromEntries(offered.map(([name, ids]) => [name, ids.length])),
    stale: offered.flatMap(([name, ids]) => (isGpuResource(name) ? ids : [])).filter(isStale).length,
  };

  function isOfNode(resource: string, id: string): boolean {
    return findHeldUuid({ resource, id }, device) !== undefined;
  }
}

function staleness(device: Pick<DeviceReport, 'gpus'>, strategy: Strategy | undefined): (id: string) => boolean {
  const { gpus = [] } = device;
  const known = new Set(listDeviceUuids(device));
  const partitioned = new Set(gpus.filter(({ mig }) => mig === 'Enabled').map(({ uuid }) => uuid));
  const offersPartitioned = strategy === undefined || strategy === 'none';
  // The instances of an unreadable GPU are unknown: an unmatched id may be one of them.
  const isComplete = gpus.every(({ error }) => error === undefined);
  return (id) => {
    const uuid = uuidOfDeviceId(id, device);
    if (!known.has(uuid)) return isComplete;
    return partitioned.has(uuid) && !offersPartitioned;
  };
}

/** A MIG device that was destroyed under the pods that hold it. */
type LostDevice = NonNullable<DeviceReport['lostDevices']>[number];

/** Limits of the API. */
const mostDevices = 64;
const mostPods = 16;
const longestId = 128;

/**
 * MIG devices that pods hold and that no GPU has. The kubelet names them for as long as the pods live. None is found while any GPU
 * or any UUID is missing from the reading: what cannot be read may exist.
 */
function findLostDevices(
  { gpus = [] }: Pick<DeviceReport, 'gpus'>,
  { stale }: Pick<Holders, 'stale'>,
): readonly LostDevice[] {
  const isRead = gpus.every(
    ({ error, instances }) =>
      error === undefined && instances.flatMap(computeInstancesOf).every(({ uuid }) => uuid !== undefined),
  );
  if (gpus.length === 0 || !isRead) return [];
  const byId = Map.groupBy(
    stale.filter(({ id }) => id.startsWith('MIG-') && id.length <= longestId),
    ({ id }) => id,
  );
  return [...byId].map(([id, held]) => ({ id, pods: [...new Set(held.map(({ pod }) => pod))].toSorted() }));
}

/** Cuts the lost devices to as many as a report takes. */
function cutLostDevices(lost: readonly LostDevice[]): LostDevice[] {
  return lost.slice(0, mostDevices).map(({ id, pods }) => ({ id, pods: pods.slice(0, mostPods) }));
}

/** The holders without devices that are lost: nothing that exists can be theirs. */
function withoutLost(holders: Holders, lost: readonly LostDevice[]): Holders {
  const ids = new Set(lost.map(({ id }) => id));
  return { ...holders, stale: holders.stale.filter(({ id }) => !ids.has(id)) };
}

/**
 * Resources that the kubelet offers and no plugin serves that has read the devices: all of them, unless it offers exactly the node's devices
 * under every name that such a plugin registers. Then a plugin is back, and only the other names are left of an earlier one.
 *
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin. If absent, it counts as known where what is offered shows that a plugin of one strategy, and of no
 * other, is back; elsewhere only names with devices that are gone are unserved
 */
function listUnserved(
  device: DeviceReport,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy: Strategy | undefined,
): readonly string[] {
  const offered = [...allocatable].filter(([name, ids]) => isGpuResource(name) && ids.length > 0);
  if (strategy !== undefined) return findLeft(device, offered, strategy) ?? offered.map(([name]) => name);
  const [left, ...others] = MIG_STRATEGIES.flatMap((one) => {
    const found = findLeft(device, offered, one);
    return found === undefined || found.length === offered.length ? [] : [found];
  });
  if (left !== undefined && others.every((other) => deepEqual(other, left))) return left;
  return offered.filter((one) => isStale(device, one)).map(([name]) => name);
}

type Offered = readonly [name: string, ids: readonly string[]];

/** What is offered beside all that a plugin of this strategy registers; undefined if not all of that is offered. */
function findLeft(
  device: DeviceReport,
  offered: readonly Offered[],
  strategy: Strategy,
): readonly string[] | undefined {
  const { resources, errors } = computeResources(describeReport(device), strategy);
  const right = offered.filter(([name, ids]) => {
    // Replicas of one device are offered as several.
    const found = new Set(ids.map((id) => uuidOfDeviceId(id, device))).size;
    return found === resources[unsharedName(name)] && !isStale(device, [name, ids], strategy);
  });
  const served = right.map(([name]) => unsharedName(name));
  const isBack = errors.length === 0 && Object.keys(resources).every((name) => served.includes(name));
  return isBack ? offered.filter((one) => !right.includes(one)).map(([name]) => name) : undefined;
}

function isStale(device: DeviceReport, [name, ids]: Offered, strategy?: Strategy): boolean {
  return judgeAdvertised(device, new Map([[name, ids]]), strategy).stale > 0;
}

function unsharedName(name: string): string {
  return name.replace(/\.shared$/, '');
}

type Device = Pick<DeviceReport, 'gpus'>;

/**
 * The UUID of the device that a device plugin's id denotes. Forms: `GPU-<uuid>`; `MIG-<uuid>`; `MIG-GPU-<uuid>/<gi>/<ci>`, used by
 * drivers before R470; any of them with a replica's number, `<id>::<n>` (time-slicing) or `<id>-<n>` (plugins that share by MPS);
 * for plugins that number devices, `2` (GPU 2) and `0:3` (MIG device 3 of GPU 0); and, for plugins that name device files (GKE's),
 * `nvidia0`, `nvidia0/gi2` (GPU instance 2) and a share of one, `nvidia0/gi2/vgpu1`.
 *
 * @param device if absent, an id of the last forms, or one that cannot be resolved, is returned unchanged
 */
export function uuidOfDeviceId(id: string, device?: Device): string {
  const bare = id.replace(/::\d+$/, '');
  const gpus = device?.gpus ?? [];
  return (
    findByIndex(bare, gpus) ?? findByFile(bare, gpus) ?? findByInstanceId(bare, gpus) ?? findByShare(bare, gpus) ?? bare
  );
}

/** UUID of this node's device that a pod has, whatever its resource is called; undefined if it is none of them. */
function findHeldUuid({ resource, id }: HeldDevice, device: Device): string | undefined {
  // Any plugin may number its devices: among GPU plugins only NVIDIA's does.
  if (!isGpuResource(resource) && /^[\d:]+$/.test(id)) return undefined;
  const uuid = uuidOfDeviceId(id, device);
  return listDeviceUuids(device).includes(uuid) ? uuid : undefined;
}

/** UUID of this node's device that a claim names, by NVIDIA's names or by itself; undefined if it names none. */
function findClaimedUuid({ driver, device: name, cdiDevices }: ClaimedDevice, device: Device): string | undefined {
  if (driver === gpuDriver) return findNamedDevice(name, device)?.uuid;
  const names = [name, ...cdiDevices].map((text) => text.toLowerCase());
  return listDeviceUuids(device)
    .filter((uuid) => names.some((text) => text.includes(uuid.toLowerCase())))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** UUIDs of all devices of the node: GPUs, and compute instances for which the driver gave one. */
function listDeviceUuids({ gpus = [] }: Device): readonly string[] {
  return gpus.flatMap(({ uuid, instances }) => [
    uuid,
    ...instances.flatMap((instance) => computeInstancesOf(instance).flatMap((one) => one.uuid ?? [])),
  ]);
}

function findByIndex(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuIndex, migIndex] = /^(\d+)(?::(\d+))?$/.exec(id) ?? [];
  const gpu = gpus.find(({ index }) => String(index) === gpuIndex);
  if (gpu === undefined || migIndex === undefined) return gpu?.uuid;
  // nvidia-smi and NVML number the MIG devices of a GPU by GPU instance id, then compute instance id, without gaps.
  return gpu.instances
    .toSorted((a, b) => a.gi - b.gi)
    .flatMap(computeInstancesOf)
    .at(Number(migIndex))?.uuid;
}

/** A plugin that names device files hands out GPU instances whole. */
function findByFile(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, number, gi] = /^nvidia(\d+)(?:\/gi(\d+))?(?:\/vgpu\d+)?$/.exec(id) ?? [];
  const gpu = gpus.find(({ index, minor = index }) => String(minor) === number);
  if (gpu === undefined || gi === undefined) return gpu?.uuid;
  const instance = gpu.instances.find((one) => String(one.gi) === gi);
  return instance && computeInstancesOf(instance)[0]?.uuid;
}

/** An id of the old form, while the report has the new one: the driver was replaced under a running plugin. */
function findByInstanceId(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuUuid, gi, ci] = /^MIG-(GPU-[^/]+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
  const instance = gpus.find(({ uuid }) => uuid === gpuUuid)?.instances.find((one) => String(one.gi) === gi);
  const parts = instance === undefined ? [] : computeInstancesOf(instance);
  return parts.some(({ uuid }) => uuid === id) ? undefined : parts.at(Number(ci))?.uuid;
}

/** `<uuid>-<n>`, as awslabs/aws-virtual-gpu-device-plugin numbers the shares of a GPU. A UUID itself ends the same way. */
function findByShare(id: string, gpus: readonly GpuReport[]): string | undefined {
  const whole = /^(.+)-\d+$/.exec(id)?.[1];
  return whole !== undefined && gpus.some((gpu) => hasUuid(gpu, whole)) ? whole : undefined;
}

function hasUuid({ uuid: own, instances }: GpuReport, uuid: string): boolean {
  return own === uuid || instances.some((instance) => computeInstancesOf(instance).some((one) => one.uuid === uuid));
}

/** A device of a pod, as the kubelet names it. */
interface HeldDevice {
  /** `nvidia.com/mig-1g.5gb`; of any device plugin */
  readonly resource: string;
  /** The device plugin's id: see {@link uuidOfDeviceId}. */
  readonly id: string;
}

/** A device that a pod has by a claim (DRA), as its driver names it. */
interface ClaimedDevice {
  /** `NAMESPACE/NAME` */
  readonly claim: string;
  /** `gpu.nvidia.com`; empty if the kubelet is too old to report it. */
  readonly driver: string;
  /** Name within the driver's pool; empty as above. */
  readonly device: string;
  /** Fully qualified: `k8s.gpu.nvidia.com/claim=ID`. */
  readonly cdiDevices: readonly string[];
}

/** A pod on a node and the devices that the kubelet gave it; usually none. */
export interface PodHolding {
  readonly namespace: string;
  readonly name: string;
  readonly devices: readonly HeldDevice[];
  /** Devices by claim; absent if the pod has no claim. */
  readonly claimed?: readonly ClaimedDevice[];
}

/** Pods that hold devices, by device. Pods are `NAMESPACE/NAME`, sorted, each once. */
interface Holders {
  /** Pods by UUID: the GPU's for a whole GPU, the MIG device's for a compute instance. Free devices are absent. */
  readonly ofDevice: ReadonlyMap<string, readonly string[]>;
  /** Pods that hold an unknown GPU or slice: any may be theirs. */
  readonly ofAny: readonly string[];
  /** Devices that the report does not have: destroyed under the pod, or on a GPU that could not be read. */
  readonly stale: readonly StaleHolding[];
  /** ResourceClaims by which pods have a device, by its UUID, as `NAMESPACE/NAME`. Absent if there are none. */
  readonly claimsOf?: ReadonlyMap<string, readonly string[]>;
  /** Pods that only look on at a device, by its UUID, as `NAMESPACE/POD (claim NAMESPACE/NAME)`. Absent if there are none. */
  readonly monitorsOf?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Pods that hold a slice that no GPU of the node has: it was recreated under another UUID, or is on a GPU that was never read. Their
 * instance is unknown, so none may be destroyed.
 */
function listUnresolved({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return [...new Set(stale.flatMap(({ id, pod }) => (id.startsWith('MIG-') ? [pod] : [])))].toSorted();
}

/** What pods hold of GPU resources and no reading explains: `pod NAMESPACE/NAME holds ID of RESOURCE`. It may be any device. */
function listUnidentified({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return stale.filter(isUnidentified).map(({ pod, id, resource }) => `pod ${pod} holds ${id} of ${resource}`);
}

/** A UUID of a GPU that the node does not have is no other GPU's; an id in another form may be that of any device. */
function isUnidentified({ id }: StaleHolding): boolean {
  return !/^(GPU|MIG)-/.test(id);
}

/** Lists everything that pods hold: UUIDs of devices, ids that no device has, and `NAMESPACE/NAME` of each pod whose devices are unknown. */
function listHeldIds({ ofDevice, ofAny, stale }: Holders): ReadonlySet<string> {
  const ids = stale.map((one) => (isUnidentified(one) ? `${one.pod} (${one.id})` : one.id));
  return new Set([...ofDevice.keys(), ...ofAny, ...ids]);
}

/** Lists the held ids and, if some pod's devices are unknown, every device of the node: any may be its own. */
export function listHeldDevices(holders: Holders, device: Pick<DeviceReport, 'gpus'>): ReadonlySet<string> {
  const any = holders.ofAny.length > 0 || holders.stale.some(isUnidentified) ? listDeviceUuids(device) : [];
  return new Set([...any, ...listHeldIds(holders)]);
}

interface StaleHolding extends HeldDevice {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
}

/**
 * Finds out who holds what, as the kubelet reports it. It does not know of processes outside pods, and it keeps naming destroyed devices
 * for as long as the pod lives.
 *
 * @param monitors claims that only look on: the kubelet does not tell them from others
 */
function holdersOf(
  device: Pick<DeviceReport, 'gpus'>,
  holdings: readonly PodHolding[],
  monitors: readonly string[] = [],
): Holders {
  const pods = new Map<string, Set<string>>();
  const claims = new Map<string, Set<string>>();
  const onlookers = new Map<string, Set<string>>();
  const ofAny = new Set<string>();
  const stale: StaleHolding[] = [];
  const hold = (uuid: string, pod: string): void => addTo(pods, uuid, pod);
  for (const { namespace, name, devices, claimed = [] } of holdings) {
    const pod = `${namespace}/${name}`;
    for (const held of devices) {
      const uuid = findHeldUuid(held, device);
      if (uuid !== undefined) hold(uuid, pod);
      else if (isGpuResource(held.resource)) stale.push({ pod, ...held });
    }
    for (const one of claimed) {
      const uuid = findClaimedUuid(one, device);
      if (monitors.includes(one.claim)) {
        if (uuid !== undefined) addTo(onlookers, uuid, `${pod} (claim ${one.claim})`);
        continue;
      }
      if (uuid !== undefined) addTo(claims, uuid, one.claim);
      if (uuid !== undefined) hold(uuid, pod);
      else if (isGpuClaim(one)) ofAny.add(pod);
    }
  }
  return {
    ofDevice: sortNames(pods),
    ...(claims.size > 0 && { claimsOf: sortNames(claims) }),
    ...(onlookers.size > 0 && { monitorsOf: sortNames(onlookers) }),
    ofAny: [...ofAny].toSorted(),
    stale,
  };
}

/** Pods that were given the whole GPU; without those on its instances. */
function listGpuHolders({ ofDevice, ofAny }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return unite(ofDevice.get(uuid) ?? [], ofAny);
}

/** Pods on any compute instance of a GPU instance. */
function listInstanceHolders(
  { ofDevice, ofAny }: Holders,
  instance: Parameters<typeof computeInstancesOf>[0],
): readonly string[] {
  const pods = computeInstancesOf(instance).flatMap(({ uuid }) =>
    uuid === undefined ? [] : (ofDevice.get(uuid) ?? []),
  );
  return unite(pods, ofAny);
}

/** ResourceClaims by which pods have the whole GPU. */
function listWholeClaims({ claimsOf }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return claimsOf?.get(uuid) ?? [];
}

/** ResourceClaims by which pods have any compute instance of a GPU instance. */
function listInstanceClaims(
  { claimsOf }: Holders,
  instance: Parameters<typeof computeInstancesOf>[0],
): readonly string[] {
  if (claimsOf === undefined) return [];
  return computeInstancesOf(instance).flatMap(({ uuid }) => (uuid === undefined ? [] : (claimsOf.get(uuid) ?? [])));
}

function addTo(sets: Map<string, Set<string>>, uuid: string, name: string): void {
  sets.set(uuid, (sets.get(uuid) ?? new Set()).add(name));
}

function sortNames(sets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  return new Map([...sets].map(([uuid, names]) => [uuid, [...names].toSorted()]));
}

/** Older kubelets name no driver; the vendor of its CDI devices is `k8s.DRIVER`. */
function isGpuClaim({ driver, cdiDevices }: ClaimedDevice): boolean {
  return isGpuDriver(driver) || cdiDevices.some((id) => isGpuDriver(id.split('/')[0] ?? ''));
}

function unite(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])].toSorted();
}

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

type Report = ReturnType<typeof reportDevice> & Pick<DeviceReport, 'advertised' | 'lostDevices'>;

/** The readings of the GPUs: what the last one has found, completed by what the kubelet says, and what it shares with the one before. */
export class Readings {
  #state: DeviceState | undefined;
  #holders: Holders | undefined;
  /** The reading that each device which a pod holds was first missing from. */
  #missing: ReadonlyMap<string, DeviceState> = new Map();
  /** Whether the last reading was the first to lack a device. */
  isUnsure = false;

  /** The last reading. */
  get state(): DeviceState | undefined {
    return this.#state;
  }

  /** When to read again, as {@link paceReading} says. */
  pace(need: Omit<ReadNeed, 'isSick'>) {
    const { gpus = [], lost = [] } = this.#state ?? {};
    const isSick = lost.length > 0 || gpus.some(({ fault, health }) => fault !== undefined || health !== undefined);
    return paceReading({ ...need, isSick });
  }

  /** The processes that the last reading shows, the pods that only look on, and those whose devices are not identified: for messages. */
  get users(): DeviceUsers {
    const monitorsOf = (uuid = ''): readonly string[] => this.#holders?.monitorsOf?.get(uuid) ?? [];
    return new Map([
      [unidentifiedKey, this.#holders ? listUnidentified(this.#holders) : []] as const,
      ...(this.#state?.gpus ?? []).flatMap(({ uuid, processes, instances }) => [
        [userKey(uuid), processes.map(describeProcess)] as const,
        [monitorKey(uuid), monitorsOf(uuid)] as const,
        ...instances.flatMap((one) => [
          [userKey(uuid, one), one.processes.map(describeProcess)] as const,
          [monitorKey(uuid, one), one.computeInstances.flatMap((part) => monitorsOf(part.uuid))] as const,
        ]),
      ]),
    ]);
  }

  /** Takes a reading, and completes its report. @param word undefined: the kubelet need not be asked */
  complete(reading: DeviceState, report: Report, word: KubeletWord | undefined): Report {
    const lost = this.#noteMissing(reading, report, word?.holders);
    this.#state = reading;
    this.#holders = word?.holders;
    if (word === undefined) return report;
    return {
      ...report,
      gpus: [...withHolders(report.gpus ?? [], withoutLost(word.holders, lost))],
      ...(lost.length > 0 && { lostDevices: cutLostDevices(lost) }),
      ...(word.advertised && { advertised: word.advertised }),
    };
  }

  /**
   * Finds the devices that pods hold and that two readings in a row did not have. One is not enough: the kubelet is asked after the
   * GPUs, and a device may have been made in between.
   */
  #noteMissing(
    reading: DeviceState,
    report: Pick<DeviceReport, 'gpus'>,
    holders: Holders | undefined,
  ): readonly LostDevice[] {
    const found = holders === undefined || reading.lost.length > 0 ? [] : findLostDevices(report, holders);
    const before = this.#missing;
    this.#missing = new Map(found.map(({ id }) => [id, before.get(id) ?? reading]));
    const lost = found.filter(({ id }) => this.#missing.get(id) !== reading);
    this.isUnsure = lost.length < found.length;
    return lost;
  }
}

/** The GPUs with the pods that hold them: a pod may hold a slice without running a process on it. */
function withHolders(gpus: readonly GpuReport[], holders: Holders): readonly GpuReport[] {
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

function held(
  pods: readonly string[],
  claims: readonly string[],
): { readonly busy?: true; readonly pods?: readonly string[]; readonly claims?: readonly string[] } {
  return pods.length > 0 ? { busy: true, pods, ...(claims.length > 0 && { claims }) } : {};
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
