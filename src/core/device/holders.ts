// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which pods hold, or will hold, which devices, by UUID, and for the devices as the DRA driver publishes them.
import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../api/types.ts';
import { gpuDriver, type ResourceSliceView } from '../kubernetes/claims.ts';
import { computeInstancesOf, userKey } from '../gpu/device-state.ts';
import { isGpuResource, isGpuDriver, foreignGpuResource, hasEnded, type PodView } from '../kubernetes/pod.ts';
import { isZeroQuantity } from '../text/syntax.ts';
import { nameWhole } from '../gpu/profiles.ts';

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
export function findHeldUuid({ resource, id }: HeldDevice, device: Device): string | undefined {
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
export function listDeviceUuids({ gpus = [] }: Device): readonly string[] {
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
export interface Holders {
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
export function listUnresolved({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return [...new Set(stale.flatMap(({ id, pod }) => (id.startsWith('MIG-') ? [pod] : [])))].toSorted();
}

/** What pods hold of GPU resources and no reading explains: `pod NAMESPACE/NAME holds ID of RESOURCE`. It may be any device. */
export function listUnidentified({ stale }: Pick<Holders, 'stale'>): readonly string[] {
  return stale.filter(isUnidentified).map(({ pod, id, resource }) => `pod ${pod} holds ${id} of ${resource}`);
}

/** A UUID of a GPU that the node does not have is no other GPU's; an id in another form may be that of any device. */
function isUnidentified({ id }: StaleHolding): boolean {
  return !/^(GPU|MIG)-/.test(id);
}

/** Lists everything that pods hold: UUIDs of devices, ids that no device has, and `NAMESPACE/NAME` of each pod whose devices are unknown. */
export function listHeldIds({ ofDevice, ofAny, stale }: Holders): ReadonlySet<string> {
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
export function holdersOf(
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
export function listGpuHolders({ ofDevice, ofAny }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return unite(ofDevice.get(uuid) ?? [], ofAny);
}

/** Pods on any compute instance of a GPU instance. */
export function listInstanceHolders(
  { ofDevice, ofAny }: Holders,
  instance: Parameters<typeof computeInstancesOf>[0],
): readonly string[] {
  const pods = computeInstancesOf(instance).flatMap(({ uuid }) =>
    uuid === undefined ? [] : (ofDevice.get(uuid) ?? []),
  );
  return unite(pods, ofAny);
}

/** ResourceClaims by which pods have the whole GPU. */
export function listWholeClaims({ claimsOf }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return claimsOf?.get(uuid) ?? [];
}

/** ResourceClaims by which pods have any compute instance of a GPU instance. */
export function listInstanceClaims(
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

/** The pods of an agent's last reading. The kubelet tells their names only; see `isSurelyRead` for which pods these are. */
export interface ReportedPods {
  /** `NAMESPACE/NAME` of all pods whose devices the agent knows. */
  readonly holders: readonly string[];
  /** `NAMESPACE/NAME` of the pods that hold what the plan destroys. */
  readonly going: readonly string[];
}

export function listReportedPods({ gpus = [], plan }: DeviceReport = {}): ReportedPods {
  const places = new Set(plan?.drains);
  return {
    holders: listNames(gpus, 'pods', () => true),
    going: listNames(gpus, 'pods', (place) => places.has(place)),
  };
}

/** `NAMESPACE/NAME` of the ResourceClaims that have what the plan destroys. */
export function listGoingClaims({ gpus = [], plan }: DeviceReport = {}): readonly string[] {
  const places = new Set(plan?.drains);
  return [...new Set(listNames(gpus, 'claims', (place) => places.has(place)))].toSorted();
}

function listNames(
  gpus: readonly GpuReport[],
  of: 'pods' | 'claims',
  isMeant: (place: string) => boolean,
): readonly string[] {
  return gpus.flatMap((gpu) => [
    ...(isMeant(userKey(gpu.uuid)) ? (gpu[of] ?? []) : []),
    ...gpu.instances.flatMap((one) => (isMeant(userKey(gpu.uuid, one)) ? (one[of] ?? []) : [])),
  ]);
}

/**
 * How much later than a pod a reading must have begun, in ms, to have seen that pod: times of creation are whole seconds, and the
 * agent knows the API server's clock to two.
 */
const slackMs = 3_000;

/** The earliest time, in ms, at which a reading shows this pod, and no earlier one of its name. */
export function readableFrom({ metadata }: CreatedPod): number {
  return Date.parse(metadata.creationTimestamp ?? '') + slackMs;
}

/** Whether a pod of a reported name is the one that was read, and not one that came since. Agents of earlier versions tell no time. */
export function isSurelyRead(pod: CreatedPod, { readTime }: Pick<DeviceReport, 'readTime'> = {}): boolean {
  return readTime === undefined || !(readableFrom(pod) > Date.parse(readTime));
}

interface CreatedPod {
  readonly metadata: { readonly creationTimestamp?: string };
}

const mostNamed = 4;

/** What to do about pods that look on at a GPU that is in use; undefined if none does. @param monitors as `NAMESPACE/POD (claim NAMESPACE/NAME)` */
export function adviseMonitors(monitors: readonly string[]): string | undefined {
  if (monitors.length === 0) return undefined;
  const more = monitors.length > mostNamed ? ` and ${monitors.length - mostNamed} more` : '';
  const names = `${monitors.slice(0, mostNamed).join(', ')}${more}`;
  const many = monitors.length > 1;
  return (
    `${many ? 'Pods' : 'Pod'} ${names} ${many ? 'look' : 'looks'} on with admin access and may have it open: stop ${many ? 'these monitors' : 'this monitor'}, ` +
    'or label it away until the change is done (kubectl label node NODE nvidia.com/gpu.deploy.dcgm-exporter=false --overwrite; of a GPUCluster: …dcgm-exporter-dra)'
  );
}

/** What is known about how a node hands out its GPUs. */
interface GpuOffer {
  /** The agent's `advertised.resources`: names under which the kubelet hands out devices that are GPUs of the node. */
  readonly offered?: Readonly<Record<string, number>> | undefined;
  /** Resources of the node, including those that it no longer offers: their names stay as long as the node. Undefined: unknown. */
  readonly resources?: Readonly<Record<string, string>> | undefined;
  /** Whether the pod's claims may be for GPUs. Undefined: not checked, so any may. */
  readonly mayClaim?: boolean | undefined;
}

/** A resource that stands for a device class under its own name (KEP-5004). */
export const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

/**
 * Whether a pod holds or will hold a GPU or a slice of its node: it has not ended, and any of its containers requests one, by a
 * resource or by a claim. A pod that is terminating still holds it. Only a claim's devices tell what it is for: on a node that may
 * offer GPUs by claim, every claim counts.
 */
export function usesGpu(pod: PodView, offer: GpuOffer = {}): boolean {
  const { mayClaim = true } = offer;
  return usesResource(pod, (name) => isGpuOfNode(name, offer)) || (mayClaim && hasClaim(pod));
}

/** Whether a resource is a GPU of the node: by its name, or because its kubelet offers GPUs under that name. */
export function isGpuOfNode(name: string, { offered = {}, resources }: Omit<GpuOffer, 'mayClaim'>): boolean {
  if (Object.hasOwn(offered, name)) return true;
  const isGpu = isGpuResource(name) || name === foreignGpuResource;
  return isGpu && (resources === undefined || Object.hasOwn(resources, name));
}

/** Whether a pod that has not ended requests a resource, including in an init container. */
function usesResource(pod: PodView, isMeant: (name: string) => boolean): boolean {
  if (hasEnded(pod)) return false;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((amounts) =>
      Object.entries(amounts ?? {}).some(([name, amount]) => isMeant(name) && !isZeroQuantity(amount)),
    ),
  );
}

function hasClaim(pod: PodView): boolean {
  if (hasEnded(pod)) return false;
  return (
    (pod.spec?.resourceClaims ?? []).length > 0 ||
    pod.status?.extendedResourceClaimStatus !== undefined ||
    usesResource(pod, (name) => name.startsWith(deviceClassPrefix))
  );
}

/** Whether a pod that has not ended holds a GPU under a name that is not NVIDIA's, including in an init container. */
export function usesForeignGpu(pod: PodView): boolean {
  return usesResource(pod, (name) => name === foreignGpuResource);
}

/** A device as NVIDIA's DRA driver publishes it, as far as it tells one device from another (dra-driver-nvidia-gpu `cmd/gpu-kubelet-plugin`). */
interface PublishedDevice {
  /** Name within the node's pool; undefined if the driver's id of the profile is unknown. */
  readonly name: string | undefined;
  readonly type: 'gpu' | 'mig';
  /** UUID of the device; undefined if it was not read: then no slice proves the device. */
  readonly uuid: string | undefined;
  /** UUID of its GPU; absent for a whole GPU. */
  readonly parentUUID?: string;
  /** `1g.5gb+me`; absent for a whole GPU. */
  readonly profile?: string;
  readonly productName: string;
  /** See {@link userKey}. */
  readonly place: string;
}

/** What the driver makes of a node's devices when it starts. */
interface Publication {
  readonly devices: readonly PublishedDevice[];
  /** Why it exits instead, which leaves its previous slices; undefined if it does not. */
  readonly problem?: string;
}

/**
 * A whole GPU is published while its MIG mode is off, a GPU instance if it has a compute instance. A compute instance that is smaller
 * than its GPU instance ends the driver, for the whole node.
 */
export function publishDevices({ gpus = [], models = [] }: Pick<DeviceReport, 'gpus' | 'models'>): Publication {
  // NVML does not enumerate a lost GPU.
  const present = gpus.filter(({ error }) => error === undefined);
  const split = present.flatMap((gpu) => gpu.instances.filter(isSplit).map((one) => ({ gpu, one })))[0];
  if (split !== undefined) {
    const { gpu, one } = split;
    const parts = computeInstancesOf(one).map(({ profile }) => profile);
    return {
      devices: [],
      problem: `GPU ${gpu.index}: ${one.profile} at ${one.start} has compute instances ${parts.join(', ')}`,
    };
  }
  return { devices: present.flatMap((gpu) => publishGpu(gpu, models)) };
}

/** A slice as the driver writes it once it has read the devices again: for forecasts. */
export function predictSlice(device: Pick<DeviceReport, 'gpus' | 'models'>): ResourceSliceView {
  const devices = publishDevices(device).devices.map(
    ({ name, place, type, uuid, parentUUID, profile, productName }) => {
      // A device without a UUID would be one of a driver that creates slices itself.
      const texts = { type, uuid: uuid ?? place, parentUUID, profile, productName };
      const known = Object.entries(texts).flatMap(([key, string]) => (string === undefined ? [] : [[key, { string }]]));
      return { name: name ?? place, attributes: Object.fromEntries(known) as Record<string, { string: string }> };
    },
  );
  return { spec: { driver: gpuDriver, devices } };
}

function publishGpu(gpu: GpuReport, models: readonly ModelReport[]): readonly PublishedDevice[] {
  const { uuid, product } = gpu;
  if (gpu.mig !== 'Enabled') {
    return [{ name: `gpu-${minorOf(gpu)}`, type: 'gpu', uuid, productName: product, place: userKey(uuid) }];
  }
  const model = models.find((one) => one.product === product);
  return gpu.instances.flatMap((instance) => {
    const [part] = computeInstancesOf(instance);
    if (part === undefined) return [];
    const { profile, start } = instance;
    const id = model?.profiles.find(({ name }) => name === profile)?.id;
    return [
      {
        name: id === undefined ? undefined : `${stemOf(gpu, profile)}-${id}-${start}`,
        type: 'mig' as const,
        uuid: part.uuid,
        parentUUID: uuid,
        profile,
        productName: product,
        place: userKey(uuid, instance),
      },
    ];
  });
}

/** A device of a node, by the driver's name. */
interface NamedDevice {
  readonly gpu: GpuReport;
  /** The instance; absent: the whole GPU. */
  readonly instance?: InstanceReport;
  /** Undefined if the driver gave the instance none. */
  readonly uuid: string | undefined;
}

/** The device of this node that has a name of the driver's; undefined if there is none. */
export function findNamedDevice(name: string, { gpus = [] }: Pick<DeviceReport, 'gpus'>): NamedDevice | undefined {
  for (const gpu of gpus) {
    if (gpu.mig !== 'Enabled' && name === `gpu-${minorOf(gpu)}`) return { gpu, uuid: gpu.uuid };
    const instance = gpu.instances.find((one) => isNamed(name, gpu, one));
    if (instance) return { gpu, instance, uuid: computeInstancesOf(instance)[0]?.uuid };
  }
  return undefined;
}

/** The id of the profile follows from its name, and need not be known. */
function isNamed(name: string, gpu: GpuReport, { profile, start }: InstanceReport): boolean {
  const stem = `${stemOf(gpu, profile)}-`;
  return name.startsWith(stem) && name.endsWith(`-${start}`) && /^\d+-\d+$/.test(name.slice(stem.length));
}

/** A name of a device takes lower case letters, digits and dashes. */
function stemOf(gpu: GpuReport, profile: string): string {
  return `gpu-${minorOf(gpu)}-mig-${profile.replaceAll('.', '').replaceAll(/[^a-z0-9]/g, '-')}`;
}

function minorOf({ index, minor }: GpuReport): number {
  return minor ?? index;
}

function isSplit(instance: InstanceReport): boolean {
  return computeInstancesOf(instance).some(({ profile }) => nameWhole(profile, instance.profile) !== instance.profile);
}
