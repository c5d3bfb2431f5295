import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { answerSaved } from '../../src/cli/commands/ui.ts';
import { setupOf, type SetupOptions } from '../../src/cli/commands/plan.ts';
import type { SavedEvent } from '../../src/cli/input/snapshot.ts';
import { reportWaste } from '../../src/core/explain/waste.ts';
import { FleetFeed } from '../../src/ui/fleet-feed.ts';
import type { PageAnswers } from '../../src/ui/page-server.ts';
import { aTeamPod } from '../core/plan/cluster-builder.ts';
import { aPod, offerOfGpus } from '../core/kubernetes/cluster-builder.ts';
import { aStatusNode, storyTime } from '../core/view/status-stories.ts';
import { wastefulDay } from '../core/explain/waste-stories.ts';
import { aGpu, aPolicy } from '../support/builders.ts';
import { simulateFleet } from './simulated-fleet.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

const lastTransitionTime = '2026-01-01T11:40:00Z';

export interface Incident {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
}

function withConditions(
  policy: GpuPartitionPolicy,
  reason: string,
  message: string,
  ...more: readonly (readonly [type: string, status: 'True' | 'False', reason: string, message: string])[]
): GpuPartitionPolicy {
  const all = [['Ready', 'False', reason, message] as const, ...more];
  const conditions = all.map(([type, status, why, text]) => ({
    type,
    status,
    reason: why,
    message: text,
    lastTransitionTime,
  }));
  return { ...policy, status: { nodes: { matched: 3, ready: 0 }, conditions } };
}

/** A node whose change is over, with the times that its status keeps. */
function withLastChange(partition: GpuNodePartition): GpuNodePartition {
  if (partition.metadata.name !== changedNode) return partition;
  const closed = {
    lastSeconds: 44,
    deviceDoneTime: '2026-01-01T11:40:33Z',
    offeredTime: '2026-01-01T11:40:45Z',
  };
  const conditions = partition.status?.conditions?.map((one) => ({
    ...one,
    lastTransitionTime: '2026-01-01T11:40:46Z',
  }));
  return { ...partition, status: { ...partition.status, closed, ...(conditions && { conditions }) } };
}

export const changedNode = 'gpu-node-0003';

function anEvent(node: string, lastTimestamp: string, reason: string, message: string): SavedEvent {
  const involvedObject = { kind: 'Node', name: node };
  return { type: 'Normal', reason, message, lastTimestamp, metadata: {}, involvedObject };
}

const savedEvents = [
  anEvent('gpu-node-0007', '2026-01-01T12:00:02Z', 'Draining', 'policy inference will evict team/train-0'),
  anEvent(changedNode, '2026-01-01T11:40:00Z', 'Draining', 'policy inference will evict team/serve-9'),
  anEvent(changedNode, '2026-01-01T11:40:22Z', 'Repartitioning', 'policy inference changes GPUs 0 to 7'),
  anEvent(changedNode, '2026-01-01T11:40:46Z', 'Repartitioned', '8 GPUs: 3×1g.5gb + 1×3g.20gb'),
];

const pausedWords = 'the rollout is paused; set spec.rollout.paused to false to continue';

/** What somebody on call may find: a roll with a failed node, a policy that is paused, one that is broken, one that is being deleted. */
export function anIncident(nodes = 15): Incident {
  const rolling = simulateFleet(nodes);
  const speech = aPolicy({
    name: 'speech',
    rollout: { paused: true, windows: [{ schedule: '0 22 * * *', duration: '6h' }] },
  });
  const notebooks = aPolicy({ name: 'notebooks', generation: 7, layouts: [{ profiles: { '2g.11gb': 3 } }] });
  const why = 'A100-SXM4-40GB has no profile 2g.11gb; it has 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb';
  const oldPool = aPolicy({ name: 'old-pool', onDelete: 'DisableMig' });
  const paused = Array.from({ length: 12 }, (_, at) =>
    aStatusNode({
      name: `speech-${String(at).padStart(2, '0')}`,
      policy: 'speech',
      phase: 'Pending',
      reason: 'Paused',
      message: pausedWords,
      gpus: [0, 1, 2, 3].map((index) => aGpu({ index, slices: ['1g.5gb@0', '3g.20gb@4'] })),
    }),
  );
  return {
    policies: [
      ...rolling.policies,
      withConditions(speech, 'Paused', pausedWords),
      withConditions(
        notebooks,
        'UnknownProfile',
        `generation 7 is not accepted and touches nothing; generation 6 stays in force: ${why}`,
        ['Stalled', 'True', 'UnknownProfile', why],
        ['Valid', 'False', 'UnknownProfile', why],
      ),
      withConditions(
        { ...oldPool, metadata: { ...oldPool.metadata, deletionTimestamp: '2026-01-01T11:30:00Z' } },
        'Deleting',
        '2 nodes are left: old-1, old-2',
      ),
    ],
    partitions: [...rolling.partitions.map(withLastChange), ...paused],
  };
}

export const anotherPod: PodView = aPod({ name: 'train-9', asks: { 'nvidia.com/mig-7g.40gb': '1' } });

/** Answers from the incident as it was saved, and of a day that wasted much. */
export function answersFor({ policies, partitions }: Incident, setup: SetupOptions = {}): PageAnswers {
  const nodes = partitions.map(({ metadata, status }) => ({
    metadata: { name: metadata.name, uid: `uid-${metadata.name}`, labels: { pool: 'p' } },
    status: {
      allocatable: offerOfGpus(status?.device?.gpus ?? []),
      conditions: [{ type: 'Ready', status: 'True' as const }],
    },
  }));
  const running = partitions.flatMap(({ metadata, status }) => {
    const slices = (status?.device?.gpus ?? []).flatMap(({ instances }) => instances);
    const held = new Set(slices.flatMap(({ pods = [] }) => pods));
    return [...held].map((name) => {
      const pod = aTeamPod(name.replace('team/', ''), { node: metadata.name });
      return { ...pod, status: { ...pod.status, startTime: '2026-01-01T08:15:00Z' } };
    });
  });
  const pods = [anotherPod, ...running];
  const cluster = {
    now: storyTime,
    nodes,
    partitions,
    policies,
    pods,
    budgets: [],
    events: savedEvents,
    kueue: { trouble: 'not saved' },
  };
  const saved = answerSaved(cluster, setupOf(setup));
  return { ...saved, waste: async () => reportWaste(wastefulDay) };
}

export function aFeed(poolOf: (node: string) => string = () => 'p'): FleetFeed {
  const source = { context: 'prod-eu', server: 'https://10.0.0.1:6443' };
  return new FleetFeed({ source, poolOf, now: () => storyTime });
}
