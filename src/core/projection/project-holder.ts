import type { GpuNodePartition } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import type { PodView } from '../pods/pod-view.ts';
import { projectPod } from './project-pod.ts';

/** What a pod's eviction is weighed by. @param labelKeys those that disruption budgets select by */
export function projectHolder(pod: PodView, labelKeys: ReadonlySet<string>): PodView {
  const { priority } = pod.spec ?? {};
  const { startTime } = pod.status ?? {};
  const { spec: _containers, status, ...kept } = projectPod(pod, [], () => false, labelKeys);
  return {
    ...kept,
    status: { ...status, ...(startTime !== undefined && { startTime }) },
    ...(priority !== undefined && { spec: { priority } }),
  };
}

/** Which pods hold which slices. */
export function projectHoldings({ apiVersion, kind, metadata, spec, status }: GpuNodePartition): GpuNodePartition {
  const { name, resourceVersion } = metadata;
  const gpus = status?.device?.gpus ?? [];
  return {
    apiVersion,
    kind,
    metadata: definedOnly({ name, resourceVersion }),
    spec: { nodeUID: spec.nodeUID },
    status: { device: { gpus } },
  };
}
