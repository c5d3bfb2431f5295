import type { NodeMetadata } from '../../metadata/node-change.ts';
import { changesWithLayout, GPU_RESOURCE, NVIDIA_PREFIX } from '../labels/label-key.ts';

/** Lists the nvidia.com labels that we wrote on a node, without their prefix, so that we know them again. */
export const managedLabelsAnnotation = 'gpupartition.dev/managed-labels';

/** Keys of the labels that we wrote on a node. */
export function listManagedLabels({ annotations }: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return (annotations[managedLabelsAnnotation] ?? '')
    .split(',')
    .filter((key) => key !== '')
    .map((key) => NVIDIA_PREFIX + key);
}

/**
 * Keys on a node without GPU Feature Discovery that go where they are not wanted: those that we wrote, and those that tell of a layout,
 * whoever wrote them: a GFD of before, a person, another operator. Pods choose by them, and nobody else takes them away.
 */
export function listPrunableLabels(node: Pick<NodeMetadata, 'annotations' | 'labels'>): readonly string[] {
  // It is wanted unless nobody could read it, which is no reason to take it away.
  const mayBeUnread = `${GPU_RESOURCE}.memory`;
  const ofLayout = Object.keys(node.labels).filter((key) => changesWithLayout(key) && key !== mayBeUnread);
  return [...new Set([...listManagedLabels(node), ...ofLayout])];
}
