import { isGpuResource } from '../../../core/pods/gpu-resource.ts';
import { isZeroQuantity } from '../../../core/text/quantity.ts';
import type { KubeletNode } from './kube-objects.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** What a kubelet reports about its node, besides the devices. */
export interface NodeFacts {
  /** The API server's; the kubelet has the same release. */
  readonly kubeletVersion: string;
  readonly bootId: string;
  readonly internalIp: string;
  /** RFC 3339. */
  readonly now: string;
}

type Quantities = Readonly<Record<string, string>>;

/** The Node as its kubelet registers it. Labels of the caller are added to those of every node. */
export function describeNodeObject(node: SimulatedNode, facts: NodeFacts, gpus: Quantities): KubeletNode {
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

/** All healthy, as of now. */
export function describeConditions(now: string) {
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
