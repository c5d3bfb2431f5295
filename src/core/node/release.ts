import type { GpuNodePartition } from '../../api/types.ts';
import { type JsonPatchOperation, patchNode } from '../metadata/node-patch.ts';
import { isGrantLive } from './grant-failure.ts';
import { releaseNode } from './node-marks.ts';
import { isClosed, metadataOf, type NodeView } from './node-view.ts';

/** What becomes of a node that no controller looks after any more. */
export type NodeRelease =
  /** Nothing of ours is on it. */
  | { readonly state: 'Clean' }
  /** Its agent may be changing the GPUs until then: it stays closed. */
  | { readonly state: 'Busy'; readonly until: string }
  | {
      readonly state: 'Marked';
      readonly patch: readonly JsonPatchOperation[];
      /** It was closed for a change that nobody has finished: what it offers may be of before. */
      readonly wasClosed: boolean;
    };

/** What has to go from a node when the operator goes: our taint and labels, and what was borrowed. Layouts and the labels that tell of them stay. */
export function planRelease(node: NodeView, partition: GpuNodePartition | undefined, now: number): NodeRelease {
  const patch = patchNode(metadataOf(node), releaseNode());
  if (patch.length === 0) return { state: 'Clean' };
  const { granted, nodeUID } = partition?.spec ?? {};
  const isBusy = partition !== undefined && nodeUID === node.metadata.uid && isGrantLive(partition, now);
  if (isBusy && granted !== undefined) return { state: 'Busy', until: granted.deadline };
  return { state: 'Marked', patch, wasClosed: isClosed(node) };
}
