import type { WorkloadPod } from '../explain/workload.ts';
import { requestsOf } from '../explain/workload.ts';
import { isSlice } from '../supply/pod-demand.ts';

/** A pod that waits, reduced to what it requests and requires of a node. Of one that requests no slice, only the name is kept. */
export function projectWaitingPod({ metadata, spec = {} }: WorkloadPod): WorkloadPod {
  const { name, namespace, uid, deletionTimestamp } = metadata;
  const kept = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  const requests = requestsOf({ metadata, spec }, isSlice);
  if (requests.size === 0) return { metadata: kept };
  const { nodeName, nodeSelector, affinity, tolerations, schedulingGates } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: kept,
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      ...(nodeSelector && { nodeSelector }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      ...(tolerations && { tolerations }),
      ...(schedulingGates && { schedulingGates }),
      containers: [{ resources: { requests: Object.fromEntries(requests) } }],
    },
  };
}
