import type { GpuNodePartition } from '../../api/types.ts';
import type { WeighedPod } from '../pods/pod-fate.ts';
import { type ListedPod, projectPod } from './project-pod.ts';

/** What a pod's eviction is weighed by. @param labelKeys those that disruption budgets select by */
export function projectHolder(pod: ListedPod & WeighedPod, labelKeys: ReadonlySet<string>): ListedPod & WeighedPod {
  const { priority } = pod.spec ?? {};
  const { spec: _containers, ...kept } = projectPod(pod, [], () => false, labelKeys);
  return { ...kept, ...(priority !== undefined && { spec: { priority } }) };
}

/** Which pods hold which slices. */
export function projectHoldings({ apiVersion, kind, metadata, spec, status }: GpuNodePartition): GpuNodePartition {
  const { name, resourceVersion } = metadata;
  const gpus = status?.device?.gpus ?? [];
  return {
    apiVersion,
    kind,
    metadata: { name, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { nodeUID: spec.nodeUID },
    status: { device: { gpus } },
  };
}
