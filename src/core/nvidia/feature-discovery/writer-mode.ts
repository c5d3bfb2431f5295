import type { NodeChange, NodeMetadata } from '../../metadata/node-change.ts';
import { listManagedLabels, managedLabelsAnnotation } from './managed-labels.ts';
import { diffLabels, nfdOwnedLabelKeys } from '../labels/label-diff.ts';
import { GFD_TIMESTAMP_KEY, isGfdLabelKey } from '../labels/label-key.ts';

/** Who writes GPU Feature Discovery's labels on a node: GFD does and we compare (`Verify`), or we do (`Patch`). */
export type WriterMode = 'Patch' | 'Verify';

export interface WriterEvidence {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The node's previous mode, from its status. */
  readonly before: WriterMode | undefined;
}

/**
 * `Verify` as soon as GFD is seen, and permanently: its labels vanish for minutes when it or NFD restarts, and it would not remove
 * what we write then. We write again only after somebody clears the mode in the status.
 */
export function writerModeOf({ labels, annotations, before }: WriterEvidence): WriterMode {
  const seen =
    before === 'Verify' ||
    Object.hasOwn(labels, GFD_TIMESTAMP_KEY) ||
    [...nfdOwnedLabelKeys(annotations)].some(isGfdLabelKey);
  return seen ? 'Verify' : 'Patch';
}

/**
 * Leaves the labels to GFD: removes the record of ours, and those of our keys that GFD is not going to write and NFD does not own.
 * The values of the others stay, since GFD overwrites them and pods select by them meanwhile.
 *
 * @param predicted keys that GFD will write on the device as it is
 */
export function handOver(node: NodeMetadata, predicted: Iterable<string>): NodeChange {
  if (node.annotations[managedLabelsAnnotation] === undefined) return {};
  const kept = [...predicted, ...nfdOwnedLabelKeys(node.annotations)].filter((key) => Object.hasOwn(node.labels, key));
  const { remove } = diffLabels(node.labels, listManagedLabels(node), Object.fromEntries(kept.map((key) => [key, ''])));
  return {
    labels: Object.fromEntries(remove.map((key) => [key, undefined])),
    annotations: { [managedLabelsAnnotation]: undefined },
  };
}
