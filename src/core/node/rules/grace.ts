import { durationMs } from '../../text/duration.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** Kubernetes' default. */
const usualGraceSeconds = 30;
const longestGraceMs = 3600_000;
/** For the kubelet to kill the containers, and to say so. */
const afterGraceMs = 30_000;

/** Undefined: the pod's own. Never 0: that would bypass the kubelet, and a container may outlive its pod. */
export function graceOf({ claim }: Situation, { spec }: NodePod): number | undefined {
  const { gracePeriod } = claim.winner?.spec.drain ?? {};
  if (gracePeriod === undefined) return spec?.terminationGracePeriodSeconds === 0 ? 1 : undefined;
  return Math.max(1, Math.round(durationMs(gracePeriod) / 1000));
}

/** How long pods that were deleted may take to end. Pods choose their own grace periods, and must not block others for days. */
export function terminationMs(situation: Situation, pods: readonly NodePod[]): number {
  const graces = pods.map(
    (pod) => graceOf(situation, pod) ?? pod.spec?.terminationGracePeriodSeconds ?? usualGraceSeconds,
  );
  return Math.min(longestGraceMs, Math.max(0, ...graces) * 1000) + afterGraceMs;
}
