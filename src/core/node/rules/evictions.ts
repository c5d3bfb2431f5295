import { ownerOf } from '../../pods/eviction.ts';
import type { PodCause } from '../../pods/pod-causes.ts';
import type { Command } from '../commands.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** An eviction that was refused, or after which the pod is still there, is repeated after this many ms. */
const askAgainMs = 5000;

/** Evicts pods that are not terminating yet: each once, and again after a while. */
export function evictPods(
  situation: Situation,
  pods: readonly NodePod[],
  graceOf: (pod: NodePod) => number | undefined = () => undefined,
): readonly Extract<Command, { readonly name: 'EvictPod' }>[] {
  return pods.flatMap((pod) => {
    const { name, namespace = 'default', uid } = pod.metadata;
    if (uid === undefined || !mayAsk(situation, pod)) return [];
    const owner = ownerOf(pod)?.uid;
    const graceSeconds = graceOf(pod);
    return [
      {
        name: 'EvictPod',
        pod: { namespace, name, uid },
        round: roundOf(situation, pod),
        ...(owner !== undefined && { owner }),
        ...(graceSeconds !== undefined && { graceSeconds }),
      },
    ];
  });
}

/** Whether a pod is not terminating yet, and was not asked to a moment ago. */
export function mayAsk({ memory, now }: Situation, { metadata }: NodePod): boolean {
  const asked = memory.evictions[metadata.uid ?? ''];
  return metadata.deletionTimestamp === undefined && (asked === undefined || now - asked.at >= askAgainMs);
}

/** 1 for a pod that was there from the start, 2 for the replacement of an evicted one, and so on. */
export function roundOf({ memory, pods = [] }: Situation, pod: NodePod): number {
  const asked = memory.evictions[pod.metadata.uid ?? ''];
  if (asked?.round !== undefined) return asked.round;
  const owner = ownerOf(pod)?.uid;
  if (owner === undefined) return 1;
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  const gone = Object.entries(memory.evictions).filter(([uid, one]) => one.owner === owner && !here.has(uid));
  return 1 + Math.max(0, ...gone.map(([, { round = 1 }]) => round));
}

/** The API server's messages for the evictions that it refused. */
export function listRefusals({ memory }: Situation, pods: readonly NodePod[]): readonly PodCause[] {
  return pods.flatMap((pod) => {
    const why = memory.evictions[pod.metadata.uid ?? '']?.refusal;
    return why === undefined ? [] : [{ pod, why }];
  });
}
