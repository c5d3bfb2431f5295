import { isChangingLabelKey } from '../../api/label-keys.ts';
import { checkEach, type FieldPath } from '../text/finding.ts';
import { explainKey, explainLabelValue } from '../text/label-syntax.ts';
import { breakIf, type BrokenRule, RULE_MESSAGES } from './broken-rule.ts';
import { type Fields, fieldsOf, listOf } from '../text/fields.ts';

/** The CEL rules of `nodeSelector`. */
export function checkSelector(selector: Fields, path: FieldPath): readonly BrokenRule[] {
  const labels = Object.entries(fieldsOf(selector['matchLabels']) ?? {});
  const expressions = listOf(selector['matchExpressions']);
  return [
    ...breakIf(labels.length + expressions.length === 0, path, RULE_MESSAGES.emptySelector),
    ...checkEach(labels, ([key, value]) => checkLabel(key, value, [...path, 'matchLabels', key])),
    ...checkEach(expressions, (expression, index) => checkExpression(expression, [...path, 'matchExpressions', index])),
  ];
}

function checkLabel(key: string, value: unknown, path: FieldPath): readonly BrokenRule[] {
  return [
    ...breakIf(isChangingLabelKey(key), path, RULE_MESSAGES.changingLabel),
    ...breakIf(explainKey(key) !== undefined || isImpossible(value), path, RULE_MESSAGES.impossibleLabel),
  ];
}

function checkExpression(expression: unknown, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(expression);
  const key = fields?.['key'];
  const operator = fields?.['operator'];
  const values = listOf(fields?.['values']);
  const needsValues = operator === 'In' || operator === 'NotIn';
  const takesNone = operator === 'Exists' || operator === 'DoesNotExist';
  const isWrong = (needsValues && values.length === 0) || (takesNone && values.length > 0);
  return [
    ...(typeof key === 'string' ? checkLabel(key, '', [...path, 'key']) : []),
    ...checkEach(values, (value, index) =>
      breakIf(isImpossible(value), [...path, 'values', index], RULE_MESSAGES.impossibleLabel),
    ),
    ...breakIf(isWrong, path, RULE_MESSAGES.operatorValues),
  ];
}

function isImpossible(value: unknown): boolean {
  return typeof value === 'string' && explainLabelValue(value) !== undefined;
}
