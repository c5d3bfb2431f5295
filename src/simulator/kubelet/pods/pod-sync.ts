import { isConflict, isNotFound } from '../../../kube/api-error.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { ReconcileResult } from '../../../kube/queue.ts';
import type { ObjectRef } from '../../../kube/resource.ts';
import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import type { Host } from '../node/host.ts';
import type { PodObject } from '../node/kube-objects.ts';
import { isShown } from '../daemons/node-daemons.ts';
import { isProgramShown, problemOf, restartCrashed } from './pod-program.ts';
import type { PodProgram } from './pod-program.ts';
import { noClaims, prepareClaims } from './pod-claims.ts';
import { describeFailed, describeRunning, describeWaiting, isMarkedUnready, waitingMessageOf } from './pod-status.ts';
import { stopSecondsAnnotation } from '../timing.ts';
import type { KubeletTiming } from '../timing.ts';

interface PodSight {
  readonly client: KubeClient;
  readonly timing: KubeletTiming;
  /** Of the Node, as last seen. */
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
  const claims = machine.knows(pod) ? noClaims : await prepareClaims(pod, machine, client);
  if (isGone()) return {};
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

/** Only now is the object removed: until its containers have ended a deleted pod stays Terminating. */
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
