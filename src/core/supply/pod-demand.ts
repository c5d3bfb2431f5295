import { couldTake } from '../explain/could-take.ts';
import { isResourceOf } from '../explain/cluster-facts.ts';
import { requestsOf, type WorkloadPod } from '../explain/workload.ts';
import type { NodeView } from '../node/node-view.ts';

/** Whether a resource is a slice that is not shared. */
export function isSlice(resource: string): boolean {
  return /^nvidia\.com\/mig-[^/]+$/.test(resource) && !resource.endsWith('.shared');
}

/** Pods that wait for a node, and not for leave to be scheduled. */
function isWaiting({ metadata, spec }: WorkloadPod): boolean {
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  return spec?.nodeName === undefined && metadata.deletionTimestamp === undefined && !isGated;
}

/** A pool that may serve a pod before the pool in question. */
export interface EarlierPool {
  readonly nodes: readonly NodeView[];
  readonly follows: (resource: string) => boolean;
}

/**
 * The slices that waiting pods request, by resource. What a pool before this one follows, and could take, counts there.
 *
 * @param pool the nodes of the demand
 */
export function countWaiting(
  pods: readonly WorkloadPod[],
  pool: readonly NodeView[],
  before: readonly EarlierPool[],
): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>();
  for (const pod of pods) {
    const requests = requestsOf(pod, isSlice);
    if (requests.size === 0 || !isWaiting(pod) || !pool.some((node) => couldTake(node, pod))) continue;
    for (const [name, amount] of requests) {
      const isTaken = before.some(({ nodes, follows }) => follows(name) && nodes.some((node) => couldTake(node, pod)));
      if (!isTaken) waiting.set(name, (waiting.get(name) ?? 0) + amount);
    }
  }
  return waiting;
}

/** How many slices of a profile are waited for. */
export function waitingFor(waiting: ReadonlyMap<string, number>, profile: string): number {
  return [...waiting].reduce((sum, [resource, count]) => sum + (isResourceOf(resource, profile) ? count : 0), 0);
}
