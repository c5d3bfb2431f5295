import type { GpuNodePartition, PolicySpec } from '../../../api/types.ts';
import { hasEnded } from '../../pods/gpu-pods.ts';
import { podName } from '../../pods/pod-name.ts';
import { listReportedHolders } from '../../pods/slice-holders.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { listUsers } from './gpu-users.ts';

/** The holders of what a plan destroys. */
export interface PlanHolders {
  /** Pods that have to go. */
  readonly affected: readonly NodePod[];
  /** Pods that use GPUs of which the agent does not know yet which; it is about to learn. */
  readonly unknown: readonly NodePod[];
}

/** Namespaces of pods that a plan may send away, as far as its agent knows them. */
export function listHolderNamespaces(
  { spec, status }: GpuNodePartition,
  drain: PolicySpec['drain'],
): readonly string[] {
  const { plan, gpus = [] } = status?.device ?? {};
  const isAll = drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const names = [...(plan?.affectedPods ?? []), ...(isAll ? listReportedHolders(gpus) : [])];
  const told = spec.drain?.pods.map(({ namespace }) => namespace) ?? [];
  return [...new Set([...names.flatMap((name) => name.split('/', 1)), ...told])];
}

export function findHolders(
  situation: Pick<Situation, 'node' | 'partition' | 'claim' | 'fresh'>,
  pods: readonly NodePod[],
): PlanHolders {
  const { partition, claim, fresh } = situation;
  const { plan } = partition.status?.device ?? {};
  const users = listUsers(situation, pods);
  const named = new Set(plan?.affectedPods);
  const { drain: told } = partition.spec;
  const ordered = new Set(told?.planHash === plan?.hash ? told?.pods.map(({ uid }) => uid) : []);
  // If not all of them could be named, any pod may be affected.
  const isAll = claim.winner?.spec.drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const isAffected = (pod: NodePod): boolean =>
    named.has(podName(pod)) || ordered.has(pod.metadata.uid ?? '') || (isAll && users.includes(pod));
  const affected = pods.filter((pod) => !hasEnded(pod) && isAffected(pod));
  const known = new Set(fresh?.holders);
  return { affected, unknown: users.filter((pod) => !affected.includes(pod) && !known.has(podName(pod))) };
}
