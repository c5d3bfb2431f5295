import { repartitioningTaint } from '../../../api/names.ts';
import type { Grant } from '../../../api/types.ts';
import { tolerates } from '../../pods/plugin-pods.ts';
import { resumeWait, waitFor, type Waits } from '../memory.ts';
import { isOwnTaint, isUnfinished, type NodeView } from '../node-view.ts';
import { isUnanswered } from '../observed-epoch.ts';
import { readRefreshMark, refreshedAnnotation, type RefreshMark } from '../refresh-mark.ts';
import { isRevocation } from '../revocation.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { refreshedPods } from './cluster-pods.ts';
import { listPodsToSignal } from './signal-plugin.ts';

/** As many as the API accepts in a grant. */
const mostRecorded = 8;

/** What is recorded of the pods that have to go after a change of the device. */
export interface PluginRecord {
  /** Absent until one of them goes. */
  readonly mark: RefreshMark | undefined;
  /** None has to be written down before it is evicted. */
  readonly isRecorded: boolean;
  readonly waits: Waits;
}

/** The pods of the plugin that are replaced after the change, for its grant; null if they are signalled, or there are none. */
export function recordPods(
  situation: Parameters<typeof listPodsToSignal>[0] & Pick<Situation, 'node'>,
  pods: readonly NodePod[],
): Grant['replacePods'] | null {
  if (listPodsToSignal(situation, pods) !== null) return null;
  const mark = markPods(situation.node, '', refreshedPods(situation, pods));
  if (mark.uids.length === 0 || mark.uids.length > mostRecorded) return null;
  return { uids: [...mark.uids], ...(mark.tolerates && { tolerate: true }) };
}

/** The record of these pods for an annotation of the Node. */
export function markPods(node: NodeView, change: string, pods: readonly NodePod[]): RefreshMark {
  // Also on a node that is open now: the record must hold when it is closed.
  const taints = [repartitioningTaint, ...(node.spec?.taints ?? []).filter(isOwnTaint)];
  return {
    change,
    uids: pods.flatMap(({ metadata }) => metadata.uid ?? []),
    tolerates: pods.every((pod) => taints.every((taint) => tolerates(pod, taint))),
    sawNothing: false,
  };
}

/**
 * What is recorded for this change: in an annotation, else in its grant. A pod that came between the grant and the end of the change
 * is in neither. So the grant's record counts once the pods on the node were all found in it after the change: any other comes later,
 * and has read the new devices.
 *
 * @param found the plugin's pods on the node now; undefined if they have not been listed
 */
export function recallRecord(
  situation: Situation,
  found: readonly NodePod[] | undefined,
  change: string,
): PluginRecord {
  const written = readRefreshMark(situation.node.metadata.annotations?.[refreshedAnnotation], change);
  if (written) return { mark: written, isRecorded: true, waits: {} };
  const granted = readGrant(situation, change);
  const isOld = ({ metadata }: NodePod): boolean => granted?.uids.includes(metadata.uid ?? '') === true;
  const replacing =
    granted && found?.every(isOld) === true
      ? waitFor(situation, 'Replacing', change)
      : resumeWait(situation, 'Replacing', change);
  if (granted === undefined || replacing === undefined) return { mark: undefined, isRecorded: false, waits: {} };
  const isIntact =
    found !== undefined &&
    found.length > 0 &&
    found.every((pod) => isOld(pod) && pod.metadata.deletionTimestamp === undefined);
  return { mark: isIntact ? undefined : granted, isRecorded: true, waits: replacing.waits };
}

function readGrant({ node, partition }: Situation, change: string): RefreshMark | undefined {
  const { granted } = partition.spec;
  const isDone = partition.status?.device?.error === undefined && !isUnanswered(partition);
  if (granted?.replacePods === undefined || isRevocation(granted) || !isDone || !isUnfinished(node)) return undefined;
  const { uids, tolerate = false } = granted.replacePods;
  return { change, uids, tolerates: tolerate, sawNothing: false };
}
