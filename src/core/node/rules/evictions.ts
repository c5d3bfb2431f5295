import type { Command } from '../commands.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** An eviction that was refused, or that has not made the pod go, is asked for again after so many ms. */
const askAgainMs = 5000;

/** Evicts pods that nobody has told to end: each is asked for once, and again after a while. */
export function evictPods({ memory, now }: Situation, pods: readonly NodePod[]): readonly Command[] {
  return pods.flatMap(({ metadata }): readonly Command[] => {
    const { name, namespace = 'default', uid, deletionTimestamp } = metadata;
    const asked = uid === undefined ? undefined : memory.evictions[uid];
    const isDue = asked === undefined || now - asked.at >= askAgainMs;
    if (uid === undefined || deletionTimestamp !== undefined || !isDue) return [];
    return [{ name: 'EvictPod', pod: { namespace, name, uid } }];
  });
}

/** What the API server said to those that it refused to evict. */
export function listRefusals({ memory }: Situation, pods: readonly NodePod[]): readonly string[] {
  return pods.flatMap(({ metadata }) => memory.evictions[metadata.uid ?? '']?.refusal ?? []);
}
