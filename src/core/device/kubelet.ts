// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here what the kubelet offers and no longer has, and how a question to it can fail.
import type { DeviceReport, Strategy } from '../../api/types.ts';
import { findHeldUuid, listDeviceUuids, uuidOfDeviceId, type Holders } from './holders.ts';
import { isGpuResource, type PodCause, podName, type PodView } from '../kubernetes/pod.ts';
import { computeInstancesOf } from '../gpu/device-state.ts';
import { deepEqual } from '../text/json.ts';
import { describeReport } from '../nvidia/predict-labels.ts';
import { MIG_STRATEGIES } from '../nvidia/labels.ts';
import { computeResources } from '../nvidia/resources.ts';

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
export function judgeAdvertised(
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
export type LostDevice = NonNullable<DeviceReport['lostDevices']>[number];

/** Limits of the API. */
const mostDevices = 64;
const mostPods = 16;
const longestId = 128;

/**
 * MIG devices that pods hold and that no GPU has. The kubelet names them for as long as the pods live. None is found while any GPU
 * or any UUID is missing from the reading: what cannot be read may exist.
 */
export function findLostDevices(
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
export function cutLostDevices(lost: readonly LostDevice[]): LostDevice[] {
  return lost.slice(0, mostDevices).map(({ id, pods }) => ({ id, pods: pods.slice(0, mostPods) }));
}

/** The holders without devices that are lost: nothing that exists can be theirs. */
export function withoutLost(holders: Holders, lost: readonly LostDevice[]): Holders {
  const ids = new Set(lost.map(({ id }) => id));
  return { ...holders, stale: holders.stale.filter(({ id }) => !ids.has(id)) };
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

/** Every way in which a query to the kubelet can fail, and what a person can do. */
const table = {
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

type KubeletErrorCode = keyof typeof table;

/** @internal A test compares docs/errors.md with it. */
export const kubeletErrorCodes: readonly KubeletErrorCode[] = Object.keys(table).filter(isKubeletErrorCode);

/** Errors that a kubelet shows while it restarts. */
export const restartingCodes: readonly KubeletErrorCode[] = [
  'KubeletUnavailable',
  'KubeletSocketMissing',
  'KubeletTimeout',
];

export function mayBeRestarting({ code }: { readonly code: string }): boolean {
  return restartingCodes.some((one) => one === code);
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
  override readonly name = 'KubeletError';
  readonly code: KubeletErrorCode;
  readonly tried: string;
  readonly found: string;
  readonly advice: string;
  /** The message without its code. */
  readonly explanation: string;

  constructor(code: KubeletErrorCode, { tried, found, cause }: KubeletErrorDetails) {
    const advice = table[code];
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
  return code in table;
}

/**
 * Resources that the kubelet offers and no plugin serves that has read the devices: all of them, unless it offers exactly the node's devices
 * under every name that such a plugin registers. Then a plugin is back, and only the other names are left of an earlier one.
 *
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin. If absent, it counts as known where what is offered shows that a plugin of one strategy, and of no
 * other, is back; elsewhere only names with devices that are gone are unserved
 */
export function listUnserved(
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
