import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, Phase } from '../../../src/api/types.ts';
import { deviceText } from '../../../src/core/node/status.ts';
import type { Line } from '../../../src/core/view/lines.ts';
import { showStatus, type viewHistory } from '../../../src/core/view/status.ts';
import { aDevice, aGpu, aPolicy } from '../../support/builders.ts';

const lastTransitionTime = '2026-01-01T00:00:00Z';
/** When the stories are told. */
export const storyTime = Date.parse('2026-01-01T12:01:00Z');

interface StatusNode {
  readonly name: string;
  readonly policy?: string;
  readonly phase?: Phase;
  readonly reason?: string;
  readonly message?: string;
  readonly gpus?: readonly GpuReport[];
  /** What each GPU is to become. */
  readonly wish?: Readonly<Record<string, number>> | 'Disabled';
}

export function aStatusNode({
  name,
  policy = 'inference',
  phase = 'Ready',
  reason = phase,
  message = '',
  gpus = [],
  wish,
}: StatusNode): GpuNodePartition {
  const want = wish === 'Disabled' ? { mig: 'Disabled' as const } : { profiles: wish ?? {} };
  const placements = (gpu: GpuReport): string[] => gpu.instances.map(({ profile, start }) => `${profile}@${start}`);
  const lastGood = { bootID: '', gpus: gpus.map((gpu) => ({ uuid: gpu.uuid, placements: placements(gpu) })) };
  const plan = {
    hash: 'h',
    wishHash: 'w',
    keep: 2,
    destroy: 1,
    create: 2,
    gpusChanging: 1,
    affectedPods: ['team/train-0'],
  };
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuNodePartition',
    metadata: { name },
    spec: {
      nodeUID: `uid-${name}`,
      policy: { name: policy, generation: 1 },
      strategy: 'mixed',
      ...(wish !== undefined && { wish: { gpus: gpus.map(({ uuid }) => ({ uuid, ...want })) } }),
    },
    status: {
      phase,
      layout: deviceText(gpus),
      conditions: [
        { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message, lastTransitionTime },
      ],
      device: { ...aDevice(...gpus), lastGood, ...(wish !== undefined && { plan }) },
    },
  };
}

const held = (gpu: GpuReport, start: number, pod: string): GpuReport => ({
  ...gpu,
  instances: gpu.instances.map((one) => (one.start === start ? { ...one, busy: true, pods: [pod] } : one)),
});

const mixed = (index: number): GpuReport => aGpu({ index, slices: ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'] });

/** A node in the middle of a change: two GPUs that are the same, one in use, one that is lost, one without MIG. */
export const changingNode = aStatusNode({
  name: 'gpu-node-7',
  phase: 'Updating',
  reason: 'Draining',
  message: 'waiting for 1 pod to go: team/train-0; the node takes no GPU pods until its GPUs match policy inference',
  gpus: [
    aGpu({ index: 0, slices: ['1g.5gb@0', '1g.5gb@1', '3g.20gb@4'] }),
    aGpu({ index: 1, slices: ['1g.5gb@0', '1g.5gb@1', '3g.20gb@4'] }),
    held(held(mixed(2), 2, 'team/train-0'), 0, 'team/notebook-with-a-name-that-is-rather-long-1'),
    aGpu({ index: 3, error: 'GpuLost' }),
    aGpu({ index: 4, product: 'Tesla T4', migCapable: false, pods: ['team/render'] }),
    aGpu({ index: 5 }),
  ],
  wish: { '1g.5gb': 3, '3g.20gb': 1 },
});

export const readyNode = aStatusNode({
  name: 'gpu-node-1',
  message: 'device, labels and resources are as the policy says',
  gpus: [held(mixed(0), 4, 'team/serve'), ...[1, 2, 3, 4, 5, 6, 7].map(mixed)],
});

/** Nodes in every phase, one of them without a report. */
export const fleet: readonly GpuNodePartition[] = [
  readyNode,
  changingNode,
  aStatusNode({ name: 'gpu-node-2', gpus: [mixed(0)] }),
  aStatusNode({
    name: 'gpu-node-3',
    phase: 'Failed',
    message: 'GPU 0 (A100-SXM4-40GB): the driver reported success and did nothing',
    gpus: [mixed(0)],
  }),
  aStatusNode({
    name: 'gpu-node-4',
    phase: 'Waiting',
    reason: 'ProcessesUseGpus',
    message: 'pid 4242 (python3) runs on 3g.20gb at 4',
    gpus: [held(mixed(0), 4, 'team/a')],
  }),
  aStatusNode({
    name: 'gpu-node-5',
    phase: 'Pending',
    reason: 'SomethingNew',
    message: 'a reason of a later version',
    gpus: [mixed(0)],
  }),
  aStatusNode({
    name: 'gpu-node-6',
    policy: 'notebooks',
    phase: 'Pending',
    reason: 'AwaitingSlot',
    message: 'waits for a slot',
    gpus: [aGpu()],
  }),
];

const condition = (status: 'True' | 'False', reason: string, message: string) => ({
  type: 'Ready',
  status,
  reason,
  message,
  lastTransitionTime,
});

export const policies: readonly GpuPartitionPolicy[] = [
  {
    ...aPolicy({ name: 'inference', rollout: { maxUnavailable: '50%' } }),
    status: {
      nodes: { matched: 6, ready: 2, failed: 1 },
      conditions: [condition('False', 'Reconciling', 'gpu-node-7: waiting for 1 pod to go: team/train-0')],
      inFlight: [
        {
          node: 'gpu-node-7',
          nodeUID: 'u',
          epoch: 1,
          startTime: '2026-01-01T12:00:00Z',
          deadline: '2026-01-01T12:10:00Z',
        },
      ],
      canary: { generation: 1, nodes: ['gpu-node-2'] },
      plan: { gpusChanging: 4, instancesKept: 6, instancesDestroyed: 4, instancesCreated: 8, podsToEvict: 1 },
      pace: { generation: 1, nodes: 2, seconds: 210 },
      limits: { nodes: 6, maxUnavailable: 3, maxConcurrentNodes: 3 },
    },
  },
  {
    ...aPolicy({ name: 'notebooks', mode: 'Plan' }),
    status: {
      nodes: { matched: 1, ready: 0 },
      conditions: [condition('True', 'PlanOnly', 'mode Plan: status.plan says what would be done')],
    },
  },
];

/** What a status shows on a screen. */
export function drawStatus(...subject: Parameters<typeof showStatus>): readonly Line[] {
  return showStatus(...subject).lines;
}

/** A node on a screen. */
export function drawNode(
  partition: GpuNodePartition,
  columns: number,
  history?: ReturnType<typeof viewHistory>,
): readonly Line[] {
  return drawStatus([], [partition], { columns, now: storyTime, node: partition.metadata.name, history });
}
