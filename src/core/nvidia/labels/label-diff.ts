import { GFD_TIMESTAMP_KEY, isGfdLabelKey } from './label-key.ts';
import type { Labels } from './label-value.ts';

/** Prefix of the labels that carry this product's own state. */
const OWN_PREFIX = 'gpupartition.dev/';
/** NFD lists here the labels that it owns on a node; an instance name may precede it. */
const NFD_ANNOTATION = /^(?:[^/]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$/;
const NFD_DEFAULT_PREFIX = 'feature.node.kubernetes.io/';

export interface LabelChange {
  /** Keys to write, with their values. */
  readonly set: Labels;
  /** Keys to delete (null in a merge patch). */
  readonly remove: readonly string[];
}

/**
 * What to patch so that a node's labels become `wanted`. `managed` is the list of keys that we wrote earlier, kept in an annotation.
 * Keys that are neither managed nor wanted stay. Anyone who may edit nodes can edit the annotation, so keys that can never be ours
 * are left alone even if it names them. No change gives two empty sets.
 */
export function diffLabels(current: Labels, managed: readonly string[], wanted: Labels): LabelChange {
  const set = Object.entries(wanted).filter(([key, value]) => isOwnable(key) && valueOf(current, key) !== value);
  const remove = [...new Set(managed)].filter(
    (key) => isOwnable(key) && Object.hasOwn(current, key) && !Object.hasOwn(wanted, key),
  );
  return { set: Object.fromEntries(set), remove: remove.toSorted() };
}

/** Label keys that NFD owns on a node, from the node's annotations. NFD removes or overwrites them at any time. */
export function nfdOwnedLabelKeys(annotations: Labels): ReadonlySet<string> {
  const keys = Object.entries(annotations)
    .filter(([name]) => NFD_ANNOTATION.test(name))
    .flatMap(([, list]) => list.split(','))
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return new Set(keys.map((key) => (key.includes('/') ? key : NFD_DEFAULT_PREFIX + key)));
}

function isOwnable(key: string): boolean {
  return key.startsWith(OWN_PREFIX) || (isGfdLabelKey(key) && key !== GFD_TIMESTAMP_KEY);
}

function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
