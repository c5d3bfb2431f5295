import { listGpuClaims, listMonitorClaims } from '../../dra/resource-claim.ts';
import { evictablePods } from '../../pods/holder-pods.ts';
import type { Situation } from '../outcome.ts';
import { hasEnded, type PodView } from '../../pods/pod-view.ts';

/** Pods that look on by claims of a node, and use none of its GPUs; none where claims have not been listed. */
export function listMonitors(
  { node, fresh }: Pick<Situation, 'node' | 'fresh'>,
  pods: readonly PodView[],
): readonly PodView[] {
  const { claims = [] } = fresh ?? {};
  const listUids = (list: typeof listGpuClaims): ReadonlySet<string> =>
    new Set(list(claims, node.metadata.name).flatMap(({ users }) => users.map(({ uid }) => uid)));
  const [watching, using] = [listUids(listMonitorClaims), listUids(listGpuClaims)];
  return pods.filter((pod) => {
    const { uid = '' } = pod.metadata;
    return watching.has(uid) && !using.has(uid) && !hasEnded(pod);
  });
}

/**
 * Those that are restarted like other holders of the GPUs: a DaemonSet's, which makes another one. A claim takes admin access only in a
 * namespace that an administrator has labelled for it.
 */
export function listMonitorDaemons(...asked: Parameters<typeof listMonitors>): readonly PodView[] {
  return evictablePods(listMonitors(...asked));
}
