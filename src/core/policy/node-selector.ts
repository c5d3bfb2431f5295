import type { PolicySpec } from '../../api/types.ts';

/** Whether a node's labels meet the selector; metav1.LabelSelector's rules. */
export function selectsNode(selector: PolicySpec['nodeSelector'], labels: Readonly<Record<string, string>>): boolean {
  const matchLabels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  // An empty metav1.LabelSelector selects everything. The CRD refuses it; never read one as "the whole fleet".
  if (matchLabels.length + expressions.length === 0) return false;
  return (
    matchLabels.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}
