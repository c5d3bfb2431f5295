import { WHOLE } from '../demand/pool.ts';
import { couldTake } from '../explain/could-take.ts';
import { isResourceOf } from '../explain/cluster-facts.ts';
import { requestsOf, type WorkloadPod } from '../explain/workload.ts';
import type { NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';

/** Whether a resource is a slice that is not shared, the whole GPU included. */
export function isSlice(resource: string): boolean {
  return resource === GPU_RESOURCE || (/^nvidia\.com\/mig-[^/]+$/.test(resource) && !resource.endsWith('.shared'));
}

/** Pods that wait for a node, and not for leave to be scheduled. */
function isWaiting({ metadata, spec }: WorkloadPod): boolean {
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  return spec?.nodeName === undefined && metadata.deletionTimestamp === undefined && !isGated;
}

/**
 * The slices that waiting pods request, by resource. A pod that several pools could take counts for the first of them: it gets one
 * node only.
 *
 * @param pool the nodes of the demand
 * @param before the nodes of pools that go before it
 */
export function countWaiting(
  pods: readonly WorkloadPod[],
  pool: readonly NodeView[],
  before: readonly NodeView[],
): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>();
  for (const pod of pods) {
    const requests = requestsOf(pod, isSlice);
    if (requests.size === 0 || !isWaiting(pod) || before.some((node) => couldTake(node, pod))) continue;
    if (!pool.some((node) => couldTake(node, pod))) continue;
    for (const [name, amount] of requests) waiting.set(name, (waiting.get(name) ?? 0) + amount);
  }
  return waiting;
}

/** How many slices of a profile, or whole GPUs, are waited for. */
export function waitingFor(waiting: ReadonlyMap<string, number>, profile: string): number {
  return [...waiting].reduce((sum, [resource, count]) => sum + (isOfProfile(resource, profile) ? count : 0), 0);
}

function isOfProfile(resource: string, profile: string): boolean {
  return profile === WHOLE ? resource === GPU_RESOURCE : isResourceOf(resource, profile);
}
