import { layoutSuffixOf } from '../labels/label-key.ts';
import type { Labels } from '../labels/label-value.ts';
import type { Sharing } from './sharing.ts';

/** How a node's resources are shared by its labels; undefined if they say that none is. */
export function sharingByLabels(labels: Labels): Sharing | undefined {
  const resources = Object.entries(labels)
    .filter(([key, value]) => layoutSuffixOf(key) === 'replicas' && Number(value) >= 2)
    .map(([key, value]) => ({ name: key.slice(0, -'.replicas'.length), replicas: Number(value) }));
  const [first] = resources;
  if (first === undefined) return undefined;
  const isMps = labels[`${first.name}.sharing-strategy`] === 'mps';
  return {
    strategy: isMps ? 'mps' : 'time-slicing',
    renameByDefault: labels[`${first.name}.product`]?.endsWith('-SHARED') !== true,
    failRequestsGreaterThanOne: isMps,
    resources,
  };
}
