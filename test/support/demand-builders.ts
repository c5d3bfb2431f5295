import { answerAll } from '../../src/core/text/asking.ts';
import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish, PolicyDemand } from '../../src/api/types.ts';
import { listMembers, type DemandGpu } from '../../src/core/demand/members.ts';
import { aDevice, aPartition, aPolicy } from './builders.ts';

export function aDemandPolicy(
  demand: PolicyDemand,
  more: Partial<GpuPartitionPolicy['spec']> = {},
): GpuPartitionPolicy {
  return withDemand(aPolicy(more), demand);
}

/** A policy with a demand instead of its layouts. */
export function withDemand(
  { spec: { layouts: _none, ...spec }, ...policy }: GpuPartitionPolicy,
  demand: PolicyDemand,
): GpuPartitionPolicy {
  return { ...policy, spec: { ...spec, demand } };
}

/** A node of the policy, on which every instance is the operator's own. */
export function aNodeWith(name: string, gpu: GpuReport, wish?: GpuWish): GpuNodePartition {
  const placements = gpu.instances.map(({ profile, start }) => `${profile}@${start}`);
  const device = { ...aDevice(gpu), bootID: 'b', lastGood: { bootID: 'b', gpus: [{ uuid: gpu.uuid, placements }] } };
  const policy = { name: 'p', uid: 'uid-p', generation: 1 };
  const partition = aPartition({ device, policy, ...(wish && { wish: { gpus: [wish] } }) });
  return { ...partition, metadata: { ...partition.metadata, name } };
}

/** The GPUs of nodes that take part, none of which was re-laid of late. */
export const membersOf = (
  policy: GpuPartitionPolicy,
  ...partitions: readonly GpuNodePartition[]
): readonly DemandGpu[] =>
  partitions.flatMap((partition) => listMembers(policy, partition, { isResting: () => false }));

/** No pod is followed. */
export const nobody = { waiting: undefined, steady: (_: string, count: number) => count };

/** What a thought that only lets others have a turn comes to. */
export function finish<T>(thought: Generator<unknown, T, unknown>): T {
  return answerAll(thought, () => undefined);
}
