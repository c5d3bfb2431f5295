import type { FieldPath } from '../text/finding.ts';

/** A rule that a policy breaks; the message is the CRD's own. */
export interface BrokenRule {
  readonly path: FieldPath;
  readonly message: string;
}

/** What the CRD's CEL rules say when they are broken, letter by letter: a user sees one sentence, wherever it is checked. */
export const RULE_MESSAGES = {
  longName: "a policy's name becomes a label value on nodes: at most 63 characters",
  singleProfile:
    'strategy single needs exactly one profile in each layout: with two, the device plugin refuses to start and the node shows MIG-INVALID; use strategy mixed for several profiles',
  mixedComputeInstance:
    'strategy mixed cannot advertise compute instance profiles such as 1c.3g.20gb: the device plugin would not start; use whole GPU instances, or strategy single',
  emptySelector:
    'nodeSelector must not be empty: name at least one label, for example pool: inference or nvidia.com/gpu.present: "true"',
  changingLabel:
    'nodeSelector uses a label that a layout changes: select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models',
  operatorValues: 'operators In and NotIn need values; Exists and DoesNotExist must have none',
  mps: 'MPS is refused: sharing using MPS is not supported for MIG devices (NVIDIA device plugin); use timeSlicing, or smaller slices',
  exclusive: 'exactly one of profiles, preset and mig must be set',
  profileName:
    'a profile is written as nvidia-smi writes it, for example 1g.5gb, 1g.5gb+me, 1g.24gb-me, 2g.48gb+gfx or 1c.3g.20gb',
  maxUnavailable: 'must be a number of nodes from 0 to 10000, or a percentage from 0% to 100%',
  failureThreshold: 'must be a number of nodes from 1 to 10000, or a percentage from 0% to 100%',
} as const;

const PROFILE = /^([1-7]c[.])?[1-9]g[.][0-9]{1,3}gb([+](me|me[.]all|gfx)|-me)?$/;
const PERCENTAGE = /^(100|[1-9]?[0-9])%$/;
const CHANGING_PREFIXES = ['gpupartition.dev/', 'nvidia.com/mig-'];
const CHANGING_KEYS = [
  'nvidia.com/gpu.product',
  'nvidia.com/gpu.count',
  'nvidia.com/gpu.memory',
  'nvidia.com/gpu.replicas',
  'nvidia.com/mig.strategy',
];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The CEL rules of the policies' CRD, without an API server. Reads any value: what has the wrong type is the schema's to
 * report, and breaks no rule.
 */
export function findBrokenRules(policy: unknown): readonly BrokenRule[] {
  const spec = fieldsOf(fieldsOf(policy)?.['spec']);
  const name = fieldsOf(fieldsOf(policy)?.['metadata'])?.['name'];
  return [
    ...breakIf(typeof name === 'string' && name.length > 63, ['metadata', 'name'], RULE_MESSAGES.longName),
    ...(spec === undefined ? [] : checkSpec(spec)),
  ];
}

function checkSpec(spec: Fields): readonly BrokenRule[] {
  const selector = fieldsOf(spec['nodeSelector']);
  const rollout = fieldsOf(spec['rollout']);
  return [
    ...(selector === undefined ? [] : checkSelector(selector)),
    ...breakIf(fieldsOf(spec['sharing'])?.['mps'] !== undefined, ['spec', 'sharing', 'mps'], RULE_MESSAGES.mps),
    ...listOf(spec['layouts']).flatMap((layout, index) =>
      checkLayout(layout, spec['strategy'], ['spec', 'layouts', index]),
    ),
    ...checkShare(rollout, 'maxUnavailable', 0),
    ...checkShare(rollout, 'failureThreshold', 1),
  ];
}

function checkSelector(selector: Fields): readonly BrokenRule[] {
  const path = ['spec', 'nodeSelector'];
  const labels = Object.keys(fieldsOf(selector['matchLabels']) ?? {});
  const expressions = listOf(selector['matchExpressions']);
  return [
    ...breakIf(labels.length + expressions.length === 0, path, RULE_MESSAGES.emptySelector),
    ...labels.flatMap((key) =>
      breakIf(changesWithLayouts(key), [...path, 'matchLabels', key], RULE_MESSAGES.changingLabel),
    ),
    ...expressions.flatMap((expression, index) => checkExpression(expression, [...path, 'matchExpressions', index])),
  ];
}

function checkExpression(expression: unknown, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(expression);
  const key = fields?.['key'];
  const operator = fields?.['operator'];
  const values = listOf(fields?.['values']).length;
  const needsValues = operator === 'In' || operator === 'NotIn';
  const takesNone = operator === 'Exists' || operator === 'DoesNotExist';
  const isWrong = (needsValues && values === 0) || (takesNone && values > 0);
  return [
    ...breakIf(typeof key === 'string' && changesWithLayouts(key), [...path, 'key'], RULE_MESSAGES.changingLabel),
    ...breakIf(isWrong, path, RULE_MESSAGES.operatorValues),
  ];
}

function changesWithLayouts(key: string): boolean {
  return CHANGING_PREFIXES.some((prefix) => key.startsWith(prefix)) || CHANGING_KEYS.includes(key);
}

function checkLayout(layout: unknown, strategy: unknown, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(layout);
  if (fields === undefined) return [];
  const set = ['profiles', 'preset', 'mig'].filter((name) => fields[name] !== undefined);
  const profiles = fieldsOf(fields['profiles']);
  const names = Object.keys(profiles ?? {});
  const at = [...path, 'profiles'];
  return [
    ...breakIf(set.length !== 1, path, RULE_MESSAGES.exclusive),
    ...breakIf(strategy === 'single' && profiles !== undefined && names.length !== 1, at, RULE_MESSAGES.singleProfile),
    ...names.flatMap((name) => [
      ...breakIf(name.length > 32 || !PROFILE.test(name), [...at, name], RULE_MESSAGES.profileName),
      ...breakIf(strategy === 'mixed' && name.includes('c.'), [...at, name], RULE_MESSAGES.mixedComputeInstance),
    ]),
  ];
}

/** A number of nodes, or a percentage of them. */
function checkShare(
  rollout: Fields | undefined,
  name: 'maxUnavailable' | 'failureThreshold',
  least: number,
): readonly BrokenRule[] {
  const value = rollout?.[name];
  const isWrong =
    (typeof value === 'number' && (value < least || value > 10_000)) ||
    (typeof value === 'string' && !PERCENTAGE.test(value));
  return breakIf(isWrong, ['spec', 'rollout', name], RULE_MESSAGES[name]);
}

function breakIf(isBroken: boolean, path: FieldPath, message: string): readonly BrokenRule[] {
  return isBroken ? [{ path, message }] : [];
}

function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
