import { usesForeignGpu } from '../../owners/foreign-gpu.ts';
import { usesGpu } from '../../pods/gpu-pods.ts';
import type { NodePod } from '../snapshot.ts';

/** Pods of a node that use GPUs, under whatever name. */
export function listHolders(pods: readonly NodePod[]): readonly NodePod[] {
  return pods.filter((pod) => usesGpu(pod) || usesForeignGpu(pod));
}
