import { explainKey, explainLabelValue } from '../../text/label-syntax.ts';
import { onceEach } from '../../text/once-each.ts';

export type Labels = Readonly<Record<string, string>>;

export interface InvalidLabel {
  readonly key: string;
  readonly value: string;
  readonly reason: string;
}

/** Merges several sets of labels; the last value of a key wins, as in GFD's own merge. */
export function mergeLabels(sets: readonly Labels[]): Labels {
  return Object.fromEntries(sets.flatMap((labels) => Object.entries(labels)));
}

/** Finds labels that the API server would refuse. A patch that contains one is refused as a whole. */
export function invalidLabels(labels: Labels): readonly InvalidLabel[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const reason = explainKey(key) ?? explainLabelValue(value);
    return reason === undefined ? [] : [{ key, value, reason }];
  });
}

/**
 * The labels that reach the node. NFD silently drops each invalid label
 * (NVIDIA/k8s-device-plugin#1876): `NVIDIA-RTX-PRO-6000-…-MIG-1g.24gb.me.all-SHARED` is longer than 63 characters, so such a node
 * has no `gpu.product`. A writer without NFD must leave them out itself. Each decision needs those of a prediction.
 */
export const dropInvalidLabels = onceEach((labels: Labels): Labels => {
  const lost = new Set(invalidLabels(labels).map(({ key }) => key));
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !lost.has(key)));
});
