import { repartitioningTaint } from '../../../api/names.ts';
import type { NodeChange } from '../../metadata/node-change.ts';
import { driverDeployLabel, pausedForMigChange, pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { backendOf } from '../backend.ts';
import type { Command } from '../commands.ts';
import { isOwnTaint, type NodeView } from '../node-view.ts';
import { formatRefreshMark, readRefreshMark, refreshedAnnotation } from '../refresh-mark.ts';
import type { Situation } from '../outcome.ts';
import { keyOf } from './fence-situation.ts';
import { type PodView, tolerates } from '../../pods/pod-view.ts';

/** Records the plugin's pods that are about to be evicted: a successor evicts these and no others. */
export function recordReplaced(node: NodeView, change: string, pods: readonly PodView[]): Command {
  // Also on a node that is open now: the record must hold when it is closed.
  const taints = [repartitioningTaint, ...(node.spec?.taints ?? []).filter(isOwnTaint)];
  const mark = {
    change,
    uids: pods.flatMap(({ metadata }) => metadata.uid ?? []),
    tolerates: pods.every((pod) => taints.every((taint) => tolerates(pod.spec?.tolerations, taint))),
    sawNothing: false,
  };
  return { name: 'PatchNode', change: { annotations: { [refreshedAnnotation]: formatRefreshMark(mark) } } };
}

/** A plugin that was absent while the devices changed, and comes back to their current state, need not be replaced again. */
export function noteFreshPlugin(situation: Situation): NodeChange {
  const { annotations, labels } = situation.node.metadata;
  const change = keyOf(situation);
  const label = backendOf(situation) === 'DRA' ? driverDeployLabel : pluginDeployLabel;
  const isAway = labels?.[label] === pausedForMigChange;
  if (!isAway || readRefreshMark(annotations?.[refreshedAnnotation], change)) return {};
  return {
    annotations: {
      [refreshedAnnotation]: formatRefreshMark({ change, uids: [], tolerates: false, sawNothing: false }),
    },
  };
}
