import { explainHopeless } from '../cluster/judge.ts';
import { listRequested, requestOf, requestsOf, type PodView } from '../kubernetes/pod.ts';
import { isSlice } from './waiting-pods.ts';
import { omitUndefined } from '../text/json.ts';
import { writeNano } from '../text/syntax.ts';
import { type KueueWorkload, isOnHold } from './kueue.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { trimPod } from '../cluster/watched-objects.ts';

/**
 * A pod that waits, reduced to what it requests (all its containers as one) and requires of a node, since when it waits, whom it may
 * preempt, the node that the scheduler has found for it by itself, and why no slice helps it, if so. Of one that requests no slice, only the
 * name is kept.
 */
export function trimWaitingPod(pod: PodView): PodView {
  const { metadata, spec = {} } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = metadata;
  const kept = omitUndefined({ name, namespace, uid, deletionTimestamp });
  const slices = requestsOf(pod, isSlice);
  if (slices.size === 0) return { metadata: kept };
  const { nodeName, nodeSelector, affinity, tolerations, schedulingGates, priority, preemptionPolicy } = spec;
  const requests = listRequested(pod).map((resource) => [
    resource,
    slices.get(resource) ?? writeNano(requestOf(pod, resource)),
  ]);
  const hopeless = explainHopeless(pod);
  const { nominatedNodeName } = pod.status ?? {};
  // Any other word of the scheduler counts for nothing.
  const conditions =
    hopeless === undefined ? undefined : [{ type: 'PodScheduled', status: 'False', message: hopeless }];
  const status = omitUndefined({ nominatedNodeName, conditions });
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: { ...kept, ...omitUndefined({ creationTimestamp }) },
    spec: {
      ...omitUndefined({ nodeName, nodeSelector, tolerations, schedulingGates, priority, preemptionPolicy }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      containers: [{ resources: { requests: Object.fromEntries(requests) } }],
    },
    ...(Object.keys(status).length > 0 && { status }),
  };
}

/** A Workload of Kueue, reduced to the slices that it waits for. Of one that is not held back, only the name is kept. */
export function trimWorkload(workload: KueueWorkload): KueueWorkload {
  const { name, namespace } = workload.metadata;
  const metadata = omitUndefined({ name, namespace });
  if (!isOnHold(workload)) return { metadata, spec: { active: false } };
  const { queueName, podSets = [] } = workload.spec ?? {};
  const { admission, reclaimablePods } = workload.status ?? {};
  return {
    metadata,
    spec: {
      ...omitUndefined({ queueName }),
      podSets: podSets.map(({ name: set, count, template }) => {
        const { spec } = trimWaitingPod({ metadata, ...(template?.spec && { spec: template.spec }) });
        return omitUndefined({ name: set, count, template: spec && { spec } });
      }),
    },
    status: omitUndefined({ admission, reclaimablePods }),
  };
}

/** What a pod's eviction is weighed by, and where else it could run. @param labelKeys those that disruption budgets select by */
export function trimHolder(pod: PodView, labelKeys: ReadonlySet<string>): PodView {
  const { priority } = pod.spec ?? {};
  const { startTime } = pod.status ?? {};
  const { spec: required } = trimWaitingPod(pod);
  const { spec: _containers, status, ...kept } = trimPod(pod, [], () => false, labelKeys);
  const spec = { ...required, ...(priority !== undefined && { priority }) };
  return {
    ...kept,
    status: { ...status, ...(startTime !== undefined && { startTime }) },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}

/** Keeps of a partition which pods hold which slices. */
export function trimHoldings({ apiVersion, kind, metadata, spec, status }: GpuNodePartition): GpuNodePartition {
  const { name, resourceVersion } = metadata;
  const gpus = status?.device?.gpus ?? [];
  return {
    apiVersion,
    kind,
    metadata: omitUndefined({ name, resourceVersion }),
    spec: { nodeUID: spec.nodeUID },
    status: { device: { gpus } },
  };
}
