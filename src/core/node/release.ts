import type { GpuNodePartition, Grant } from '../../api/types.ts';
import { type JsonPatchOperation, patchNode } from '../metadata/node-patch.ts';
import { releaseNode } from './node-marks.ts';
import { isUnanswered } from './observed-epoch.ts';
import { timeText } from '../text/time.ts';
import { isClosed, metadataOf, type NodeView } from './node-view.ts';

/** What becomes of a node that no controller manages any more. */
export type NodeRelease =
  /** It has no marks of ours. */
  | { readonly state: 'Clean' }
  /** Its agent may be changing the GPUs until then: it stays closed. */
  | { readonly state: 'Busy'; readonly until: string }
  | {
      readonly state: 'Marked';
      readonly patch: readonly JsonPatchOperation[];
      /** It was closed for a change that was never finished: what it offers may be outdated. */
      readonly wasClosed: boolean;
    };

/**
 * What must be removed from a node when the operator is uninstalled: our taint and labels, and what was borrowed. Layouts and the
 * labels that describe them stay.
 */
export function planRelease(node: NodeView, partition: GpuNodePartition | undefined, now: number): NodeRelease {
  const patch = patchNode(metadataOf(node), releaseNode());
  if (patch.length === 0) return { state: 'Clean' };
  const { granted, nodeUID } = partition?.spec ?? {};
  const isOurs = partition !== undefined && nodeUID === node.metadata.uid;
  const end = isOurs && granted !== undefined && isUnanswered(partition) ? endOf(granted) : -Infinity;
  if (now < end) return { state: 'Busy', until: timeText(end) };
  return { state: 'Marked', patch, wasClosed: isClosed(node) };
}

/** Without a controller nobody takes the grant back: its agent may see it at the deadline, and act on it for its whole time. */
function endOf({ deadline, seconds = 0 }: Grant): number {
  return Date.parse(deadline) + seconds * 1000;
}
