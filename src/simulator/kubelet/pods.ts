import type { Change, ObjectRef } from '../../kube/watch.ts';
import type { PodObject, Container } from './node.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import { type ContainerProblem, describeProblem } from './daemon-config.ts';
import { type AdmissionFailure, type PodAllocation, noClaims, prepareClaims } from './allocation.ts';
import { isConflict, isNotFound } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Labels } from '../../core/nvidia/labels.ts';
import type { Host } from './gpu-devices.ts';
import { isShown } from './daemons.ts';

/** Pods by their node, and there by `namespace/name`. */
export class PodIndex {
  readonly #byNode = new Map<string, Map<string, PodObject>>();

  follow({ type, key, object }: Change<PodObject>): void {
    const node = object.spec?.nodeName ?? '';
    const pods = this.#byNode.get(node) ?? new Map<string, PodObject>();
    this.#byNode.set(node, pods);
    if (type === 'delete') pods.delete(key);
    else pods.set(key, object);
  }

  on(node: string): ReadonlyMap<string, PodObject> {
    return this.#byNode.get(node) ?? new Map<string, PodObject>();
  }
}

/** A pod's program that really runs, as a process on this machine: the program that started it reports its state. */
export interface PodProgram {
  readonly isRunning: boolean;
  /** How often it has ended. */
  readonly ends: number;
  /** The time at which it last ended unasked, in ms of the monotonic clock; undefined while it runs, or if it was told to end. */
  readonly crashedAtMs: number | undefined;
  start(): void;
}

/** What the pod's status should show about its program. */
function problemOf(program: PodProgram, pod: PodObject): ContainerProblem | undefined {
  if (program.isRunning) return undefined;
  const container = pod.spec?.containers?.[0]?.name ?? '';
  return { kind: 'Crashed', container, message: 'the program has ended', restarts: program.ends };
}

/** Whether the pod's status shows the current state of a program that has been started. */
function isProgramShown(program: PodProgram, { status }: PodObject): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return isReady === program.isRunning;
}

/** Starts a program again that has ended by itself, after a rest, and when the pod's status shows that it has. @returns when to look again */
function restartCrashed(program: PodProgram, pod: PodObject, restartMs: number): ReconcileResult {
  if (program.crashedAtMs === undefined) return {};
  const leftMs = program.crashedAtMs + restartMs - performance.now();
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  if (isProgramShown(program, pod)) program.start();
  return {};
}

interface RunningFacts {
  /** RFC 3339. */
  readonly now: string;
  readonly ip: string;
  /** The problem of one of the containers. */
  readonly problem?: ContainerProblem | undefined;
}

/** Status of a pod whose containers run, except the one with a problem, as a merge patch. The scheduler's condition stays. */
function describeRunning(pod: PodObject, given: PodAllocation, facts: RunningFacts): object {
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

function isMarkedUnready({ status }: PodObject): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'False') === true;
}

/** Status of a pod that the kubelet rejected. It never runs; its owner creates another. */
function describeFailed({ reason, message }: AdmissionFailure, now: string): object {
  return { status: { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: now } };
}

/** Status of a pod whose containers wait for something that the kubelet cannot give them yet. */
function describeWaiting({ spec }: PodObject, message: string): object {
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
function waitingMessageOf({ status }: PodObject): string | undefined {
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

/** Waits of the simulated kubelets, in ms. The defaults are a kubelet's, except for those that would only slow tests down. */
export interface KubeletTiming {
  /** Milliseconds between two renewals of a node's Lease. The controller manager marks a node unhealthy after 50 s without one. */
  readonly leaseMs: number;
  /** Milliseconds between two reports of an unchanged status. */
  readonly reportMs: number;
  /** Milliseconds from the plugin's registration to `status.allocatable`; a real kubelet takes up to 10 s (`nodeStatusUpdateFrequency`). */
  readonly statusLagMs: number;
  /** Milliseconds from a pod's binding to Running. */
  readonly startMs: number;
  /** Milliseconds from SIGTERM to a container's exit; the pod's grace period is the limit. */
  readonly stopMs: number;
  /** Milliseconds until a program that has exited is started again; a real kubelet takes 10 s and more. */
  readonly restartMs: number;
  /** Milliseconds between two rounds of GPU Feature Discovery (`sleepInterval`). */
  readonly gfdIntervalMs: number;
  /** Milliseconds from the start of GPU Feature Discovery to its first labels, including NFD's part. */
  readonly gfdStartMs: number;
  /** Milliseconds from the end of a DRA driver until the kubelet deletes its ResourceSlices, if it is not back by then. */
  readonly sliceWipeMs: number;
}

export const usualKubeletTiming: KubeletTiming = {
  leaseMs: 10_000,
  reportMs: 300_000,
  statusLagMs: 0,
  startMs: 0,
  stopMs: 50,
  restartMs: 500,
  gfdIntervalMs: 60_000,
  gfdStartMs: 0,
  sliceWipeMs: 30_000,
};

/** Seconds that a pod's containers take to exit after SIGTERM: for pods that terminate slowly. */
export const stopSecondsAnnotation = 'simulator.gpupartition.dev/stop-seconds';

interface PodSight {
  readonly client: KubeClient;
  readonly timing: KubeletTiming;
  /** Labels of the Node, as last seen. */
  readonly labels: Labels;
  /** The program that the pod stands for, if it is a real one. */
  readonly program: PodProgram | undefined;
  /** Whether the pod has been removed meanwhile. */
  readonly isGone: () => boolean;
}

/** Starts a pod that is bound to the machine, or terminates one that is deleted; level-triggered. */
export async function syncPod(
  host: Host,
  pod: PodObject,
  ref: ObjectRef,
  { client, timing, labels, program, isGone }: PodSight,
): Promise<ReconcileResult> {
  const { machine } = host;
  const phase = pod.status?.phase ?? 'Pending';
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  if (hasEnded) releasePod(host, pod);
  if (pod.metadata.deletionTimestamp !== undefined) {
    const waitMs = hasEnded || phase === 'Pending' ? 0 : machine.stopLeftMs(pod, stopMsOf(pod, timing));
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    machine.endProcesses(pod);
    // Claims are unprepared before the pod may go, and only their driver can do that.
    if (machine.isHeldByClaim(pod)) return { requeueAfterMs: timing.restartMs };
    releasePod(host, pod);
    await remove(client, pod, ref);
    return {};
  }
  if (hasEnded) return {};
  const isNew = phase === 'Pending';
  if (isNew && program?.isRunning === false) return {};
  const waitMs = isNew ? machine.startLeftMs(pod, timing.startMs) : 0;
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const asked = machine.knows(pod) ? noClaims : await prepareClaims(pod, machine, client);
  if (isGone()) return {};
  const claims = 'failure' in asked || !isNew ? asked : (machine.refuse(asked) ?? asked);
  if (isNew && 'failure' in claims) {
    if (waitingMessageOf(pod) !== claims.failure) {
      await patchStatus(client, pod, ref, describeWaiting(pod, claims.failure));
    }
    return { requeueAfterMs: timing.restartMs };
  }
  const prepared = 'failure' in claims ? noClaims : claims;
  const given = machine.refusalOf(pod) ?? (isNew ? machine.admit(pod, prepared) : machine.adopt(pod, prepared));
  const now = new Date().toISOString();
  if ('reason' in given) {
    await patchStatus(client, pod, ref, describeFailed(given, now));
    return {};
  }
  machine.openGpus(pod);
  const own = host.daemons.of(pod);
  const next = (await own?.daemon.step(labels)) ?? (program ? restartCrashed(program, pod, timing.restartMs) : {});
  const problem = own ? own.daemon.problem : program && problemOf(program, pod);
  const isKnown = own ? isShown(own) : !isNew && (program === undefined || isProgramShown(program, pod));
  // The life cycle of nodes takes the pods of a silent node for unready, and leaves it to the kubelet to correct that.
  if (!isKnown || (problem === undefined && isMarkedUnready(pod))) {
    await patchStatus(client, pod, ref, describeRunning(pod, given, { now, ip: machine.internalIp, problem }));
    if (own !== undefined) own.shown = { problem };
  }
  return next;
}

/** The pod's containers have ended, and all their effects with them. */
export function releasePod({ machine, daemons }: Host, pod: PodObject): void {
  machine.release(pod);
  daemons.stop(pod);
}

async function patchStatus(client: KubeClient, pod: PodObject, ref: ObjectRef, status: object): Promise<void> {
  // The uid is a precondition: a pod of the same name may have taken its place.
  const patch = { ...status, metadata: { uid: pod.metadata.uid } };
  try {
    await client.merge({ ...ref, subresource: 'status' }, patch, { metadataOnly: true });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Removes the object, only now: until its containers have ended a deleted pod stays Terminating. */
async function remove(client: KubeClient, pod: PodObject, ref: ObjectRef): Promise<void> {
  const { uid } = pod.metadata;
  try {
    await client.delete(ref, { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/** How long the containers take after SIGTERM: their own time, with SIGKILL at the deletion timestamp at the latest. */
function stopMsOf(pod: PodObject, timing: KubeletTiming): number {
  const { annotations, deletionTimestamp = '' } = pod.metadata;
  const seconds = annotations?.[stopSecondsAnnotation];
  const wishMs = seconds === undefined ? timing.stopMs : Number(seconds) * 1000;
  return Math.max(0, Math.min(wishMs, Date.parse(deletionTimestamp) - Date.now()));
}
