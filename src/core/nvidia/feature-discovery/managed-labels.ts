import type { NodeMetadata } from '../../metadata/node-change.ts';
import { changesWithLayout, GPU_RESOURCE, NVIDIA_PREFIX } from '../labels/label-key.ts';

/** Lists the nvidia.com labels that we wrote on a node, without their prefix, so that we recognise them. */
export const managedLabelsAnnotation = 'gpupartition.dev/managed-labels';

/** Keys of the labels that we wrote on a node. */
export function listManagedLabels({ annotations }: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return (annotations[managedLabelsAnnotation] ?? '')
    .split(',')
    .filter((key) => key !== '')
    .map((key) => NVIDIA_PREFIX + key);
}

/**
 * Keys that are removed from a node without GPU Feature Discovery when they are not wanted: those that we wrote, and all that
 * describe a layout, whoever wrote them: an earlier GFD, a person, another operator. Pods select by them, and nobody else removes
 * them.
 */
export function listPrunableLabels(node: Pick<NodeMetadata, 'annotations' | 'labels'>): readonly string[] {
  // It is unwanted only if it could not be read, which does not justify removing it.
  const mayBeUnread = `${GPU_RESOURCE}.memory`;
  const ofLayout = Object.keys(node.labels).filter((key) => changesWithLayout(key) && key !== mayBeUnread);
  return [...new Set([...listManagedLabels(node), ...ofLayout])];
}
