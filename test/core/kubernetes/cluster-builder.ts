import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy, GpuReport, Phase } from '../../../src/api/types.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { layoutOf } from '../../../src/core/device/plan.ts';
import { aDevice } from '../../support/builders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

/** One GPU node of a story. */
export interface StoryNode {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly gpus?: readonly GpuReport[];
  readonly policy?: GpuPartitionPolicy;
  /** A DRA driver hands its GPUs out. */
  readonly isDra?: boolean;
  readonly strategy?: 'none' | 'single' | 'mixed';
  /** Instead of what its device is. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NodeView['spec']>['taints'];
  readonly unschedulable?: boolean;
  readonly isReady?: boolean;
  readonly phase?: Phase;
  readonly reason?: string;
  readonly message?: string;
  readonly lostDevices?: NonNullable<DeviceReport['lostDevices']>;
}

export interface StoryPod {
  readonly name?: string;
  readonly asks?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly spec?: PodView['spec'];
  readonly status?: PodView['status'];
}

export function aPod({ name = 'train', asks = {}, node, spec, status }: StoryPod = {}): PodView {
  return {
    metadata: { name, namespace: 'team' },
    spec: {
      containers: [{ name: 'main', resources: { limits: asks, requests: asks } }],
      ...(node !== undefined && { nodeName: node }),
      ...spec,
    },
    status: status ?? { phase: node === undefined ? 'Pending' : 'Running', conditions: [unscheduled] },
  };
}

const unscheduled = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: '0/1 nodes are available',
};

/** What the device plugin offers of GPUs under strategy mixed. */
export function offerOfGpus(gpus: readonly GpuReport[]): Readonly<Record<string, string>> {
  const counts = new Map<string, number>();
  const add = (name: string, count: number): void => void counts.set(name, (counts.get(name) ?? 0) + count);
  for (const gpu of gpus) {
    if (gpu.mig !== 'Enabled') add('nvidia.com/gpu', 1);
    else
      for (const [profile, count] of Object.entries(layoutOf(gpu)))
        add(`nvidia.com/mig-${profile.replace('+', '.')}`, count);
  }
  return Object.fromEntries([...counts].map(([name, count]) => [name, String(count)]));
}

export function aCluster(wishes: readonly StoryNode[], pods: readonly PodView[] = []): ClusterFacts {
  const policies = new Map(wishes.flatMap(({ policy }) => (policy ? [[policy.metadata.name, policy]] : [])));
  return {
    nodes: wishes.map(nodeOf),
    partitions: wishes.flatMap((wish) => (wish.gpus ? [partitionOf(wish, wish.gpus)] : [])),
    policies: [...policies.values()],
    pods,
  };
}

function nodeOf({
  name = 'n',
  labels = {},
  gpus = [],
  isDra,
  allocatable,
  taints,
  unschedulable,
  isReady,
}: StoryNode): NodeView {
  return {
    metadata: { name, uid: `uid-${name}`, labels: { pool: 'p', ...labels } },
    spec: { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) },
    status: {
      allocatable: { cpu: '8', memory: '64Gi', ...(allocatable ?? (isDra ? {} : offerOfGpus(gpus))) },
      conditions: [{ type: 'Ready', status: isReady === false ? 'False' : 'True', message: 'stopped posting status' }],
    },
  };
}

function partitionOf(wish: StoryNode, gpus: readonly GpuReport[]): GpuNodePartition {
  const {
    name = 'n',
    policy,
    strategy = policy?.spec.strategy,
    phase = 'Ready',
    reason = 'Ready',
    message = '',
    isDra,
    lostDevices,
  } = wish;
  const device = aDevice(...gpus);
  // What is there is ours.
  const placements = ({ instances }: GpuReport): string[] =>
    instances.map(({ profile, start }) => `${profile}@${start}`);
  const lastGood = { bootID: '', gpus: gpus.map((gpu) => ({ uuid: gpu.uuid, placements: placements(gpu) })) };
  const resolved = policy && resolveNode(policy.spec, device, undefined);
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuNodePartition',
    metadata: { name },
    spec: {
      nodeUID: `uid-${name}`,
      ...(policy && { policy: { name: policy.metadata.name, generation: 1 } }),
      ...(strategy && { strategy }),
      ...(isDra && { backend: 'DRA' as const }),
      ...(resolved && 'wish' in resolved && { wish: resolved.wish }),
    },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message, lastTransitionTime: '' },
      ],
      device: { ...device, lastGood, ...(lostDevices && { lostDevices }) },
    },
  };
}
