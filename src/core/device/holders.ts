// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which pods hold, will hold or have lost devices by an agent's report, and for the devices as the DRA driver publishes them.
import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../api/types.ts';
import { computeInstancesOf, userKey } from '../gpu/device-state.ts';
import {
  isGpuResource,
  foreignGpuResource,
  hasEnded,
  type PodView,
  type PodCause,
  podName,
  gpuDriver,
  type ResourceSliceView,
} from '../kubernetes/pod.ts';
import { isZeroQuantity } from '../text/syntax.ts';
import { nameWhole } from '../gpu/profiles.ts';

/** The pods of an agent's last reading. The kubelet tells their names only; see `unreadUntil` for which pods these are. */
interface ReportedPods {
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

/**
 * The earliest time, in ms, at which a reading shows this pod, and no earlier one of its name; undefined if the last one did. Agents of
 * earlier versions tell no time.
 */
export function unreadUntil(
  { metadata }: { readonly metadata: { readonly creationTimestamp?: string } },
  { readTime }: Pick<DeviceReport, 'readTime'> = {},
): number | undefined {
  const readableMs = Date.parse(metadata.creationTimestamp ?? '') + slackMs;
  return readTime !== undefined && readableMs > Date.parse(readTime) ? readableMs : undefined;
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

/** `NAMESPACE/NAME` of the pods that hold a lost device. */
export function listLosers({ lostDevices = [] }: Pick<DeviceReport, 'lostDevices'> = {}): readonly string[] {
  return [...new Set(lostDevices.flatMap(({ pods }) => pods))];
}

/** Lists the given pods that hold a device that no longer exists, each with the cause. */
export function listLosses(
  { lostDevices = [] }: Pick<DeviceReport, 'lostDevices'> = {},
  pods: readonly Pick<PodView, 'metadata'>[],
): readonly PodCause[] {
  return pods.flatMap((pod) => {
    const ids = lostDevices.filter((one) => one.pods.includes(podName(pod))).map(({ id }) => id);
    const named =
      ids.length > 1
        ? `${ids[0]} and ${ids.length - 1} more, which no longer exist`
        : `${ids[0]}, which no longer exists`;
    return ids.length === 0 ? [] : [{ pod, why: `it holds ${named}, and cannot work` }];
  });
}
