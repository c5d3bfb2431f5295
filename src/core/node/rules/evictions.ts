import { definedOnly } from '../../text/defined-fields.ts';
import { ownerOf } from '../../pods/eviction.ts';
import type { Command } from '../commands.ts';
import type { Situation } from '../outcome.ts';
import { durationMs } from '../../text/duration.ts';
import type { PodCause, PodView } from '../../pods/pod-view.ts';

/** An eviction that was refused, or after which the pod is still there, is repeated after this many ms. */
const askAgainMs = 5000;

/** Evicts pods that are not terminating yet: each once, and again after a while. */
export function evictPods(
  situation: Situation,
  pods: readonly PodView[],
  graceOf: (pod: PodView) => number | undefined = () => undefined,
): readonly Extract<Command, { readonly name: 'EvictPod' }>[] {
  return pods.flatMap((pod) => {
    const { name, namespace = 'default', uid } = pod.metadata;
    if (uid === undefined || !mayAsk(situation, pod)) return [];
    const owner = ownerOf(pod)?.uid;
    const graceSeconds = graceOf(pod);
    const whose = definedOnly({ owner, graceSeconds });
    return [{ name: 'EvictPod', pod: { namespace, name, uid }, round: roundOf(situation, pod), ...whose }];
  });
}

/** Whether a pod is not terminating yet, and was not asked to a moment ago. */
export function mayAsk({ memory, now }: Situation, { metadata }: PodView): boolean {
  const asked = memory.evictions[metadata.uid ?? ''];
  return metadata.deletionTimestamp === undefined && (asked === undefined || now - asked.at >= askAgainMs);
}

/** Whether the API server has refused a pod's eviction within the last so many ms. */
export function wasRefused({ memory, now }: Situation, { metadata }: PodView, withinMs: number): boolean {
  const asked = memory.evictions[metadata.uid ?? ''];
  return asked?.refusal !== undefined && now - asked.at < withinMs;
}

/** 1 for a pod that was there from the start, 2 for the replacement of an evicted one, and so on. */
export function roundOf({ memory, pods = [] }: Situation, pod: PodView): number {
  const asked = memory.evictions[pod.metadata.uid ?? ''];
  if (asked?.round !== undefined) return asked.round;
  const owner = ownerOf(pod)?.uid;
  if (owner === undefined) return 1;
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  const gone = Object.entries(memory.evictions).filter(([uid, one]) => one.owner === owner && !here.has(uid));
  return 1 + Math.max(0, ...gone.map(([, { round = 1 }]) => round));
}

/** After this many pods of one owner have come back to the node from which they were evicted, no more of them are. */
const mostReturns = 3;

/** Pods that are recreated here each time they are evicted. */
export function findReturning(situation: Situation, pods: readonly PodView[]): readonly PodView[] {
  return pods.filter((pod) => roundOf(situation, pod) > mostReturns);
}

/** The API server's messages for the evictions that it refused. */
export function listRefusals({ memory }: Situation, pods: readonly PodView[]): readonly PodCause[] {
  return pods.flatMap((pod) => {
    const why = memory.evictions[pod.metadata.uid ?? '']?.refusal;
    return why === undefined ? [] : [{ pod, why }];
  });
}

/** Kubernetes' default. */
const usualGraceSeconds = 30;
const longestGraceMs = 3600_000;
/** For the kubelet to kill the containers, and to say so. */
const afterGraceMs = 30_000;

/** Undefined: the pod's own. Never 0: that would bypass the kubelet, and a container may outlive its pod. */
export function graceOf({ claim }: Situation, { spec }: PodView): number | undefined {
  const { gracePeriod } = claim.winner?.spec.drain ?? {};
  if (gracePeriod === undefined) return spec?.terminationGracePeriodSeconds === 0 ? 1 : undefined;
  return Math.max(1, Math.round(durationMs(gracePeriod) / 1000));
}

/** How long pods that were deleted may take to end. Pods choose their own grace periods, and must not block others for days. */
export function terminationMs(situation: Situation, pods: readonly PodView[]): number {
  const graces = pods.map(
    (pod) => graceOf(situation, pod) ?? pod.spec?.terminationGracePeriodSeconds ?? usualGraceSeconds,
  );
  return Math.min(longestGraceMs, Math.max(...graces) * 1000) + afterGraceMs;
}
