import type { NodeMetadata } from '../../metadata/node-change.ts';
import { nfdOwnedLabelKeys } from '../labels/label-diff.ts';
import { changesWithLayout, layoutSuffixOf, migProfileOfLabelKey } from '../labels/label-key.ts';
import { dropInvalidLabels, type Labels } from '../labels/label-value.ts';
import type { NodeLabels } from '../labels/node-labels.ts';

export interface StaleLabel {
  readonly key: string;
  /** Undefined: the label must be removed. */
  readonly wanted: string | undefined;
}

/** Every version writes it for GPUs and for slices, so a node without it has not been labelled. */
const alwaysWritten = 'count';

/**
 * What GPU Feature Discovery will write of the layout and has not written yet. Keys that no layout changes tell nothing about it,
 * and which of the others exist depends on the version: `gpu.mode` since v0.16, `vgpu.present` not always.
 */
export function staleLabels(
  { labels, annotations }: Pick<NodeMetadata, 'labels' | 'annotations'>,
  { labels: predicted, undetermined, errors }: NodeLabels,
): readonly StaleLabel[] {
  // In that case it writes no labels and removes none.
  if (errors.length > 0) return [];
  const kept = dropInvalidLabels(predicted);
  const isWritten = writtenBy(labels);
  const differing = Object.entries(kept)
    .filter(([key, value]) => labels[key] !== value && !Object.hasOwn(undetermined, key))
    .filter(([key]) => changesWithLayout(key) && isWritten(key))
    .map(([key, wanted]) => ({ key, wanted }));
  const left = [...nfdOwnedLabelKeys(annotations)]
    .filter((key) => changesWithLayout(key) && Object.hasOwn(labels, key) && !Object.hasOwn(kept, key))
    .map((key) => ({ key, wanted: undefined }));
  return [...differing, ...left];
}

const mostNamed = 3;

/** `nvidia.com/gpu.count should be 7, … and 3 more` */
export function describeStaleLabels(stale: readonly StaleLabel[]): string {
  const named = stale.slice(0, mostNamed).map(({ key, wanted }) => `${key} should be ${wanted ?? 'gone'}`);
  const rest = stale.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/**
 * Whether the version that labels this node writes such a key, for slices or for GPUs: `sharing-strategy` came with v0.15, `product`
 * and `replicas` of slices after v0.3.
 */
function writtenBy(labels: Labels): (key: string) => boolean {
  const seen = new Set(Object.keys(labels).map(kindOf));
  return (key) => {
    const suffix = layoutSuffixOf(key);
    return suffix === undefined || suffix === alwaysWritten || seen.has(kindOf(key));
  };
}

function kindOf(key: string): string | undefined {
  const suffix = layoutSuffixOf(key);
  return suffix === undefined ? undefined : `${migProfileOfLabelKey(key) === undefined ? 'GPU' : 'slice'} ${suffix}`;
}
