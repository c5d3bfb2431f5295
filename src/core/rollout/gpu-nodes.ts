import type { GpuNodePartition } from '../../api/types.ts';

/** Whether a node has GPUs, or had some that are lost; false until its agent has reported. Percentages of nodes are of these. */
export function hasGpus(partition: GpuNodePartition | undefined): boolean {
  const { gpus = [], lastGood } = partition?.status?.device ?? {};
  return gpus.length > 0 || (lastGood?.gpus ?? []).length > 0;
}
