import { requestsOf } from '../explain/workload.ts';
import { isSlice } from '../supply/pod-demand.ts';
import { definedOnly } from '../text/defined-fields.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A pod that waits, reduced to what it requests and requires of a node. Of one that requests no slice, only the name is kept. */
export function projectWaitingPod({ metadata, spec = {}, status }: PodView): PodView {
  const { name, namespace, uid, deletionTimestamp } = metadata;
  const kept = definedOnly({ name, namespace, uid, deletionTimestamp });
  const requests = requestsOf({ metadata, spec }, isSlice);
  if (requests.size === 0) return { metadata: kept };
  const { nodeName, nodeSelector, affinity, tolerations, schedulingGates, priority, preemptionPolicy } = spec;
  const { nominatedNodeName } = status ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: kept,
    spec: {
      ...definedOnly({ nodeName, nodeSelector, tolerations, schedulingGates, priority, preemptionPolicy }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      containers: [{ resources: { requests: Object.fromEntries(requests) } }],
    },
    ...(nominatedNodeName !== undefined && { status: { nominatedNodeName } }),
  };
}
