import { explainKey, explainLabelValue } from '../text/label-syntax.ts';

/** metav1.LabelSelector. */
export interface LabelSelection {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

interface LabelRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; an operator of another API version never matches. */
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/**
 * Whether labels meet every requirement; by metav1.LabelSelector's rules, one invalid requirement makes the selector match nothing,
 * and an empty selector matches everything.
 */
export function meetsSelection(selection: LabelSelection, labels: Labels): boolean {
  const requirements = requirementsOf(selection);
  return requirements.every((one) => isMet(one, labels)) && requirements.every(isUnderstood);
}

/** What it requires, all in one form. */
export function requirementsOf({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelection): readonly LabelRequirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...matchExpressions,
  ];
}

/** Whether it has no requirements. */
export function isEmptySelection(selection: LabelSelection): boolean {
  return selectedKeys(selection).length === 0;
}

/** The labels that it depends on. */
export function selectedKeys({ matchLabels = {}, matchExpressions = [] }: LabelSelection): readonly string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

function isUnderstood({ key, operator, values = [] }: LabelRequirement): boolean {
  const wantsValues = operator === 'In' || operator === 'NotIn';
  return (
    explainKey(key) === undefined &&
    values.every((value) => explainLabelValue(value) === undefined) &&
    wantsValues === values.length > 0
  );
}

function isMet({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
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
      return false;
  }
}
