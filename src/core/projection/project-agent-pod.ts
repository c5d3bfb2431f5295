import type { AgentPod } from '../node/agent-pod.ts';

/** An agent's pod, reduced to its sign of life. */
export function projectAgentPod({ metadata, spec, status }: AgentPod): AgentPod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const waiting = isReady ? undefined : status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }) },
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      conditions: ready
        ? [{ type: 'Ready', status: ready.status, ...(ready.message !== undefined && { message: ready.message }) }]
        : [],
      ...(waiting && { containerStatuses: [{ name: 'agent', state: { waiting } }] }),
    },
  };
}
