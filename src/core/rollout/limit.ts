import type { GpuNodePartition } from '../../api/types.ts';

/** A number of nodes, or a percentage of them. */
export type Limit = number | string;

/** Rounded down, at least 1 unless it is 0. @param of the number of nodes that a percentage refers to */
export function countLimit(limit: Limit, of: number): number {
  const [, percent] = typeof limit === 'string' ? (/^([0-9]+)%$/.exec(limit) ?? []) : [];
  const share = percent === undefined ? Number(limit) : (of * Number(percent)) / 100;
  // An unreadable limit holds everything back: it must never admit more than was meant.
  if (!Number.isFinite(share) || Number(percent ?? limit) <= 0) return 0;
  return Math.max(1, Math.floor(share));
}

/** Whether a node has GPUs, or had some that are lost; false until its agent has reported. Percentages of nodes are of these. */
export function hasGpus(partition: GpuNodePartition | undefined): boolean {
  const { gpus = [], lastGood } = partition?.status?.device ?? {};
  return gpus.length > 0 || (lastGood?.gpus ?? []).length > 0;
}
