import { ownDevicesOf } from '../explain/allocated-claim.ts';
import { describeAsks } from '../explain/asks-text.ts';
import { allRequestsOf, claimRequestsOf } from '../explain/claim-request.ts';
import { type ClusterFacts, type GpuNode, isDra, listGpuNodes } from '../explain/cluster-facts.ts';
import { explainPod, type PodExplanation } from '../explain/explanation.ts';
import { listMeetingResources } from '../explain/request-verdict.ts';
import { isUnbound, requestsOf } from '../explain/workload.ts';
import { answerHere } from '../supply/plan-here.ts';
import { foreseePod, type PodProspect } from '../supply/pod-prospect.ts';
import { isGpuResource } from '../pods/gpu-resource.ts';
import { podName, type PodView } from '../pods/pod-view.ts';

/** Pods that wait alike, and why. */
export interface WaitingGroup extends Pick<PodExplanation, 'code' | 'message' | 'suggestions'> {
  /** What demands make of the first of them. */
  readonly demands: readonly PodProspect[];
  readonly count: number;
  /** The first of them, as NAMESPACE/NAME. */
  readonly pods: readonly string[];
  /** `1 nvidia.com/mig-3g.20gb`, `1 device of DeviceClass mig.nvidia.com by ResourceClaimTemplate small` */
  readonly asks: string;
}

/** Undefined if the user may not list pods. */
export type WaitingPods = readonly WaitingGroup[] | undefined;

/** Explaining one looks at each node. */
const mostGroups = 30;
const mostPods = 10;

/** Lists the pods that wait for a GPU, or a slice of one, by a resource or by a claim. */
export function listWaiting(facts: ClusterFacts): readonly PodView[] {
  const dra = listGpuNodes(facts).filter(isDra);
  return (facts.pods ?? []).filter(
    (pod) => isUnbound(pod) && (requestsOf(pod, isGpuResource).size > 0 || claimsGpu(pod, facts, dra)),
  );
}

/** A claim may be for a device of another driver: what no GPU could be is for none. */
function claimsGpu(pod: PodView, facts: ClusterFacts, dra: readonly GpuNode[]): boolean {
  const { asked, requests, allocated } = claimRequestsOf(pod, facts);
  return (
    [...asked.keys()].some(isGpuResource) ||
    allocated.some((claim) => ownDevicesOf(claim).length > 0) ||
    requests.some((request) => listMeetingResources(request, dra).length > 0)
  );
}

/** Pods that wait for GPUs, and why; those that ask alike are explained once. */
export function explainWaiting(facts: ClusterFacts): WaitingPods {
  if (facts.pods === undefined) return undefined;
  const alike = Map.groupBy(listWaiting(facts), ({ metadata, spec, status }) => {
    const {
      resourceClaims,
      nodeSelector,
      affinity,
      tolerations,
      schedulingGates,
      schedulerName,
      containers = [],
    } = spec ?? {};
    const asks = containers.map(({ resources }) => resources);
    const words = (status?.conditions ?? []).map(({ type, message }) => [type, message]);
    return JSON.stringify([
      metadata.namespace,
      asks,
      resourceClaims,
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
      const claims = claimRequestsOf(first, facts);
      const asks = describeAsks(allRequestsOf(first, claims, isGpuResource), claims);
      const names = pods.map(podName).toSorted().slice(0, mostPods);
      const demands = isPending ? answerHere(foreseePod(first, facts)) : [];
      return [{ code, message, demands, suggestions, count: pods.length, pods: names, asks }];
    });
}
