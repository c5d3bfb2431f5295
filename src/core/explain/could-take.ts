import { group } from '../../api/names.ts';
import type { NodeView } from '../node/node-view.ts';
import { listMismatches } from './node-match.ts';
import { tolerates } from './workload.ts';
import type { PodView } from '../pods/pod-view.ts';

/** Whether a node would accept a pod if it had the slices that the pod requests. */
export function couldTake({ metadata, spec: node }: NodeView, { spec }: PodView): boolean {
  const { name, labels = {} } = metadata;
  const isForeign = (key: string): boolean => !key.startsWith(`${group}/`);
  const taints = (node?.taints ?? []).filter(({ key, effect }) => effect !== 'PreferNoSchedule' && isForeign(key));
  return (
    taints.every((taint) => tolerates(spec?.tolerations ?? [], taint)) &&
    // A different layout would have different layout labels.
    listMismatches(spec, name, labels).every(({ key }) => key.startsWith('nvidia.com/'))
  );
}

/** Equal for pods that require the same of a node. */
export function requirementsKey({ spec }: PodView): string {
  const { nodeSelector, affinity, tolerations } = spec ?? {};
  return JSON.stringify([nodeSelector, affinity, tolerations]);
}

/** Whether any of some nodes would accept a pod. Pods that require the same of a node are judged once: many may wait. */
export function takersAmong(nodes: readonly NodeView[]): (pod: PodView) => boolean {
  const known = new Map<string, boolean>();
  return (pod) => {
    const key = requirementsKey(pod);
    const isTaken = known.get(key) ?? nodes.some((node) => couldTake(node, pod));
    known.set(key, isTaken);
    return isTaken;
  };
}
