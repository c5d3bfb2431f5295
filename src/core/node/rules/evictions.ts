import { ownerOf } from '../../pods/eviction.ts';
import type { Command } from '../commands.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** An eviction that was refused, or that has not made the pod go, is asked for again after so many ms. */
const askAgainMs = 5000;

/** Evicts pods that nobody has told to end: each is asked for once, and again after a while. */
export function evictPods(
  situation: Situation,
  pods: readonly NodePod[],
  graceSeconds?: number,
): readonly Extract<Command, { readonly name: 'EvictPod' }>[] {
  const { memory, now } = situation;
  return pods.flatMap((pod) => {
    const { name, namespace = 'default', uid, deletionTimestamp } = pod.metadata;
    const asked = uid === undefined ? undefined : memory.evictions[uid];
    const isDue = asked === undefined || now - asked.at >= askAgainMs;
    if (uid === undefined || deletionTimestamp !== undefined || !isDue) return [];
    const owner = ownerOf(pod)?.uid;
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

/** 1 for a pod that was there from the start, 2 for one that its owner made in the place of an evicted one, and so on. */
export function roundOf({ memory, pods = [] }: Situation, pod: NodePod): number {
  const asked = memory.evictions[pod.metadata.uid ?? ''];
  if (asked?.round !== undefined) return asked.round;
  const owner = ownerOf(pod)?.uid;
  if (owner === undefined) return 1;
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  const gone = Object.entries(memory.evictions).filter(([uid, one]) => one.owner === owner && !here.has(uid));
  return 1 + Math.max(0, ...gone.map(([, { round = 1 }]) => round));
}

/** What the API server said to those that it refused to evict. */
export function listRefusals({ memory }: Situation, pods: readonly NodePod[]): readonly string[] {
  return pods.flatMap(({ metadata }) => memory.evictions[metadata.uid ?? '']?.refusal ?? []);
}
