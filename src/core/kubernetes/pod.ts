// Room kubernetes: objects of Kubernetes in the API's own shape, as far as they are read, and how its scheduler compares them.
// Ask here for a pod: what it requests, in billionths, what it tolerates, whether it is ready or has ended, and who made it; for slices and claims.
import type { Taint } from './node.ts';
import { namespacedName, parseQuantity, roundUp } from '../text/syntax.ts';

/** The parts of a Pod that are read here, in the API's own shape. */
export interface PodView {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly SelectorTerm[];
        };
      };
    };
    readonly tolerations?: readonly Toleration[];
    readonly schedulingGates?: readonly { readonly name: string }[];
    readonly priority?: number;
    readonly preemptionPolicy?: string;
    /** Overhead of the pod's RuntimeClass. */
    readonly overhead?: Readonly<Record<string, string | number>>;
    /** Resources of the pod as a whole. */
    readonly resources?: ContainerView['resources'];
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
    readonly ephemeralContainers?: readonly ContainerView[];
    readonly volumes?: readonly VolumeView[];
    readonly resourceClaims?: readonly {
      readonly name?: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly PodConditionView[];
    readonly initContainerStatuses?: readonly ContainerStatusView[];
    readonly containerStatuses?: readonly ContainerStatusView[];
    /** The claims that were made of templates. */
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    /** The claim that the scheduler created for resources of a device class (KEP-5004). */
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface SelectorTerm {
  readonly matchExpressions?: readonly SelectorRequirement[];
  readonly matchFields?: readonly SelectorRequirement[];
}

export interface ContainerView {
  readonly name?: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface VolumeView {
  readonly name: string;
  readonly configMap?: { readonly name?: string };
}

interface PodConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatusView {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerStateView;
  readonly lastState?: ContainerStateView;
}

interface ContainerStateView {
  readonly running?: { readonly startedAt?: string };
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode: number };
}

/** Whether tolerations keep a taint from a pod, for the scheduler as for the DaemonSet controller (`Toleration.ToleratesTaint`). */
export function tolerates(tolerations: readonly Toleration[] = [], { key, value = '', effect }: Taint): boolean {
  return tolerations.some(
    (one) =>
      (one.effect === undefined || one.effect === '' || one.effect === effect) &&
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.operator === 'Exists' || (one.value ?? '') === value),
  );
}

/** Whether all containers of the pod are present and ready, and it is not terminating. */
export function isReady({ metadata, status }: PodView): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && condition?.status === 'True';
}

/** No container of the pod runs or will run again. */
export function hasEnded({ status }: Pick<PodView, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** `NAMESPACE/NAME`, as the agents' reports name pods. */
export function podName({ metadata }: Pick<PodView, 'metadata'>): string {
  return namespacedName(metadata);
}

/** A pod, and what keeps it from going. */
export interface PodCause {
  readonly pod: Pick<PodView, 'metadata'>;
  readonly why: string;
}

/** A share of a GPU, by MPS and without limits (awslabs/aws-virtual-gpu-device-plugin). Its pods use GPUs like those of NVIDIA's plugin. */
export const foreignGpuResource = 'k8s.amazonaws.com/vgpu';

/**
 * Whether a resource is one of NVIDIA's device plugin for GPUs. Other plugins use the prefix too: the network operator's NICs
 * (`nvidia.com/hostdev`), KubeVirt's passthrough (`nvidia.com/GA102GL_A10`). If one of those does hand out a GPU of ours, its device
 * ids show it: see {@link usesGpu} and `holdersOf`.
 */
export function isGpuResource(name: string): boolean {
  return /^nvidia\.com\/(gpu(\.shared)?|mig-[\w.-]+)$/.test(name);
}

/** Whether a DRA driver hands out GPUs: NVIDIA's `gpu.nvidia.com`, and others with `gpu` in their name; not `compute-domain.nvidia.com`. */
export function isGpuDriver(name: string): boolean {
  return name.split(/[.-]/).includes('gpu');
}

/** Namespaces in which the cluster's own GPU software runs by default: no tenant may create pods there. */
export const defaultSystemNamespaces: readonly string[] = [
  'gpu-operator',
  'nvidia-device-plugin',
  'nvidia-dra-driver-gpu',
  'kube-system',
];

/**
 * Pods that may be the device plugin, hold GPUs by right, or own them: those of DaemonSets in the cluster's own namespaces. Labels,
 * containers and node selectors are open to all: by those alone any tenant could keep a node closed, or have its settings trusted.
 */
export function systemPods(pods: readonly PodView[], namespaces: readonly string[]): readonly PodView[] {
  return pods.filter(
    (pod) => isOfDaemonSet(pod) && pod.metadata.namespace !== undefined && namespaces.includes(pod.metadata.namespace),
  );
}

/** Whether a DaemonSet made a pod. Other pods might not be recreated, and may be a user's work. */
export function isOfDaemonSet({ metadata }: PodView): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === 'DaemonSet' && controller === true);
}

type Amounts = Readonly<Record<string, string | number>>;

/**
 * What a pod requests of one resource of a node, in billionths, as the scheduler counts it: its containers and sidecars together, or
 * an init container with the sidecars that run before it, whichever is more.
 */
export function requestOf({ spec }: PodView, resource: string): bigint {
  const { containers = [], initContainers = [], overhead = {}, resources } = spec ?? {};
  const ofOverhead = parseQuantity(overhead[resource] ?? 0) ?? 0n;
  // What a pod requests as a whole (KEP-2837) counts instead of what its containers do.
  const together = { ...resources?.limits, ...resources?.requests }[resource];
  if (together !== undefined) return ofOverhead + (parseQuantity(together) ?? 0n);
  const amountOf = (one: ContainerView): bigint => parseQuantity(amountsOf(one)[resource] ?? 0) ?? 0n;
  let sidecars = 0n;
  let starting = 0n;
  for (const one of initContainers) {
    const sum = sidecars + amountOf(one);
    if (one.restartPolicy === 'Always') sidecars = sum;
    if (sum > starting) starting = sum;
  }
  const running = containers.reduce((sum, one) => sum + amountOf(one), sidecars);
  return ofOverhead + (running > starting ? running : starting);
}

/** The countable resources that a pod requests, and how many. */
export function requestsOf(pod: PodView, isMeant: (resource: string) => boolean): ReadonlyMap<string, number> {
  const asked = listRequested(pod)
    .filter(isMeant)
    .map((name) => [name, roundUp(requestOf(pod, name))] as const);
  return new Map(asked.filter(([, amount]) => amount > 0));
}

/** The resources of which a pod requests anything, sorted. */
export function listRequested({ spec }: PodView): readonly string[] {
  const { containers = [], initContainers = [], overhead = {}, ...pod } = spec ?? {};
  const all = [...containers, ...initContainers, pod].flatMap((one) => Object.keys(amountsOf(one)));
  return [...new Set([...all, ...Object.keys(overhead)])].toSorted();
}

/** Limits of extended resources are requests too. */
function amountsOf({ resources }: { readonly resources?: ContainerView['resources'] | undefined }): Amounts {
  return { ...resources?.limits, ...resources?.requests };
}

/** Object metadata as JSON: times are RFC 3339 strings, never `Date`. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

/** An Event in either of its two shapes in the API. */
export interface EventView {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly metadata: { readonly creationTimestamp?: string };
}

/** @returns when it last happened, RFC 3339; empty if it does not say */
export function lastSeen({ series, lastTimestamp, eventTime, metadata }: EventView): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

/** Marks a mirror pod: the API object of a static pod, which only the kubelet starts and ends. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** Domain of the driver with which NVIDIA hands out GPUs by claim (kubernetes-sigs/dra-driver-nvidia-gpu). */
export const gpuDriver = 'gpu.nvidia.com';

/** The parts of a ResourceSlice (`resource.k8s.io`) that tell what it offers, and whether its driver creates that itself. */
export interface ResourceSliceView {
  readonly metadata?: { readonly name?: string };
  readonly spec: {
    readonly driver: string;
    readonly sharedCounters?: readonly unknown[];
    readonly devices?: readonly SliceDevice[];
  };
}

export interface SliceDevice {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, { readonly string?: string }>>;
  readonly consumesCounters?: readonly unknown[];
}

/** Text of an attribute in the driver's own domain. */
export function attributeOf({ attributes = {} }: SliceDevice, name: string): string | undefined {
  return (attributes[name] ?? attributes[`${gpuDriver}/${name}`])?.string;
}

/** The parts of a ResourceClaim (`resource.k8s.io`) that tell which devices it has, and for whom. */
export interface ResourceClaimView {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly AllocatedDevice[] } };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

/** A device that a claim was given. */
interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** True if the claim looks on: whoever has the device keeps it. */
  readonly adminAccess?: boolean;
}

/** The devices of NVIDIA's driver that a claim has: their pools are nodes. */
export function ownDevicesOf({ status }: ResourceClaimView): readonly AllocatedDevice[] {
  return (status?.allocation?.devices?.results ?? []).filter(({ driver }) => driver === gpuDriver);
}
