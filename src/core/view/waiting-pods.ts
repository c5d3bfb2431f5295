import type { ClusterFacts } from '../explain/cluster-facts.ts';
import { explainPod, type PodExplanation } from '../explain/explanation.ts';
import { requestsOf, type WorkloadPod } from '../explain/workload.ts';
import { answerHere } from '../supply/plan-here.ts';
import { foreseePod, type PodProspect } from '../supply/pod-prospect.ts';
import { hasEnded, podName } from '../pods/gpu-pods.ts';
import { isGpuResource } from '../pods/gpu-resource.ts';

/** Pods that wait alike, and why. */
export interface WaitingGroup extends Pick<PodExplanation, 'code' | 'message' | 'suggestions'> {
  /** What demands make of the first of them. */
  readonly demands: readonly PodProspect[];
  readonly count: number;
  /** The first of them, as NAMESPACE/NAME. */
  readonly pods: readonly string[];
  /** `1 nvidia.com/mig-3g.20gb` */
  readonly asks: string;
}

/** Undefined if the user may not list pods. */
export type WaitingPods = readonly WaitingGroup[] | undefined;

/** Explaining one looks at each node. */
const mostGroups = 30;
const mostPods = 10;

/** Whether a pod waits for a GPU, or a slice of one. */
export function waitsForGpu(pod: WorkloadPod): boolean {
  const isWaiting = pod.spec?.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);
  return isWaiting && requestsOf(pod, isGpuResource).size > 0;
}

/** Pods that wait for GPUs, and why; those that ask alike are explained once. */
export function explainWaiting(facts: ClusterFacts): WaitingPods {
  if (facts.pods === undefined) return undefined;
  const alike = Map.groupBy(facts.pods.filter(waitsForGpu), ({ metadata, spec, status }) => {
    const { nodeSelector, affinity, tolerations, schedulingGates, schedulerName, containers = [] } = spec ?? {};
    const asks = containers.map(({ resources }) => resources);
    const words = (status?.conditions ?? []).map(({ type, message }) => [type, message]);
    return JSON.stringify([
      metadata.namespace,
      asks,
      nodeSelector,
      affinity,
      tolerations,
      schedulingGates,
      schedulerName,
      words,
    ]);
  });
  return [...alike.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostGroups)
    .flatMap((pods): readonly WaitingGroup[] => {
      const [first] = pods;
      if (!first) return [];
      const { isPending, code, message, suggestions } = explainPod(first, facts);
      const asks = [...requestsOf(first, isGpuResource)].map(([resource, amount]) => `${amount} ${resource}`);
      const names = pods.map(podName).toSorted().slice(0, mostPods);
      const demands = isPending ? answerHere(foreseePod(first, facts)) : [];
      return [{ code, message, demands, suggestions, count: pods.length, pods: names, asks: asks.join(', ') }];
    });
}
