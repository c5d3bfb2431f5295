import type { GpuNodePartition, PolicySpec } from '../../../api/types.ts';
import { usesGpu } from '../../pods/gpu-pods.ts';
import { listLosers } from '../../pods/lost-devices.ts';
import { isSurelyRead, listReportedPods } from '../../pods/reported-pods.ts';
import type { Situation } from '../outcome.ts';
import { listUsers } from './cluster-pods.ts';
import { listMonitors } from './monitors.ts';
import { hasEnded, podName, type PodView } from '../../pods/pod-view.ts';

/** The holders of what a plan destroys, or of what is destroyed already: such a pod cannot work. */
export interface PlanHolders {
  /** Pods that have to go. */
  readonly affected: readonly PodView[];
  /** Pods that bear the name of one that has to go, and may have come since it was read. Before a node is closed they count as that one. */
  readonly namesakes: readonly PodView[];
  /** Pods that use GPUs of which the agent does not know yet which; it is about to learn. */
  readonly unknown: readonly PodView[];
}

/** Namespaces of pods that a plan may send away, as far as its agent knows them. */
export function listHolderNamespaces(
  { spec, status }: GpuNodePartition,
  drain: PolicySpec['drain'],
): readonly string[] {
  const { plan } = status?.device ?? {};
  const isAll = drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const names = [
    ...(plan?.affectedPods ?? []),
    ...listLosers(status?.device),
    ...(isAll ? listReportedPods(status?.device).holders : []),
  ];
  const announced = spec.drain?.pods.map(({ namespace }) => namespace) ?? [];
  return [...new Set([...names.flatMap((name) => name.split('/', 1)), ...announced])];
}

/** A pod is told by its uid, where the controller has told it to go, else by its name in a reading that is later than the pod. */
export function findHolders(
  situation: Pick<Situation, 'node' | 'partition' | 'claim' | 'fresh'>,
  pods: readonly PodView[],
): PlanHolders {
  const { partition, claim, fresh } = situation;
  const { device } = partition.status ?? {};
  const { plan } = device ?? {};
  const users = new Set(listUsers(situation, pods));
  const { drain: announced } = partition.spec;
  const isDraining = announced !== undefined && announced.planHash === plan?.hash;
  const ordered = new Set(isDraining ? announced.pods.map(({ uid }) => uid) : []);
  const planned = new Set(plan?.affectedPods);
  const losers = new Set(listLosers(device));
  const [known, going] = [new Set(fresh?.holders), new Set(fresh?.going)];
  // During a drain the plan keeps naming pods that have gone: the reading shows whether another one of the name is in the way.
  const monitors = new Set(listMonitors(situation, pods));
  const isNamed = (pod: PodView): boolean => {
    if (monitors.has(pod)) return false;
    const name = podName(pod);
    // Its resource may be gone from the node, as its device is; no pod that the kubelet has refused is reported.
    if (losers.has(name)) return usesGpu(pod, { offered: device?.advertised?.resources, mayClaim: false });
    return planned.has(name) && (!isDraining || going.has(name));
  };
  // If not all of them could be named, any pod may be affected.
  const isAll = claim.winner?.spec.drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const judge = (pod: PodView): keyof PlanHolders | undefined => {
    // The policy may spare pods that it has told to go.
    const isOrdered = ordered.has(pod.metadata.uid ?? '') && (isAll || planned.has(podName(pod)));
    if (isOrdered || (isAll && users.has(pod))) return 'affected';
    if (isNamed(pod)) return isSurelyRead(pod, device) ? 'affected' : 'namesakes';
    return users.has(pod) && !(known.has(podName(pod)) && isSurelyRead(pod, device)) ? 'unknown' : undefined;
  };
  const judged = Map.groupBy(
    pods.filter((pod) => !hasEnded(pod)),
    judge,
  );
  const listOf = (kind: keyof PlanHolders): readonly PodView[] => judged.get(kind) ?? [];
  return { affected: listOf('affected'), namesakes: listOf('namesakes'), unknown: listOf('unknown') };
}

/** Those who have to go, by all that is known before the node is closed. */
export function presumeAffected(...asked: Parameters<typeof findHolders>): readonly PodView[] {
  const { affected, namesakes } = findHolders(...asked);
  return [...affected, ...namesakes];
}
