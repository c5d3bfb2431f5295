import type { KubeObject, Resource, ObjectRef } from '../../kube/watch.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import type { Machine } from './machine.ts';
import { isGpuResource } from '../../core/kubernetes/pod.ts';
import { isZeroQuantity } from '../../core/text/syntax.ts';
import { isAlreadyExists } from '../../kube/api-error.ts';
import { deleteSlices } from '../dra-driver/devices.ts';
import { nodes as nodesResource } from '../../api/resources.ts';
import type { KubeletTiming } from './pods.ts';
import type { Taint } from '../../core/kubernetes/node.ts';
import { type Labels, isMigStrategy, type MigStrategy } from '../../core/nvidia/labels.ts';
import type { Sharing } from '../../core/nvidia/plugin-config.ts';
import type { DriverBranch } from '../nvidia-smi/board.ts';

const leasesResource: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};

export interface KubeletNode extends KubeObject {
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly claims?: readonly { readonly name: string; readonly request?: string }[];
  };
}

/** The devices of a container: KEP-4680 shows them in the pod's status. */
interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: { readonly startedAt?: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
  readonly allocatedResourcesStatus?: readonly {
    readonly name: string;
    readonly resources?: readonly { readonly resourceID: string }[];
  }[];
}

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface PodObject extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly volumes?: readonly { readonly name: string; readonly configMap?: { readonly name?: string } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    /** The claims that were made from templates. */
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    /** The claim that the scheduler has made for extended resources of DeviceClasses. */
    readonly extendedResourceClaimStatus?: {
      readonly resourceClaimName: string;
      readonly requestMappings: readonly {
        readonly containerName: string;
        readonly resourceName: string;
        readonly requestName: string;
      }[];
    };
  };
}

interface LeaseObject extends KubeObject {
  readonly spec: object;
}

/** Shows that a node is alive, as kubelets do: renews a Lease of its name in kube-node-lease, owned by the Node, when it is due. */
export async function syncLease(
  machine: Machine,
  uid: string,
  { client, leaseMs }: { readonly client: KubeClient; readonly leaseMs: number },
): Promise<ReconcileResult> {
  const waitMs = machine.renewedAtMs + leaseMs - performance.now();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const { name } = machine.node;
  const ref: ObjectRef = { resource: leasesResource, namespace: 'kube-node-lease', name };
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
  await client.apply<LeaseObject>(ref, { metadata: { ownerReferences: [owner] }, spec }, { force: true });
  machine.renewedAtMs = performance.now();
  return { requeueAfterMs: leaseMs };
}

/** What a kubelet reports about its node, besides the devices. */
interface NodeFacts {
  /** The API server's; the kubelet has the same release. */
  readonly kubeletVersion: string;
  readonly bootId: string;
  readonly internalIp: string;
  /** RFC 3339. */
  readonly now: string;
}

type Quantities = Readonly<Record<string, string>>;

/** The Node as its kubelet registers it. Labels of the caller are added to those of every node. */
function describeNodeObject(node: SimulatedNode, facts: NodeFacts, gpus: Quantities): KubeletNode {
  const { name, labels, annotations, taints = [] } = node;
  const capacity = { cpu: '64', memory: '512Gi', pods: '110', 'ephemeral-storage': '1Ti', ...gpus };
  const status = {
    conditions: describeConditions(facts.now),
    addresses: [
      { type: 'InternalIP', address: facts.internalIp },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: facts.bootId,
      containerRuntimeVersion: 'containerd://2.1.9',
      kernelVersion: '6.8.0',
      kubeProxyVersion: '',
      kubeletVersion: facts.kubeletVersion,
      machineID: name,
      operatingSystem: 'linux',
      osImage: 'Simulated',
      systemUUID: name,
    },
    capacity,
    allocatable: capacity,
  };
  const metadata = { name, labels: { ...standardLabels(name), ...labels }, ...(annotations && { annotations }) };
  const registered = { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints }, status };
  return registered;
}

/** The conditions of a healthy node, as of now. */
function describeConditions(now: string) {
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: reason,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
    condition('Ready', 'True', 'KubeletReady'),
  ];
}

function standardLabels(name: string): Readonly<Record<string, string>> {
  // Where a cloud names a node after its domain, the label has the short name of the host: a label's value has at most 63 characters.
  const hostname = name.length > 63 ? (name.split('.')[0] ?? name) : name;
  return { 'kubernetes.io/hostname': hostname, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
}

/**
 * The `status` change that makes a Node show these GPU resources, as a merge patch; undefined if it shows them already.
 * A resource that is no longer advertised stays as a key: allocatable falls to 0 and capacity keeps its number (a real
 * kubelet forgets that after five minutes). Compare allocatable, where 0 means absent.
 */
export function patchGpus(shown: KubeletNode['status'], wanted: Readonly<Record<string, number>>): object | undefined {
  const allocatable: Record<string, string> = {};
  const capacity: Record<string, string> = {};
  for (const [resource, count] of Object.entries(wanted)) {
    if (shown?.allocatable?.[resource] !== `${count}`) allocatable[resource] = `${count}`;
    if (shown?.capacity?.[resource] !== `${count}`) capacity[resource] = `${count}`;
  }
  for (const [resource, count] of Object.entries(shown?.allocatable ?? {})) {
    const isGone = isGpuResource(resource) && wanted[resource] === undefined;
    if (isGone && !isZeroQuantity(count)) allocatable[resource] = '0';
  }
  const changes = Object.keys(allocatable).length + Object.keys(capacity).length;
  return changes === 0 ? undefined : { status: { allocatable, capacity } };
}

interface NodeSight {
  readonly client: KubeClient;
  /** The Node as last seen; undefined if it does not exist. */
  readonly shown: KubeletNode | undefined;
  readonly timing: KubeletTiming;
  readonly kubeletVersion: string;
}

/**
 * Reconciles a Node with its machine: registers it once, then shows what the plugin advertises, and reports. A deleted Node
 * is not registered again: a kubelet registers only when it starts.
 */
export async function syncNode(machine: Machine, sight: NodeSight): Promise<ReconcileResult> {
  const { client, shown, timing } = sight;
  if (machine.node.plugin !== 'pod') machine.watchDevices(shown?.metadata.labels ?? {});
  const { advertised } = machine;
  const retry = advertised.failure === undefined ? {} : { requeueAfterMs: timing.restartMs };
  if (shown === undefined) {
    await register(machine, sight);
    return retry;
  }
  const status = { resource: nodesResource, name: machine.node.name, subresource: 'status' };
  if (!machine.isRegistered) await takeOver(machine, sight);
  const patch = patchGpus(shown.status, advertised.resources);
  if (patch !== undefined) {
    const waitMs = machine.lagLeftMs(timing.statusLagMs);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await client.merge(status, patch, { metadataOnly: true });
  }
  machine.clearLag();
  await report(machine, sight);
  const wipeAfterMs = await wipeSlices(machine, sight);
  return { requeueAfterMs: Math.min(timing.reportMs, retry.requeueAfterMs ?? Infinity, wipeAfterMs) };
}

async function register(machine: Machine, { client, kubeletVersion }: NodeSight): Promise<void> {
  if (machine.isRegistered) return;
  const gpus = Object.entries(machine.advertised.resources).map(([name, count]) => [name, `${count}`] as const);
  const object = describeNodeObject(machine.node, factsOf(machine, kubeletVersion), Object.fromEntries(gpus));
  try {
    await client.create<KubeletNode>(nodesResource, object, { metadataOnly: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return;
  }
  machine.isRegistered = true;
  machine.reportedAtMs = performance.now();
}

/** A Node that existed before its kubelet started: from an earlier run, or created by a user. */
async function takeOver(machine: Machine, { client, shown, kubeletVersion }: NodeSight): Promise<void> {
  const { name } = machine.node;
  const { status } = describeNodeObject(machine.node, factsOf(machine, kubeletVersion), {});
  const capacity = { ...status?.capacity, ...shown?.status?.capacity };
  const allocatable = { ...status?.allocatable, ...shown?.status?.allocatable };
  const patch = { status: { ...status, capacity, allocatable } };
  await client.merge({ resource: nodesResource, name, subresource: 'status' }, patch, { metadataOnly: true });
  machine.isRegistered = true;
  machine.reportedAtMs = performance.now();
}

/** Deletes the ResourceSlices of a DRA driver that has been gone for long. @returns after how many milliseconds to look again */
async function wipeSlices({ driver, node }: Machine, { client, timing }: NodeSight): Promise<number> {
  if (driver.goneAtMs === undefined) return Infinity;
  const waitMs = driver.goneAtMs + timing.sliceWipeMs - performance.now();
  if (waitMs > 0) return waitMs;
  await deleteSlices(client, node.name);
  driver.forget();
  return Infinity;
}

/**
 * Reports the node's health in time, and at once if somebody says otherwise: the life cycle of nodes takes one for dead whose Lease it has
 * not seen renewed.
 */
async function report(machine: Machine, { client, shown, timing }: NodeSight): Promise<void> {
  const isDenied =
    shown?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status !== 'True') === true;
  if (!isDenied && performance.now() - machine.reportedAtMs < timing.reportMs) return;
  const patch = { status: { conditions: describeConditions(new Date().toISOString()) } };
  const ref = { resource: nodesResource, name: machine.node.name, subresource: 'status' };
  // As a kubelet does: conditions of others stay.
  await client.mergeItems(ref, patch, { metadataOnly: true });
  machine.reportedAtMs = performance.now();
}

function factsOf(machine: Machine, kubeletVersion: string): NodeFacts {
  const { bootId, internalIp } = machine;
  return { kubeletVersion, bootId, internalIp, now: new Date().toISOString() };
}

/**
 * The times at which the device plugin reads the devices. `watching`: at every change, as no real plugin does; enough if the plugin is not
 * under test. `pod`, as in a real cluster: once, when its pod starts; it advertises what it saw then until the pod ends, whatever happens
 * to the devices, and nothing without its pod. GPU Feature Discovery and the DRA driver work only in this mode.
 */
export type PluginMode = 'watching' | 'pod';

export interface SimulatedNode {
  readonly name: string;
  /** Product names in index order, in the simulated nvidia-smi's form: `NVIDIA A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  /** Seed of the UUIDs, the same as nvidia-smi's. */
  readonly gpuSeed?: string;
  /** Branch of the driver, the same as nvidia-smi's. */
  readonly driver?: DriverBranch;
  /** State file of the node's simulated nvidia-smi; if the file does not exist, MIG is off everywhere. */
  readonly stateFile: string;
  /** Faults of its simulated nvidia-smi: with a GPU that is lost, its device plugin does not start. */
  readonly faultsFile?: string;
  /** Socket on which the kubelet of the node serves PodResources; at most 107 bytes. Not served if absent. */
  readonly podResourcesSocket?: string;
  /** ID of the boot, as the kernel reports it; random if absent. */
  readonly bootId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /**
   * Strategy of the plugin, and in mode `pod` of GPU Feature Discovery, if its pod does not set one. If absent, the
   * label `nvidia.com/mig.strategy` applies, and without it mixed.
   */
  readonly strategy?: MigStrategy;
  /** Sharing by a plugin whose pod has no config-manager. */
  readonly sharing?: Sharing;
  /** Product name of the machine in its firmware, for `nvidia.com/gpu.machine`; if absent, unknown to GFD. */
  readonly machine?: string;
  /** Default `watching`. */
  readonly plugin?: PluginMode;
  /** `Files`: the plugin names devices as GKE's does, `nvidia0` and `nvidia0/gi2`. Default: by UUID. */
  readonly deviceIds?: 'Files';
}

/** The strategy of a plugin that does not set one. */
export function usualStrategyOf({ strategy }: SimulatedNode, labels: Labels): MigStrategy {
  const label = labels['nvidia.com/mig.strategy'];
  return strategy ?? (isMigStrategy(label) ? label : 'mixed');
}
