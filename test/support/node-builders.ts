import { expect } from 'chai';
import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy, Wish } from '../../src/api/types.ts';
import { repartitioningTaint, uninitializedTaint } from '../../src/api/names.ts';
import { decide } from '../../src/core/node/decide.ts';
import type { NodeRolloutState } from '../../src/core/rollout/budget.ts';
import type { Command, RuleInput, Verdict } from '../../src/core/node/commands.ts';
import type { NodeChange } from '../../src/core/node/node-patch.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { NodeView, Taint } from '../../src/core/kubernetes/node.ts';
import type {
  AgentView,
  ConfigFiles,
  FreshRead,
  Needed,
  NodeSettings,
  NodeSnapshot,
} from '../../src/core/node/snapshot.ts';
import type { Hold } from '../../src/core/policy/decide-policy.ts';
import { PolicyRecord } from '../../src/core/policy/record.ts';
import { planWish } from '../../src/core/device/plan.ts';
import type { FateFacts } from '../../src/core/node/eviction.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';
import { listReportedPods, publishDevices } from '../../src/core/device/holders.ts';
import { resolveNode } from '../../src/core/policy/resolve-node.ts';
import { defaultClients } from '../../src/core/node/plugin-pods.ts';
import { aDevice, aGpu, aPartition, aPolicy, uuidOf } from './builders.ts';
import type { PodView, ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { NodePolicy } from '../../src/core/policy/fleet.ts';

/** The time at which the builders' nodes are looked at. */
export const noon = Date.parse('2026-01-01T12:00:00Z');
/** Of a controller whose policies need no slices. */
export const noSliceWatch = { api: undefined, hasSlices: () => false };
export const noMemory: NodeMemory = { waits: {}, evictions: {} };

/** One slice that covers GPU 0. */
export const aWish: Wish = { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] };
export const aSlicingPolicy = (more: Parameters<typeof aPolicy>[0] = {}): GpuPartitionPolicy =>
  aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }], ...more });

export const wholeGpu = aDevice(aGpu());
export const slicedGpu = aDevice(aGpu({ slices: ['7g.40gb@0'] }));
export const advertisesWhole = { 'nvidia.com/gpu': '1' };
export const advertisesSlice = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' };

const startupTaint: Taint = { ...uninitializedTaint };
const closedTaint: Taint = { ...repartitioningTaint };
export const taints = { closed: [closedTaint], startup: [startupTaint], both: [closedTaint, startupTaint] } as const;

type NodeParts = NonNullable<NodeView['spec']> &
  NonNullable<NodeView['status']> & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ready?: 'True' | 'False' | 'Unknown';
    readonly deletionTimestamp?: string;
  };

/** Node `n` of pool `p`: Ready, open, with a whole GPU that is advertised. */
export function aNode({
  labels = {},
  annotations = {},
  taints: own = [],
  unschedulable,
  allocatable = advertisesWhole,
  nodeInfo = { bootID: 'boot-a' },
  ready = 'True',
  deletionTimestamp,
}: NodeParts = {}): NodeView {
  return {
    metadata: {
      name: 'n',
      uid: 'uid-n',
      resourceVersion: '1',
      labels: { pool: 'p', 'nvidia.com/gpu.present': 'true', ...labels },
      annotations,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { taints: own, ...(unschedulable !== undefined && { unschedulable }) },
    status: { allocatable, nodeInfo, conditions: [{ type: 'Ready', status: ready, message: 'the kubelet says so' }] },
  };
}

type ManagedOverrides = Partial<GpuNodePartition['spec']> & { readonly device?: DeviceReport };

/** The partition of `n` under policy `p`, whose agent has answered every grant in this boot and has planned the wish. */
export function aManagedPartition({
  device = wholeGpu,
  wish = aWish,
  ...more
}: ManagedOverrides = {}): GpuNodePartition {
  const epoch = more.granted?.epoch;
  return aPartition({
    policy: { name: 'p', uid: 'uid-p', generation: 1 },
    strategy: 'mixed',
    wish,
    ...more,
    device: {
      bootID: 'boot-a',
      ...(epoch !== undefined && { observedEpoch: epoch }),
      plan: planWish(device, wish).report,
      ...device,
    },
  });
}

/** Grant 3 of {@link aWish}, to be answered by ten past. */
export function aGrant(more: Partial<NonNullable<GpuNodePartition['spec']['granted']>> = {}) {
  return { gpus: aWish.gpus, epoch: 3, planHash: 'x', deadline: '2026-01-01T12:10:00Z', ...more };
}

/** The command that gives a node a grant. */
export function aWriteGrant(more: Partial<Extract<Command, { name: 'WriteGrant' }>['granted']> = {}): Command {
  const granted = {
    gpus: [],
    epoch: 1,
    policy: null,
    planHash: '',
    deadline: '',
    seconds: null,
    allowGpuReset: null,
    allowReboot: null,
    replaceForeignInstances: null,
    rollback: null,
    signalPods: null,
    ...more,
  };
  return { name: 'WriteGrant', granted, repairs: null };
}

/** What the fleet keeps of an accepted policy without nodes. */
export function aPolicyRecord(policy: GpuPartitionPolicy): PolicyRecord {
  const acceptedGeneration = policy.metadata.generation;
  return new PolicyRecord({ newest: policy, acceptedGeneration, inForce: policy }, undefined, new Set());
}

/** What is said of a policy of which no generation counts, because of the newest. */
export function notInForce(hold: Hold): Partial<NodePolicy> {
  return { isInForce: false, hold, wish: undefined };
}

export const refusedHold: Hold = { kind: 'Refused', message: 'generation 2 of policy p is not accepted: needs 9 of 8' };
export const checkingHold: Hold = { kind: 'Checking', message: 'generation 2 of policy p is being checked' };

/** What an accepted policy says about a node. */
export function aClaim(
  policy: GpuPartitionPolicy | undefined,
  partition: GpuNodePartition | undefined,
  more: Partial<NodePolicy> = {},
): NodePolicy {
  const device = partition?.status?.device;
  const wish = policy && device?.gpus ? resolveNode(policy.spec, device, partition?.spec.wish) : undefined;
  const newestGeneration = policy?.metadata.generation;
  return {
    winner: policy,
    newestGeneration,
    isInForce: policy !== undefined,
    outranked: [],
    planning: [],
    wish,
    ...more,
  };
}

export const someSettings: NodeSettings = {
  settleMs: 300,
  deadlineMs: 600_000,
  waitingPollMs: 5000,
  refreshAfterMs: 1000,
  pluginRefresh: 'Signal',
  nodeStatus: 'Wait',
  tidyNodeStatus: false,
  nodeCondition: false,
  advertiseDeadlineMs: 300_000,
  clientsDeadlineMs: 300_000,
  gpuClients: defaultClients,
  systemNamespaces: ['gpu'],
};

export interface SnapshotParts {
  readonly now?: number;
  readonly node?: NodeView;
  readonly partition?: GpuNodePartition | undefined;
  readonly policy?: GpuPartitionPolicy | undefined;
  readonly claim?: Partial<NodePolicy>;
  readonly agent?: AgentView;
  readonly settings?: Partial<NodeSettings>;
  readonly slot?: Slot | undefined;
}

/** Given at noon, with ten minutes for draining. */
export const aSlot: Slot = {
  node: 'n',
  nodeUID: 'uid-n',
  epoch: 1,
  generation: 1,
  startTime: '2026-01-01T12:00:00Z',
  deadline: '2026-01-01T12:10:00Z',
  kind: 'New',
};

/** A Ready node with an agent, under an accepted policy: its wish is written and planned, it has a slot, and nothing blocks it. */
export function aSnapshot(parts: SnapshotParts = {}): NodeSnapshot {
  const partition = 'partition' in parts ? parts.partition : aManagedPartition();
  const policy = 'policy' in parts ? parts.policy : aSlicingPolicy();
  return {
    now: parts.now ?? noon,
    node: parts.node ?? aNode(),
    partition,
    claim: aClaim(policy, partition, parts.claim),
    slot: 'slot' in parts ? parts.slot : aSlot,
    agent: parts.agent ?? { state: 'Ready' },
    settings: { ...someSettings, ...parts.settings },
  };
}

/** What the rules see of {@link aSnapshot}, with nothing remembered. */
export function aSituation(parts: SnapshotParts = {}, seen: Partial<RuleInput> = {}): RuleInput {
  const snapshot = aSnapshot(parts);
  return { ...snapshot, partition: snapshot.partition ?? aManagedPartition(), memory: noMemory, ...seen };
}

/** What the API server itself says, of a node without a slot on which nothing was found. */
export function aFreshRead(more: Partial<FreshRead> = {}): FreshRead {
  return { policy: undefined, slot: undefined, resourceSlices: [], holders: [], going: [], ...more };
}

/** What is found if a decision asks for more. */
export interface Findings {
  readonly pods?: readonly PodView[];
  readonly configFiles?: ConfigFiles;
  /** Of a node whose policy hands GPUs out by claims. */
  readonly slices?: readonly ResourceSliceView[] | undefined;
  readonly fresh?: Partial<FreshRead>;
  readonly drain?: Partial<FateFacts>;
  /** The node as the API server has it, if that differs. */
  readonly node?: NodeView;
}

export interface Answer {
  readonly verdict: Verdict;
  readonly commands: readonly Command[];
  readonly memory: NodeMemory;
  readonly rolloutState: NodeRolloutState;
  /** What was asked for on the way. */
  readonly reads: readonly Needed[];
}

/** Decides, and reads more if the decision asks for it. */
export function decideWith(snapshot: NodeSnapshot, found: Findings = {}, memory = noMemory): Answer {
  const { uid, generation } = snapshot.claim.winner?.metadata ?? {};
  const reads: Needed[] = [];
  let known = snapshot;
  for (;;) {
    // A function in the plain sense: it changes nothing that it is given, and says the same twice.
    const decision = decide(freeze(known), freeze(memory));
    expect(JSON.stringify(decide(known, memory))).to.equal(JSON.stringify(decision));
    if (!('needs' in decision)) return { ...decision, reads };
    reads.push(decision.needs);
    if (decision.needs === 'Node') {
      known = { ...known, node: found.node ?? known.node, isCurrent: true };
      continue;
    }
    if (reads.length > 3) throw new Error(`reads without end: ${reads.join(', ')}`);
    known = {
      ...known,
      pods: found.pods ?? [],
      configFiles: found.configFiles,
      ...(found.slices && { slices: found.slices }),
    };
    if (decision.needs !== 'Pods') {
      const fresh = {
        policy: { uid, generation, told: generation },
        slot: known.slot,
        resourceSlices: found.slices ?? [],
        ...listReportedPods(known.partition?.status?.device),
        ...(decision.needs === 'Drain' && { drain: { budgets: [], ...found.drain } }),
        ...found.fresh,
      };
      known = { ...known, node: found.node ?? known.node, fresh };
    }
  }
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}

/** {@link decideWith} for a snapshot given by its parts. */
export function judge(parts: SnapshotParts = {}, found: Findings = {}, memory = noMemory): Answer {
  return decideWith(aSnapshot(parts), found, memory);
}

/** The names of commands, in order. */
export function namesOf({ commands }: Pick<Answer, 'commands'>): readonly Command['name'][] {
  return commands.map(({ name }) => name);
}

/** What the Node's patch changes; empty if there is none. */
export function changeOf({ commands }: Pick<Answer, 'commands'>): NodeChange {
  return commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []))[0] ?? {};
}

type PodParts = {
  readonly name?: string;
  readonly uid?: string;
  readonly isLeaving?: boolean;
  readonly isReady?: boolean;
};

/** A pod that holds a GPU, of a controller that replaces it when it is evicted. */
export function aGpuPod(name = 'job'): PodView {
  const pod = aBarePod(name);
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: `owner-of-${name}`, controller: true };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
}

/** A pod that holds a GPU, and that nothing would replace. */
export function aBarePod(name = 'job'): PodView {
  const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': 1 } } }];
  return {
    metadata: { name, namespace: 'ns', uid: `uid-${name}` },
    spec: { containers },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function aDaemonPod({ name = 'daemon', uid = `uid-${name}`, isLeaving = false, isReady = true }: PodParts): PodView {
  return {
    metadata: {
      name,
      namespace: 'gpu',
      uid,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', controller: true }],
      ...(isLeaving && { deletionTimestamp: '2026-01-01T11:59:00Z' }),
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

/** A pod of NVIDIA's device plugin, by default gpu-operator's; it tolerates our taints on request. */
export function aPluginPod({
  tolerates = false,
  strategy = 'mixed',
  ...parts
}: PodParts & { readonly tolerates?: boolean; readonly strategy?: string } = {}): PodView {
  const pod = aDaemonPod({ name: 'plugin', ...parts });
  const env = [{ name: 'MIG_STRATEGY', value: strategy }];
  const containers = [{ name: 'nvidia-device-plugin', env, resources: {} }];
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'nvidia-device-plugin-daemonset' } },
    spec: { tolerations: tolerates ? [{ operator: 'Exists' }] : [], containers },
  };
}

/** A pod of NVIDIA's DRA driver. */
export function aDriverPod({ tolerates = false, ...parts }: PodParts & { readonly tolerates?: boolean } = {}): PodView {
  const pod = aDaemonPod({ name: 'driver', ...parts });
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin' } },
    spec: { tolerations: tolerates ? [{ operator: 'Exists' }] : [], containers: [{}] },
  };
}

/** What NVIDIA's DRA driver publishes of a device when it starts. */
export function slicesOf(device: DeviceReport): readonly ResourceSliceView[] {
  const devices = publishDevices(device).devices.map(({ name = '', ...one }) => ({
    name,
    attributes: Object.fromEntries(
      Object.entries({ type: one.type, uuid: one.uuid, parentUUID: one.parentUUID, profile: one.profile }).flatMap(
        ([key, string]) => (string === undefined ? [] : [[key, { string }] as const]),
      ),
    ),
  }));
  return [{ metadata: { name: 'n-gpu.nvidia.com' }, spec: { driver: 'gpu.nvidia.com', devices } }];
}

/** A pod of a GPU client that runs where the label allows it. */
export function aHolderPod(holder: string, parts: PodParts & { readonly tolerates?: boolean } = {}): PodView {
  const { tolerates = false, ...rest } = parts;
  return {
    ...aDaemonPod({ name: holder, ...rest }),
    spec: {
      nodeSelector: { [`nvidia.com/gpu.deploy.${holder}`]: 'true' },
      tolerations: tolerates ? [{ operator: 'Exists' }] : [],
    },
  };
}
