import { type ClusterFacts, listGpuNodes, offerOf, offersOf, useOf } from '../explain/cluster-facts.ts';
import { isUnbound, requestsOf } from '../explain/workload.ts';
import { isGpuResource } from '../pods/gpu-resource.ts';
import { compareText } from '../text/fingerprint.ts';
import type { PodView } from '../pods/pod-view.ts';

/** What is offered of a resource, and what pods request. Under strategy mixed each profile has a resource. */
export interface ResourceDemand {
  readonly resource: string;
  /** By all nodes together, in the last sample. */
  readonly offered: number;
  /** By pods that are on a node: the mean of the samples, and the maximum of one. */
  readonly held: number;
  readonly mostHeld: number;
  /** Requested by pods that have no node: the maximum of one sample. Undefined if pods may not be listed. */
  readonly mostWaiting: number | undefined;
}

interface Figures {
  readonly offered: number;
  readonly held: number;
  readonly waiting: number;
}

/** Pods that request GPUs and have no node yet. */
export function listWaiting(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(isUnbound);
}

/** @param samples the last is the newest */
export function countDemand(samples: readonly ClusterFacts[]): readonly ResourceDemand[] {
  const counted = samples.map(countSample);
  const names = [...new Set(counted.flatMap((figures) => [...figures.keys()]))].toSorted(compareText);
  return names.map((resource) => {
    const figures = counted.map((sample) => sample.get(resource));
    const held = figures.map((one) => one?.held ?? 0);
    const waiting = figures.map((one) => one?.waiting ?? 0);
    return {
      resource,
      offered: figures.at(-1)?.offered ?? 0,
      held: round(held.reduce((sum, one) => sum + one, 0) / held.length),
      mostHeld: Math.max(...held),
      mostWaiting: samples.every(({ pods }) => pods === undefined) ? undefined : Math.max(...waiting),
    };
  });
}

function countSample(facts: ClusterFacts): ReadonlyMap<string, Figures> {
  const nodes = listGpuNodes(facts);
  const waiting = new Map<string, number>();
  for (const pod of listWaiting(facts.pods ?? [])) {
    for (const [name, amount] of requestsOf(pod, isGpuResource)) waiting.set(name, (waiting.get(name) ?? 0) + amount);
  }
  const offered = nodes.flatMap((one) => Object.keys(offersOf(one)));
  const held = nodes.flatMap(({ pods = [] }) => pods.flatMap((pod) => [...requestsOf(pod, isGpuResource).keys()]));
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
  return new Map(
    [...new Set([...offered, ...held, ...waiting.keys()])].map((resource) => [
      resource,
      {
        offered: sum(nodes.map((node) => offerOf(node, resource))),
        held: sum(nodes.map((node) => useOf(node, resource).used)),
        waiting: waiting.get(resource) ?? 0,
      },
    ]),
  );
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
