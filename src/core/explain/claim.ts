import { findNamedDevice } from '../device/holders.ts';
import { type AllocatedDevice, isAllocated, nameDevices, ownDevicesOf } from '../kubernetes/claims.ts';
import { userKey } from '../gpu/device-state.ts';
import { namespacedName } from '../text/syntax.ts';
import { listClaimNames, type RequestedClaim } from '../cluster/claim-requests.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { explainPod, type PodExplanation } from './pod.ts';
import { hasEnded, podName, type PodView } from '../kubernetes/pod.ts';

// The door to claims: where the devices of a ResourceClaim are, or why it has none yet (explainClaim).

type ClaimCode = 'Allocated' | 'OtherDriver' | 'DeviceGone' | 'Unused' | PodExplanation['code'];

/** Why a ResourceClaim is where it is. */
export interface ClaimExplanation extends Pick<PodExplanation, 'nodes' | 'suggestions'> {
  /** `NAMESPACE/NAME` */
  readonly claim: string;
  /** Whether it waits for devices, or a pod waits for them in vain. */
  readonly isPending: boolean;
  readonly code: ClaimCode;
  readonly message: string;
  /** Pods that use it, or ask for it. */
  readonly pods: readonly string[];
  /** The GPUs that it has; none while it is pending. */
  readonly devices: readonly ClaimedSlice[];
}

/** A device of a claim, and what it is by the report of its node's agent. */
interface ClaimedSlice {
  readonly node: string;
  readonly device: string;
  /** `GPU 0: 1g.5gb at 0`, `GPU 0`; absent if the node does not have it, or its agent has not reported. */
  readonly place?: string;
  /** The node does not have it: no pod that uses the claim can start. */
  readonly isGone?: true;
  /** The plan of the node destroys it. */
  readonly isGoing?: true;
  /** True if the claim has admin access: it looks on, others use the device. */
  readonly looksOn?: true;
}

/** Explains where a claim's devices are and who uses them, or why it has none yet and what would give it some. */
export function explainClaim(claim: RequestedClaim, facts: ClusterFacts): ClaimExplanation {
  const name = namespacedName(claim.metadata);
  const asking = (facts.pods ?? []).filter((pod) => !hasEnded(pod) && listClaimNames(pod).includes(name));
  const reserved = (claim.status?.reservedFor ?? []).map((one) =>
    one.resource === 'pods'
      ? namespacedName({ ...claim.metadata, name: one.name })
      : `${one.resource} ${namespacedName({ ...claim.metadata, name: one.name })}`,
  );
  const pods = [...new Set([...reserved, ...asking.map(podName)])].toSorted();
  const base = { claim: name, pods, devices: ownDevicesOf(claim).map((one) => describeDevice(one, facts)) };
  if (isAllocated(claim))
    return { ...base, nodes: [], suggestions: [], ...explainUse(claim, base.devices, reserved, asking) };
  const [pod] = asking;
  const { isPending, code, message, nodes, suggestions } = explainPod(pod ?? imagineUser(claim), facts);
  if (pod !== undefined) {
    const more = asking.length > 1 ? ` (and ${asking.length - 1} more)` : '';
    return {
      ...base,
      isPending,
      code,
      message: `it waits with pod ${podName(pod)}${more}: ${message}`,
      nodes,
      suggestions,
    };
  }
  if (facts.pods === undefined) return { ...base, isPending, code, message, nodes, suggestions };
  // Of an imagined pod, which no scheduler has seen, that is what a node with room is told by.
  const open =
    code === 'NoScheduler' ? nodes.filter(({ blockers }) => blockers.length === 0).map(({ node }) => node) : [];
  const where =
    open.length > 0 ? `; ${open.length === 1 ? 'node' : 'nodes'} ${open.join(', ')} could serve it` : `; ${message}`;
  const unused = `no pod asks for it, and the scheduler allocates a claim only for a pod${where}`;
  return { ...base, isPending: true, code: 'Unused', message: unused, nodes, suggestions };
}

/** A pod that asks for the claim and for nothing else. */
function imagineUser({ metadata: { name, namespace } }: RequestedClaim): PodView {
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { resourceClaims: [{ name, resourceClaimName: name }] },
  };
}

function describeDevice({ pool, device, adminAccess }: AllocatedDevice, { partitions }: ClusterFacts): ClaimedSlice {
  const base = { node: pool, device, ...(adminAccess === true && { looksOn: true as const }) };
  const { gpus, plan } = partitions.find(({ metadata }) => metadata.name === pool)?.status?.device ?? {};
  if (gpus === undefined) return base;
  const found = findNamedDevice(device, { gpus });
  if (!found) return { ...base, isGone: true };
  const { gpu, instance } = found;
  const isGoing = plan?.drains?.includes(userKey(gpu.uuid, instance)) === true;
  const slice = instance ? `: ${instance.profile} at ${instance.start}` : '';
  return { ...base, place: `GPU ${gpu.index}${slice}`, ...(isGoing && { isGoing }) };
}

function explainUse(
  claim: RequestedClaim,
  devices: readonly ClaimedSlice[],
  reserved: readonly string[],
  asking: readonly PodView[],
): Pick<ClaimExplanation, 'isPending' | 'code' | 'message'> {
  if (devices.length === 0) {
    const drivers = new Set((claim.status?.allocation?.devices?.results ?? []).map(({ driver }) => driver));
    const message = `it is allocated, without a GPU: its devices are of ${[...drivers].join(', ') || 'no driver'}`;
    return { isPending: false, code: 'OtherDriver', message };
  }
  const users = reserved.map((user) => {
    const pod = asking.find((one) => podName(one) === user);
    const phase = pod?.status?.phase;
    return phase === undefined ? user : `${user} (${phase})`;
  });
  const use =
    users.length > 0
      ? `used by ${users.join(', ')}`
      : 'used by no pod, though it keeps it from others: delete the claim if no pod is to use it';
  const gone = devices.find(({ isGone }) => isGone);
  if (gone) {
    const message =
      `it has ${nameDevices(claim)}, and node ${gone.node} does not have ${gone.device}: no pod that uses it can start; ` +
      `delete ${users.length > 0 ? 'its pods and the claim' : 'the claim'}, so that another device is allocated; ${use}`;
    return { isPending: true, code: 'DeviceGone', message };
  }
  const named = devices.map(({ node, device, place, looksOn, isGoing }) => {
    const slice = place === undefined ? '' : ` (${place})`;
    const how = looksOn ? ', with admin access' : '';
    return `${device} of node ${node}${slice}${how}${isGoing ? ', which the plan of the node destroys' : ''}`;
  });
  return { isPending: false, code: 'Allocated', message: `it has ${named.join(', ')}; ${use}` };
}
