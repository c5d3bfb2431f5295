import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { EvictionRule } from '../demand/pool.ts';
import type { NodeView } from '../node/node-view.ts';
import { listMembers, type Member } from '../supply/member.ts';

/** The GPUs of a node that a demand could use, whatever policy decides over it now. @param asksWhole whether it has whole GPUs */
export function readMembers(
  policy: GpuPartitionPolicy | undefined,
  { node, partition }: { readonly node?: NodeView; readonly partition: GpuNodePartition | undefined },
  evict: EvictionRule,
  asksWhole = false,
): readonly Member[] {
  if (partition === undefined) return [];
  const reader: GpuPartitionPolicy = {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: '', ...policy?.metadata },
    spec: {
      nodeSelector: {},
      strategy: 'mixed',
      ...policy?.spec,
      demand: { slices: asksWhole ? [{ mig: 'Disabled' }] : [], evict },
    },
  };
  return listMembers(reader, partition, { node, isResting: () => false });
}
