import { isGfdLabelKey } from '../../../core/nvidia/labels/label-key.ts';
import { dropInvalidLabels } from '../../../core/nvidia/labels/label-value.ts';
import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import type { JsonPatchOperation } from '../../../core/metadata/node-patch.ts';
import type { KubeletNode } from '../node/kube-objects.ts';

/** Where NFD's master records which labels it owns. */
export const featureLabelsAnnotation = 'nfd.node.kubernetes.io/feature-labels';

/**
 * What NFD's master patches so that a Node carries these labels: its own keys that are now missing are removed, differing values
 * replaced, the rest stays. A value that Kubernetes would refuse is silently omitted. Empty if the Node already matches.
 */
export function patchFeatureLabels({ metadata }: KubeletNode, wanted: Labels): readonly JsonPatchOperation[] {
  const { labels = {}, annotations } = metadata;
  const kept = dropInvalidLabels(wanted);
  const owned = (annotations?.[featureLabelsAnnotation] ?? '').split(',').filter((key) => key !== '');
  // NFD's labels from other sources than GPU Feature Discovery stay as they are.
  const others = owned.filter((key) => !isGfdLabelKey(key));
  const gone = owned.filter((key) => isGfdLabelKey(key) && !Object.hasOwn(kept, key) && Object.hasOwn(labels, key));
  const differing = Object.entries(kept).filter(([key, value]) => labels[key] !== value);
  const note = [...others, ...Object.keys(kept)].toSorted().join(',');
  const changes: readonly JsonPatchOperation[] = [
    ...gone.map((key) => ({ op: 'remove', path: pathOf('labels', key) }) as const),
    ...differing.map(([key, value]) => ({ op: 'add', path: pathOf('labels', key), value }) as const),
  ];
  const annotated = annotations?.[featureLabelsAnnotation] === note ? [] : noteOf(metadata, note);
  return [...changes, ...annotated];
}

function noteOf(
  { annotations, resourceVersion }: KubeletNode['metadata'],
  note: string,
): readonly JsonPatchOperation[] {
  if (annotations !== undefined)
    return [{ op: 'add', path: pathOf('annotations', featureLabelsAnnotation), value: note }];
  // The first annotation of a Node must not overwrite those that another writer has added meanwhile.
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/annotations', value: { [featureLabelsAnnotation]: note } },
  ];
}

/** RFC 6901 writes `/` as `~1`. */
function pathOf(field: 'labels' | 'annotations', key: string): string {
  return `/metadata/${field}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
