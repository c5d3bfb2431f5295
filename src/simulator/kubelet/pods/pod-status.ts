import type { AdmissionFailure, PodAllocation } from './allocation.ts';
import { describeProblem } from './container-problem.ts';
import type { ContainerProblem } from './container-problem.ts';
import type { Container, PodObject } from '../node/kube-objects.ts';

export interface RunningFacts {
  /** RFC 3339. */
  readonly now: string;
  readonly ip: string;
  /** What is wrong with one of the containers. */
  readonly problem?: ContainerProblem | undefined;
}

/** Status of a pod whose containers run, except the one with a problem, as a merge patch. The scheduler's condition stays. */
export function describeRunning(pod: PodObject, given: PodAllocation, facts: RunningFacts): object {
  const { now, ip, problem } = facts;
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => type === 'PodScheduled');
  const startTime = pod.status?.startTime ?? now;
  return {
    status: {
      phase: 'Running',
      conditions: [...kept, ...describeConditions(now, problem)],
      startTime,
      hostIP: ip,
      hostIPs: [{ ip }],
      podIP: '10.244.0.1',
      podIPs: [{ ip: '10.244.0.1' }],
      containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
        ...describeContainer(pod, container, startTime),
        ...describeDevices(given, container.name),
        ...(problem?.container === container.name && describeProblem(problem, startTime)),
      })),
    },
  };
}

export function isMarkedUnready({ status }: PodObject): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'False') === true;
}

/** Status of a pod that the kubelet rejected. It never runs; its owner creates another. */
export function describeFailed({ reason, message }: AdmissionFailure, now: string): object {
  return { status: { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: now } };
}

/** Status of a pod whose containers wait for something that the kubelet cannot give them yet. */
export function describeWaiting({ spec }: PodObject, message: string): object {
  return {
    status: {
      containerStatuses: (spec?.containers ?? []).map(({ name, image = '' }) => ({
        name,
        image,
        imageID: '',
        restartCount: 0,
        ready: false,
        started: false,
        state: { waiting: { reason: 'ContainerCreating', message } },
      })),
    },
  };
}

/** What the containers of the pod wait for, as its status shows. */
export function waitingMessageOf({ status }: PodObject): string | undefined {
  return status?.containerStatuses?.[0]?.state?.waiting?.message;
}

function describeConditions(now: string, problem: ContainerProblem | undefined): readonly object[] {
  const condition = (type: string): object => ({ type, status: 'True', lastTransitionTime: now });
  const unready = (type: string): object => ({
    type,
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${problem?.container}]`,
    lastTransitionTime: now,
  });
  return [
    ...['PodReadyToStartContainers', 'Initialized'].map(condition),
    ...['ContainersReady', 'Ready'].map(problem === undefined ? condition : unready),
  ];
}

function describeContainer(
  { metadata, status }: PodObject,
  { name, image = '' }: Container,
  startedAt: string,
): object {
  return {
    name,
    image,
    imageID: image,
    restartCount: status?.containerStatuses?.find((shown) => shown.name === name)?.restartCount ?? 0,
    ready: true,
    started: true,
    containerID: `containerd://${metadata.uid ?? ''}-${name}`,
    state: { running: { startedAt } },
  };
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
