import { explainKey, explainLabelValue } from '../../text/label-syntax.ts';

export type Labels = Readonly<Record<string, string>>;

export interface InvalidLabel {
  readonly key: string;
  readonly value: string;
  readonly reason: string;
}

/**
 * Makes a label value of a product name as GFD does (`internal/lm/resource.go`): drops what a label may not hold,
 * joins words with dashes. It does not look at the length; see {@link invalidLabels}.
 */
export function sanitiseLabelValue(text: string): string {
  return text
    .replace(/[^A-Za-z0-9\-_. ]/g, '')
    .split(' ')
    .filter((word) => word !== '')
    .join('-');
}

/** One set of labels out of several; of one key the last value stays, as in GFD's own merge. */
export function mergeLabels(sets: readonly Labels[]): Labels {
  return Object.fromEntries(sets.flatMap((labels) => Object.entries(labels)));
}

/** Finds labels that the API server would refuse. A patch that holds one of them is refused as a whole. */
export function invalidLabels(labels: Labels): readonly InvalidLabel[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const reason = explainKey(key) ?? explainLabelValue(value);
    return reason === undefined ? [] : [{ key, value, reason }];
  });
}

interface PartedLabels {
  readonly kept: Labels;
  readonly dropped: readonly InvalidLabel[];
}

/** A prediction is asked for its valid labels at each decision. */
const parted = new WeakMap<Labels, PartedLabels>();

/**
 * Parts labels into those that reach the node and those that do not. NFD drops an invalid label silently, one by one
 * (NVIDIA/k8s-device-plugin#1876): `NVIDIA-RTX-PRO-6000-…-MIG-1g.24gb.me.all-SHARED` is longer than 63 characters, so
 * such a node has no `gpu.product`. A writer without NFD has to leave them out itself.
 */
export function dropInvalidLabels(labels: Labels): PartedLabels {
  const known = parted.get(labels);
  if (known) return known;
  const dropped = invalidLabels(labels);
  const lost = new Set(dropped.map((label) => label.key));
  const found = { kept: Object.fromEntries(Object.entries(labels).filter(([key]) => !lost.has(key))), dropped };
  parted.set(labels, found);
  return found;
}
