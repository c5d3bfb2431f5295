import type { ClusterFacts } from '../explain/cluster-facts.ts';
import { requestsOf } from '../explain/workload.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { asScheduled } from '../policy/schedules.ts';
import { isSlice, listWaiters } from '../supply/pod-demand.ts';
import { actsOf, type PodPool, PoolReader } from '../supply/pod-pool.ts';
import { alikeKey, shareWaiting } from '../supply/waiting-share.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import type { AdvicePool } from './pools.ts';
import { podName, type PodView } from '../pods/pod-view.ts';

/** Pods that wait for GPUs which no pool has. */
export interface HomelessPods {
  readonly resource: string;
  /** `NAMESPACE/NAME` */
  readonly pods: readonly string[];
}

export interface PlacedPods {
  /** By pool, what pods request that wait for it, by resource. */
  readonly waitingOf: ReadonlyMap<AdvicePool, ReadonlyMap<string, number>>;
  readonly homeless: readonly HomelessPods[];
}

/** Shares waiting pods among pools as the controller does. Those that it counts for none go to a pool that could have such a demand. */
export function placePods(
  pools: readonly AdvicePool[],
  { pods = [], namespaces, now }: Pick<ClusterFacts, 'pods' | 'namespaces' | 'now'>,
): PlacedPods {
  const waiters = listWaiters(pods, namespaces);
  const asPools = pools.map((pool, index) => toPodPool(pool, index, now));
  const shares = shareWaiting(waiters, asPools);
  const waitingOf = new Map(
    pools.map((pool, index) => [pool, shares.get(asPools[index]?.policy ?? '') ?? new Map<string, number>()]),
  );
  const homeless = new Map<string, string[]>();
  // What GPUs could offer does not depend on whose pods count.
  const ofAll = asPools.map((pool) => ({ ...pool, namespaceSelector: undefined }));
  for (const [, alike] of Map.groupBy(waiters, alikeKey)) {
    const [first] = alike;
    if (first === undefined || [...shareWaiting([first], ofAll).values()].some(({ size }) => size > 0)) continue;
    for (const resource of first.requests.keys())
      homeless.set(resource, [...(homeless.get(resource) ?? []), ...alike.map(({ pod }) => podName(pod))]);
  }
  return { waitingOf, homeless: [...homeless].map(([resource, names]) => ({ resource, pods: names })) };
}

function toPodPool({ name, policy, nodes }: AdvicePool, index: number, now: number | undefined): PodPool {
  const scheduled = policy && asScheduled(policy);
  const reader = new PoolReader(scheduled ?? { spec: { strategy: 'mixed', nodeSelector: {} } });
  const strategy = scheduled?.spec.strategy ?? 'mixed';
  const read = nodes.map((one) => {
    const found = reader.read(one.node, one.partition);
    const profiles =
      strategy === 'mixed' ? geometriesOf({ nodes: [one] }).flatMap((geometry) => geometry.profiles) : [];
    const possible = profiles.map((profile) => migResourceName(labelProfile(profile.name)));
    // The controller counts for policies only.
    const known = policy ? found : { ...found, idle: noSlices, follows: new Set<string>(), fixed: new Set<string>() };
    return { ...known, possible: new Set([...possible, GPU_RESOURCE]) };
  });
  // Pools without a policy may bear the name of one.
  const acts = scheduled ? actsOf(scheduled, now) : 'Never';
  return reader.pool(`${name} ${index}`, read, acts, scheduled?.status?.demand);
}

const noSlices: ReadonlyMap<string, number> = new Map();

/** Of the GPUs that agents have reported. */
export function geometriesOf({ nodes }: Pick<AdvicePool, 'nodes'>): readonly Geometry[] {
  const found = nodes.flatMap(({ partition }) => {
    const device = partition?.status?.device ?? {};
    return (device.gpus ?? []).flatMap((gpu) => liveGeometry(device, gpu) ?? []);
  });
  return [...new Set(found)];
}

/** What pods request together, by resource. */
export function sumRequests(pods: readonly PodView[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const pod of pods)
    for (const [resource, amount] of requestsOf(pod, isSlice)) sums.set(resource, (sums.get(resource) ?? 0) + amount);
  return sums;
}
