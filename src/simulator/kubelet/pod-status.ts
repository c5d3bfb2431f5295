import type { AdmissionFailure, PodAllocation } from './allocation.ts';
import type { PodObject } from './kube-objects.ts';

/** Status of a pod whose containers all run, as a merge patch. The scheduler's condition stays. */
export function describeRunning(pod: PodObject, given: PodAllocation, where: { now: string; ip: string }): object {
  const { now, ip } = where;
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => type === 'PodScheduled');
  const ready = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'];
  return {
    status: {
      phase: 'Running',
      conditions: [...kept, ...ready.map((type) => ({ type, status: 'True', lastTransitionTime: now }))],
      startTime: now,
      hostIP: ip,
      hostIPs: [{ ip }],
      podIP: '10.244.0.1',
      podIPs: [{ ip: '10.244.0.1' }],
      containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
        name,
        image,
        imageID: image,
        restartCount: 0,
        ready: true,
        started: true,
        containerID: `containerd://${pod.metadata.uid ?? ''}-${name}`,
        state: { running: { startedAt: now } },
        ...describeDevices(given, name),
      })),
    },
  };
}

/** Status of a pod that the kubelet turned away. It never runs; whoever owns it makes another. */
export function describeFailed({ reason, message }: AdmissionFailure, now: string): object {
  return { status: { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: now } };
}

function describeDevices(given: PodAllocation, container: string): object {
  const devices = Object.entries(given.find((allocation) => allocation.container === container)?.deviceIds ?? {});
  if (devices.length === 0) return {};
  return {
    allocatedResourcesStatus: devices.map(([name, ids]) => ({
      name,
      resources: ids.map((resourceID) => ({ resourceID, health: 'Healthy' })),
    })),
  };
}
