import type { GpuNodePartition, GpuPartitionPolicy, GpuReport } from '../../src/api/types.ts';
import { aStatusNode } from '../core/view/status-stories.ts';
import { aGpu, aPolicy } from '../support/builders.ts';

const before = ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'];
const after = { '1g.5gb': 3, '3g.20gb': 1 } as const;
const lastTransitionTime = '2026-01-01T00:00:00Z';

interface SimulatedFleet {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
}

/** A fleet in the middle of a rollout: the first half is done, a few nodes change, one has failed; no two use their slices alike. */
export function simulateFleet(nodes: number, gpus = 8): SimulatedFleet {
  const done = Math.floor(nodes / 2);
  const partitions = Array.from({ length: nodes }, (_, at) => simulateNode(at, done, gpus));
  const flight = partitions.slice(done, done + 4);
  const policy: GpuPartitionPolicy = {
    ...aPolicy({ name: 'inference', generation: 2, rollout: { maxUnavailable: 4, failureThreshold: 3 } }),
    status: {
      nodes: { matched: nodes, ready: done, updating: flight.length, failed: nodes > done + 5 ? 1 : 0 },
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Reconciling',
          message: `${flight[0]?.metadata.name}: waiting for 1 pod to go: team/train-0`,
          lastTransitionTime,
        },
      ],
      plan: {
        gpusChanging: (nodes - done) * gpus,
        instancesKept: (nodes - done) * gpus * 3,
        instancesDestroyed: (nodes - done) * gpus,
        instancesCreated: (nodes - done) * gpus,
        podsToEvict: flight.length,
      },
      limits: { nodes, maxUnavailable: 4, maxConcurrentNodes: 4 },
      pace: { generation: 2, nodes: done || 1, seconds: 150 * (done || 1) },
      inFlight: flight.map(({ metadata }) => ({
        node: metadata.name,
        nodeUID: `uid-${metadata.name}`,
        epoch: 2,
        startTime: '2026-01-01T12:00:00Z',
      })),
    },
  };
  return { policies: [policy], partitions };
}

/** The node as it is a moment later, in a turn of so many: other slices are in use. */
export function touchNode(partition: GpuNodePartition, turn: number): GpuNodePartition {
  const { device } = partition.status ?? {};
  const gpus = (device?.gpus ?? []).map((gpu, at) => useSlices(gpu, turn + at));
  return { ...partition, status: { ...partition.status, device: { ...device, gpus } } };
}

function simulateNode(at: number, done: number, gpus: number): GpuNodePartition {
  const name = `gpu-node-${String(at).padStart(4, '0')}`;
  const isDone = at < done;
  const isChanging = !isDone && at < done + 4;
  const hasFailed = at === done + 5;
  const slices = isDone ? ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '3g.20gb@4'] : before;
  const list = Array.from({ length: gpus }, (_, index) => useSlices(aGpu({ index, slices }), at * 3 + index));
  if (isDone) return aStatusNode({ name, message: 'device, labels and resources are as the policy says', gpus: list });
  if (isChanging) {
    const message = 'waiting for 1 pod to go: team/train-0';
    return aStatusNode({ name, phase: 'Updating', reason: 'Draining', message, gpus: list, wish: after });
  }
  if (hasFailed) {
    const message = 'GPU 0 (A100-SXM4-40GB): the driver reported success and did nothing';
    return aStatusNode({ name, phase: 'Failed', message, gpus: list });
  }
  const message = 'waiting for a slot in the rollout of policy inference';
  return aStatusNode({ name, phase: 'Pending', reason: 'AwaitingSlot', message, gpus: list });
}

function useSlices(gpu: GpuReport, seed: number): GpuReport {
  const instances = gpu.instances.map(({ profile, gi, start, uuid = '' }, at) => {
    const isUsed = (seed * 7 + at * 3) % 5 < 3;
    const pods = [`team/serve-${(seed + at) % 40}`];
    return { profile, gi, start, uuid, ...(isUsed && { busy: true, pods }) };
  });
  return { ...gpu, instances };
}
