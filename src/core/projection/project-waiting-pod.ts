import { explainHopeless } from '../explain/judge.ts';
import { listRequested, requestOf, requestsOf } from '../explain/workload.ts';
import { isSlice } from '../supply/pod-demand.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { writeNano } from '../text/quantity.ts';
import type { PodView } from '../pods/pod-view.ts';

/**
 * A pod that waits, reduced to what it requests (all its containers as one) and requires of a node, since when it waits, whom it may
 * preempt, the node that the scheduler has found for it by itself, and why no slice helps it, if so. Of one that requests no slice, only the
 * name is kept.
 */
export function projectWaitingPod(pod: PodView): PodView {
  const { metadata, spec = {} } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = metadata;
  const kept = definedOnly({ name, namespace, uid, deletionTimestamp });
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
  const status = definedOnly({ nominatedNodeName, conditions });
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: { ...kept, ...definedOnly({ creationTimestamp }) },
    spec: {
      ...definedOnly({ nodeName, nodeSelector, tolerations, schedulingGates, priority, preemptionPolicy }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      containers: [{ resources: { requests: Object.fromEntries(requests) } }],
    },
    ...(Object.keys(status).length > 0 && { status }),
  };
}
