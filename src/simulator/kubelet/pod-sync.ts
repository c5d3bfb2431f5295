import { isConflict, isNotFound } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import type { ObjectRef } from '../../kube/resource.ts';
import { isAdmissionFailure } from './allocation.ts';
import type { PodObject } from './kube-objects.ts';
import type { Machine } from './machine.ts';
import { describeFailed, describeRunning } from './pod-status.ts';
import { stopSecondsAnnotation } from './timing.ts';
import type { KubeletTiming } from './timing.ts';

interface PodSight {
  readonly client: KubeClient;
  readonly timing: KubeletTiming;
}

/** Starts a pod that is bound to the machine, or ends one that is deleted; level-triggered. */
export async function syncPod(
  machine: Machine,
  pod: PodObject,
  ref: ObjectRef,
  { client, timing }: PodSight,
): Promise<ReconcileResult> {
  const phase = pod.status?.phase ?? 'Pending';
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  if (hasEnded) machine.release(pod);
  if (pod.metadata.deletionTimestamp !== undefined) {
    const waitMs = hasEnded || phase === 'Pending' ? 0 : machine.stopLeftMs(pod, stopMsOf(pod, timing));
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    machine.release(pod);
    await remove(client, pod, ref);
    return {};
  }
  if (hasEnded) return {};
  if (phase !== 'Pending') {
    machine.adopt(pod);
    return {};
  }
  const waitMs = machine.startLeftMs(pod, timing.startMs);
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const now = new Date().toISOString();
  const given = machine.admit(pod);
  const status = isAdmissionFailure(given)
    ? describeFailed(given, now)
    : describeRunning(pod, given, { now, ip: machine.internalIp });
  await patchStatus(client, pod, ref, status);
  return {};
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

/** The object goes only now: until its containers have ended a deleted pod stays as Terminating. */
async function remove(client: KubeClient, pod: PodObject, ref: ObjectRef): Promise<void> {
  const { uid } = pod.metadata;
  try {
    await client.delete(ref, { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/** How long the containers take after SIGTERM: what they say, and SIGKILL at the deletion timestamp at the latest. */
function stopMsOf(pod: PodObject, timing: KubeletTiming): number {
  const { annotations, deletionTimestamp = '' } = pod.metadata;
  const seconds = annotations?.[stopSecondsAnnotation];
  const wishMs = seconds === undefined ? timing.stopMs : Number(seconds) * 1000;
  return Math.max(0, Math.min(wishMs, Date.parse(deletionTimestamp) - Date.now()));
}
