import type { PolicySpec } from '../../api/types.ts';
import { explainKey, explainLabelValue } from '../text/label-syntax.ts';

type Selector = PolicySpec['nodeSelector'];
type Requirement = NonNullable<Selector['matchExpressions']>[number];

/**
 * Whether a node's labels meet the selector; metav1.LabelSelector's rules, by which one requirement that cannot be understood
 * makes the selector meet nothing. The CRD refuses such a one and an empty one, but an object may be older than the rule:
 * neither is ever read as "the whole fleet", as `DoesNotExist` of a key that cannot exist would be.
 */
export function selectsNode({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const requirements: readonly Requirement[] = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions,
  ];
  return requirements.length > 0 && requirements.every((one) => isMet(one, labels)) && requirements.every(isUnderstood);
}

type Labels = Readonly<Record<string, string>>;

function isUnderstood({ key, operator, values = [] }: Requirement): boolean {
  const wantsValues = operator === 'In' || operator === 'NotIn';
  return (
    explainKey(key) === undefined &&
    values.every((value) => explainLabelValue(value) === undefined) &&
    wantsValues === values.length > 0
  );
}

function isMet({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return isNever(operator);
  }
}

/** An operator of another version of the API. */
function isNever(_operator: never): false {
  return false;
}
