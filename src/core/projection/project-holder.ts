import type { GpuNodePartition } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import type { PodView } from '../pods/pod-view.ts';
import { projectPod } from './project-pod.ts';
import { projectWaitingPod } from './project-waiting-pod.ts';

/** What a pod's eviction is weighed by, and where else it could run. @param labelKeys those that disruption budgets select by */
export function projectHolder(pod: PodView, labelKeys: ReadonlySet<string>): PodView {
  const { priority } = pod.spec ?? {};
  const { startTime } = pod.status ?? {};
  const { spec: required } = projectWaitingPod(pod);
  const { spec: _containers, status, ...kept } = projectPod(pod, [], () => false, labelKeys);
  const spec = { ...required, ...(priority !== undefined && { priority }) };
  return {
    ...kept,
    status: { ...status, ...(startTime !== undefined && { startTime }) },
    ...(Object.keys(spec).length > 0 && { spec }),
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
