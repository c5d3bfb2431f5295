import { couldTake } from '../explain/could-take.ts';
import { isResourceOf } from '../explain/cluster-facts.ts';
import { requestsOf, type WorkloadPod } from '../explain/workload.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { podName } from '../pods/gpu-pods.ts';
import { isSlice, isWaiting } from '../supply/pod-demand.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import type { AdvicePool } from './pools.ts';

/** Pods that wait for GPUs which no pool has. */
export interface HomelessPods {
  readonly resource: string;
  /** `NAMESPACE/NAME` */
  readonly pods: readonly string[];
}

export interface PlacedPods {
  readonly waitingOf: ReadonlyMap<AdvicePool, readonly WorkloadPod[]>;
  readonly homeless: readonly HomelessPods[];
}

/** Gives each waiting pod to the first pool that could run it: one pod gets one node only. */
export function placePods(pools: readonly AdvicePool[], pods: readonly WorkloadPod[]): PlacedPods {
  const waitingOf = new Map<AdvicePool, WorkloadPod[]>(pools.map((pool) => [pool, []]));
  const homeless = new Map<string, string[]>();
  const geometries = new Map(pools.map((pool) => [pool, geometriesOf(pool)]));
  for (const pod of pods) {
    if (!isWaiting(pod)) continue;
    const asked = [...requestsOf(pod, isAsked).keys()];
    if (asked.length === 0) continue;
    const home = pools.find(
      (pool) =>
        asked.every((resource) => couldOffer(pool, geometries.get(pool) ?? [], resource)) &&
        pool.nodes.some(({ node }) => couldTake(node, pod)),
    );
    if (home !== undefined) waitingOf.get(home)?.push(pod);
    else for (const resource of asked) homeless.set(resource, [...(homeless.get(resource) ?? []), podName(pod)]);
  }
  return { waitingOf, homeless: [...homeless].map(([resource, names]) => ({ resource, pods: names })) };
}

/** Slices that are not shared, and whole GPUs. */
export function isAsked(resource: string): boolean {
  return resource === GPU_RESOURCE || isSlice(resource);
}

/** Whether some layout of the pool's GPUs would offer a resource. */
function couldOffer({ policy }: AdvicePool, geometries: readonly Geometry[], resource: string): boolean {
  if (resource === GPU_RESOURCE) return true;
  const isMixed = (policy?.spec.strategy ?? 'mixed') === 'mixed';
  return isMixed && geometries.some(({ profiles }) => profiles.some(({ name }) => isResourceOf(resource, name)));
}

/** Of the GPUs that agents have reported. */
export function geometriesOf({ nodes }: Pick<AdvicePool, 'nodes'>): readonly Geometry[] {
  const found = nodes.flatMap(({ partition }) => {
    const device = partition?.status?.device ?? {};
    return (device.gpus ?? []).flatMap((gpu) => liveGeometry(device, gpu) ?? []);
  });
  return [...new Set(found)];
}

/** What pods request together, by resource. */
export function sumRequests(pods: readonly WorkloadPod[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const pod of pods)
    for (const [resource, amount] of requestsOf(pod, isAsked)) sums.set(resource, (sums.get(resource) ?? 0) + amount);
  return sums;
}
