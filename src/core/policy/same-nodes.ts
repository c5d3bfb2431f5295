import type { PolicySpec } from '../../api/types.ts';
import { canonicalJson } from '../text/fingerprint.ts';

/** What decides between policies on a node; with equal keys only age and name decide. */
export function claimKey({ nodeSelector, priority = 0 }: PolicySpec): string {
  const requirements = [
    ...Object.entries(nodeSelector.matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(nodeSelector.matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
      key,
      operator,
      values: [...new Set(values)].sort(),
    })),
  ];
  const unique = [...new Set(requirements.map((requirement) => canonicalJson(requirement)))].sort();
  return `${priority} ${unique.join(' ')}`;
}
