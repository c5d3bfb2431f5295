// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here whether an object has the form of a policy, by the schema and the rules of the API, and what its defaults are.
import { type Fields, fieldsOf, isFields, listOf } from '../text/json.ts';
import { cutGenerateName, explainKey, explainLabelValue, isSubdomain } from '../text/syntax.ts';
import { shape } from '../../api/generated/gpu-partition-policy.shape.ts';
import { findNearestWords, type FieldPath, type Finding } from '../text/words.ts';
import { validate } from '../../api/generated/gpu-partition-policy.validate.js';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { specDefaults } from '../../api/generated/gpu-partition-policy.defaults.ts';
import { isChangingLabelKey } from '../../api/label-keys.ts';
import { mayUseClaims } from './spec.ts';

/**
 * A policy as the API server sees it when it checks the schema: null fields are gone (apiextensions prunes them unless the schema
 * says nullable), a name is generated from `generateName`, and `status` is the controller's to write. Metadata is reduced to its
 * name; {@link checkMetadata} checks the rest. Undefined for what is not an object.
 */
export function viewAsServer(value: unknown): Fields | undefined {
  if (!isFields(value)) return undefined;
  const { metadata, spec, ...rest } = value;
  const view: Record<string, unknown> = { ...rest };
  delete view['status'];
  if (spec !== undefined && spec !== null) view['spec'] = dropNulls(spec);
  if (metadata !== undefined && metadata !== null) view['metadata'] = nameOnly(metadata);
  return view;
}

function nameOnly(metadata: unknown): unknown {
  const fields = fieldsOf(metadata);
  if (fields === undefined) return metadata;
  const { name, generateName } = fields;
  if (name !== undefined && name !== null && name !== '') return { name };
  const isGenerated = typeof generateName === 'string' && generateName !== '';
  return isGenerated ? { name: `${cutGenerateName(generateName)}xxxxx` } : {};
}

/** Nulls in lists stay: they are items of the wrong type. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, dropNulls(item)]),
  );
}

/** The part of a JSON schema that tells which fields there are. */
interface Shape {
  readonly type?: string;
  readonly anyOf?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

const policy: Shape = { properties: { apiVersion: {}, kind: {}, metadata: {}, ...shape } };

/**
 * Says that a policy has no such field, and which one may be meant: a similar one of the same object, or the one of that name that is
 * closest: a schedule has layouts and a demand of its own.
 *
 * @param known fields of the object; absent: those of the schema
 */
function explainUnknownField(path: FieldPath, known = listFields(path.slice(0, -1))): string {
  const field = String(path.at(-1));
  const meant = findNearestWords(field, known, 1)[0] ?? findAround(field, path.slice(0, -1));
  if (meant === undefined) return `unknown field ${field}; the API server would drop it`;
  return `unknown field ${field}, which the API server would drop; did you mean ${meant}?`;
}

function listFields(path: FieldPath): readonly string[] {
  return Object.keys(shapeAt(path).properties ?? {});
}

function shapeAt(path: FieldPath): Shape {
  return path.reduce<Shape>(
    ({ properties, items }, step) => (typeof step === 'number' ? items : properties?.[step]) ?? {},
    policy,
  );
}

/** The path as the reference of the API writes it: `spec.schedules[].layouts[]`. */
function nameField(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? '[]' : `${index === 0 ? '' : '.'}${step}`)).join('');
}

/** The value of a field in the closest object around a path. */
function findAround(field: string, path: FieldPath): string | undefined {
  if (path.length === 0) return findBelow(field, 'spec', shape.spec);
  return findBelow(field, nameField(path), shapeAt(path)) ?? findAround(field, path.slice(0, -1));
}

/** The outermost one in an object of this shape. */
function findBelow(field: string, place: string, top: Shape): string | undefined {
  let level: readonly (readonly [path: string, Shape])[] = [[place, top]];
  while (level.length > 0) {
    const found = level.find(([, { properties = {} }]) => Object.hasOwn(properties, field));
    if (found) return `${found[0]}.${field}`;
    level = level.flatMap(([path, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, one]: [string, Shape]) => [
        [`${path}.${name}`, one] as const,
        ...(one.items ? [[`${path}.${name}[]`, one.items] as const] : []),
      ]),
    );
  }
  return undefined;
}

type ShapeError = NonNullable<typeof validate.errors>[number];

/** A document that is meant to be a policy, checked without anything that the CRD's schema and rules do not say. */
interface CheckedForm {
  /** Undefined if its shape is wrong. */
  readonly policy: GpuPartitionPolicy | undefined;
  /** What the API server refuses of its metadata. */
  readonly metadata: readonly Finding[];
  /** What the schema refuses. */
  readonly shape: readonly Finding[];
  /** The CEL rules that it breaks, each as an error `RuleBroken`. */
  readonly rules: readonly Finding[];
}

/** Checks a policy by all that the API server knows of it. */
export function checkForm(value: unknown): CheckedForm {
  const shape = checkShape(value);
  return {
    policy: 'policy' in shape ? shape.policy : undefined,
    metadata: checkMetadata(fieldsOf(value)?.['metadata']),
    shape: 'findings' in shape ? shape.findings : [],
    rules: findBrokenRules(value).map((rule) => ({ severity: 'error', code: 'RuleBroken', ...rule })),
  };
}

/** A policy of the right shape, or all findings of the CRD's schema. CEL rules are not included. */
type CheckedShape = { readonly policy: GpuPartitionPolicy } | { readonly findings: readonly Finding[] };

export function checkShape(value: unknown): CheckedShape {
  const view = viewAsServer(value);
  // An unknown field is refused even if it is null, and in a status too.
  const unknown = errorsOf(value).filter(isUnknownField);
  if (validate(view) && unknown.length === 0) return { policy: view };
  const errors = [...unknown, ...errorsOf(view).filter((error) => !isUnknownField(error))];
  const listed = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])));
  // A value that matches neither branch of an int-or-string, or none of a few words, is one mistake.
  const isTold = ({ keyword, schemaPath, instancePath }: ShapeError): boolean =>
    schemaPath.includes('/anyOf/') || (keyword === 'type' && listed.has(instancePath));
  return { findings: errors.filter((error) => !isTold(error)).map(toFinding) };
}

function errorsOf(value: unknown): readonly ShapeError[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

function isUnknownField({ keyword }: ShapeError): boolean {
  return keyword === 'additionalProperties';
}

function toFinding(error: ShapeError): Finding {
  const params: Readonly<Record<string, unknown>> = error.params;
  const extra = params['additionalProperty'];
  const path = [...readPointer(error.instancePath), ...(typeof extra === 'string' ? [extra] : [])];
  return { severity: 'error', code: 'InvalidField', path, message: describe(error, params, path) };
}

function readPointer(pointer: string): FieldPath {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function describe(error: ShapeError, params: Readonly<Record<string, unknown>>, path: FieldPath): string {
  const field = String(path.at(-1) ?? '');
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'required':
      return `${String(params['missingProperty'])} is missing`;
    case 'additionalProperties':
      return explainUnknownField(path);
    case 'type':
      return FORM_WORDS[field] ?? `must be ${nameType(String(params['type']))}`;
    case 'enum':
      return nameChoice(listOf(params['allowedValues']));
    case 'const':
      return `must be ${String(params['allowedValue'])}`;
    case 'anyOf':
      return SHARE_WORDS[field] ?? 'must be a whole number or a percentage such as 10%';
    case 'pattern':
      return (
        PATTERN_WORDS[field] ?? PATTERN_WORDS[parentOf(error.instancePath)] ?? `must match ${String(params['pattern'])}`
      );
    case 'minimum':
      return SHARE_WORDS[field] ?? `must be at least ${limit}`;
    case 'maximum':
      return SHARE_WORDS[field] ?? `must be at most ${limit}`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
    case 'minProperties':
      return 'must not be empty';
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} entries`;
    default:
      return error.message ?? `breaks ${error.keyword}`;
  }
}

/** Fields that take a number or a percentage, whose bounds and pattern share one sentence. */
const SHARE_WORDS: Readonly<Record<string, string>> = {
  maxUnavailable: 'must be a number of nodes from 0 to 10000, or a percentage from 0% to 100%',
  spare: 'must be a number of slices from 0 to 100000, or a percentage from 0% to 100%',
  failureThreshold: 'must be a number of nodes from 1 to 10000, or a percentage from 0% to 100%',
};

const DURATION = 'must be a duration such as 30s, 10m or 1h30m';

/** Strings of a form that a number in quotes does not have. */
const FORM_WORDS: Readonly<Record<string, string>> = {
  timeout: DURATION,
  gracePeriod: DURATION,
  soak: DURATION,
  duration: DURATION,
  cooldown: DURATION,
  stabilization: DURATION,
  memory: 'must be an amount of memory such as 9Gi or 4.5Gi',
  preset: 'must be all-balanced, all-enabled, all-disabled, or all- and a profile, for example all-1g.5gb',
  resource: 'must be a resource of the device plugin, such as nvidia.com/gpu or nvidia.com/mig-1g.5gb',
  schedule: 'must be a cron expression of five fields, for example 0 22 * * *',
};

/** What a pattern requires, by the field that it applies to or that holds its list. */
const PATTERN_WORDS: Readonly<Record<string, string>> = {
  ...SHARE_WORDS,
  ...FORM_WORDS,
  models: 'must be a glob of letters, digits, spaces, dots, dashes, * and ?, for example A100-*-40GB',
  uuids: 'must be a GPU UUID as nvidia-smi -L prints it: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
  pciDeviceIds: 'must be NVIDIA’s device and vendor id, for example 0x20B010DE',
  profiles: 'must be a profile as nvidia-smi writes it, such as 1g.5gb, or a glob, such as 1g.*',
  name: 'must be letters, digits, dots, dashes, plus signs and underscores, beginning and ending with a letter or digit',
};

function parentOf(pointer: string): string {
  return pointer.split('/').at(-2) ?? '';
}

function nameChoice(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(', ')}`;
}

function nameType(type: string): string {
  const names: Readonly<Record<string, string>> = {
    object: 'an object',
    array: 'a list',
    string: 'a string; put it in quotes',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return names[type] ?? type;
}

type Check = (value: unknown, path: FieldPath) => readonly Finding[];

/** apimachinery `api/validation`: all keys and values of the annotations together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** What people write into metadata, and what the API server would refuse of it. */
const written: Readonly<Record<string, Check>> = {
  name: checkName,
  generateName: checkGenerateName,
  labels: (value, path) => checkMap(value, path, explainKey, explainLabelValue),
  annotations: checkAnnotations,
};

/** What servers and controllers write: an object that was read from a cluster has it, and only the server can judge it. */
const serversFields: readonly string[] = [
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** What the API server refuses in an object's metadata. Null counts as absent. The schema checks whether there is a name, and its type. */
function checkMetadata(metadata: unknown): readonly Finding[] {
  return checkEach(Object.entries(fieldsOf(metadata) ?? {}), ([name, value]) => {
    const at = ['metadata', name];
    const check = Object.hasOwn(written, name) ? written[name] : undefined;
    if (check !== undefined) return value === null ? [] : check(value, at);
    return serversFields.includes(name) ? [] : refuse(at, explainUnknownField(at, Object.keys(written)));
  });
}

function checkName(value: unknown, path: FieldPath): readonly Finding[] {
  if (typeof value !== 'string' || value === '' || isSubdomain(value)) return [];
  const message = `${JSON.stringify(value)} is not a Kubernetes object name: lower-case letters, digits, - and ., first and last a letter or digit`;
  return [{ severity: 'error', code: 'InvalidName', path, message }];
}

/** The server appends letters and digits, so it may end with a dash. */
function checkGenerateName(value: unknown, path: FieldPath): readonly Finding[] {
  if (typeof value !== 'string') return refuse(path, 'must be a string; put it in quotes');
  return checkName(value.replace(/-$/, 'a'), path);
}

function checkAnnotations(value: unknown, path: FieldPath): readonly Finding[] {
  const findings = checkMap(
    value,
    path,
    (key) => explainKey(key.toLowerCase()),
    () => undefined,
  );
  const texts = Object.entries(fieldsOf(value) ?? {}).flat();
  const bytes = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? countBytes(text) : 0), 0);
  if (bytes <= MAX_ANNOTATION_BYTES) return findings;
  return [...findings, ...refuse(path, `must have at most ${MAX_ANNOTATION_BYTES} bytes in total, they have ${bytes}`)];
}

function checkMap(
  value: unknown,
  path: FieldPath,
  explainName: (key: string) => string | undefined,
  explainValue: (value: string) => string | undefined,
): readonly Finding[] {
  if (!isFields(value)) return refuse(path, 'must be an object');
  return checkEach(Object.entries(value), ([key, item]) => {
    const at = [...path, key];
    // The server decodes null as an empty string here.
    if (item !== null && typeof item !== 'string') return refuse(at, 'must be a string; put it in quotes');
    const reason = explainName(key) ?? explainValue(item ?? '');
    return reason === undefined ? [] : refuse(at, reason);
  });
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function refuse(path: FieldPath, message: string): readonly Finding[] {
  return [{ severity: 'error', code: 'InvalidField', path, message }];
}

/** A spec as the API server stores it: omitted fields have the schema's defaults. */
export function fillDefaults(spec: PolicySpec): PolicySpec {
  return {
    ...specDefaults,
    ...spec,
    drain: { ...specDefaults.drain, ...spec.drain },
    rollout: { ...specDefaults.rollout, ...spec.rollout },
    allow: { ...specDefaults.allow, ...spec.allow },
  };
}

/** The number of findings about one list or object that is read; it may have hundreds of thousands. */
const mostOfOne = 100;

/** What a check finds in the items, in their order, up to the first hundred or so. */
export function checkEach<Item, Found>(
  items: readonly Item[],
  check: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  const found: Found[] = [];
  for (const [index, item] of items.entries()) {
    found.push(...check(item, index));
    if (found.length >= mostOfOne) break;
  }
  return found;
}

/** A rule that a policy breaks; the message is the CRD's own. */
interface BrokenRule {
  readonly path: FieldPath;
  readonly message: string;
}

/** The messages of the CRD's CEL rules, verbatim: a user sees the same sentence wherever a rule is checked. */
export const RULE_MESSAGES = {
  longName: "a policy's name becomes a label value on nodes: at most 63 characters",
  singleProfile:
    'strategy single needs exactly one profile in each layout: with two, the device plugin refuses to start and the node shows MIG-INVALID; use strategy mixed for several profiles',
  mixedComputeInstance:
    'strategy mixed cannot advertise compute instance profiles such as 1c.3g.20gb: the device plugin would not start; use whole GPU instances, or strategy single',
  draBackend: 'dra needs backend DRA or Auto: the device plugin reads no DeviceClass',
  draStrategy:
    "backends DRA and Auto need strategy mixed: the DRA driver offers every slice by its profile and every whole GPU as itself; none and single are the device plugin's",
  draComputeInstance:
    'backend DRA cannot offer compute instance profiles such as 1c.3g.20gb: the DRA driver would exit, for every GPU of the node; use whole GPU instances',
  draSharing:
    'backends DRA and Auto do not take sharing.timeSlicing, which is a setting of the device plugin: share a slice by a ResourceClaim that several pods use',
  draDemand:
    'with backend DRA or Auto pods may ask by claims, which a demand does not count yet: give each slice a count, without from',
  emptySelector:
    'nodeSelector must not be empty: set at least one label, for example pool: inference or nvidia.com/gpu.present: "true"',
  changingLabel:
    'nodeSelector uses a label that a layout changes: select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models',
  impossibleLabel:
    'nodeSelector has a label that no node can have: a key has at most 63 letters, digits, - _ and ., optionally after a DNS name and a slash; so does a value, which may be empty; both begin and end with a letter or digit',
  operatorValues: 'operators In and NotIn need values; Exists and DoesNotExist must have none',
  mps: 'MPS is rejected: sharing using MPS is not supported for MIG devices (NVIDIA device plugin); use timeSlicing, or smaller slices',
  tooManyGlobs: 'at most 256 models selectors in all layouts together',
  tooManyProfiles: 'at most 256 profiles in all layouts together',
  layoutsOrDemand:
    'exactly one of layouts and demand must be set: layouts say what each GPU becomes, a demand what all of them offer together',
  demandStrategy:
    'a demand needs strategy mixed: under single pods request nvidia.com/gpu, which says no size, and a node changes only as a whole; none offers no slices. Write layouts for these',
  drainTimeout:
    'timeout 0s gives up before the first eviction: set for how long pods may terminate, for example 10m, or onTimeout Wait',
  demandDrain:
    'a demand evicts no pod unless its evict is IfNeeded, so drain.scope Node has nothing to do: leave it out, or set demand.evict: IfNeeded',
  demandRest:
    'what a demand does not need changes without any eviction, and drain.scope Node would evict all pods of the node: leave out demand.rest or drain.scope',
  demandSharing:
    'a demand counts slices, and sharing would offer each of them several times: leave out sharing, or write layouts',
  sliceCount: 'count is a fixed number, and min, max and spare follow pods: set one or the others',
  sliceRange: 'min of a slice must not be more than its max',
  declaredCount: 'each slice of a demand needs a count, unless from: Pods or from: Kueue has it follow pods',
  declaredSteady:
    'stabilization is about what pods ask for, which a demand follows only with from: Pods or from: Kueue',
  sliceKind:
    'exactly one of profiles, memory and mig must be set: profiles names what serves, memory the least that does, and mig: Disabled asks for whole GPUs',
  sliceNames:
    'two slices of a demand have one name; a slice without a name has that of its first profile or its memory, or whole',
  scheduleNames: 'two schedules have one name',
  scheduleContent: 'exactly one of layouts and demand must be set in a schedule',
  tooManyScheduledGlobs: 'at most 256 models selectors in all layouts of the schedules together',
  tooManyScheduledProfiles: 'at most 256 profiles in all layouts of the schedules together',
  exclusive: 'exactly one of profiles, preset and mig must be set',
  profileName:
    'a profile is written as nvidia-smi writes it, for example 1g.5gb, 1g.5gb+me, 1g.24gb-me, 2g.48gb+gfx or 1c.3g.20gb',
} as const;

function breakIf(isBroken: boolean, path: FieldPath, message: string): readonly BrokenRule[] {
  return isBroken ? [{ path, message }] : [];
}

/** The CEL rules of `nodeSelector`. */
function checkSelector(selector: Fields, path: FieldPath): readonly BrokenRule[] {
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

const PROFILE = /^([1-7]c[.])?[1-9]g[.][0-9]{1,3}gb([+](me|me[.]all|gfx)|-me)?$/;

/**
 * The CEL rules of the policies' CRD, without an API server. Accepts any value: wrong types are the schema's to report, and break no
 * rule.
 */
export function findBrokenRules(policy: unknown): readonly BrokenRule[] {
  const view = viewAsServer(policy);
  const spec = fieldsOf(view?.['spec']);
  const name = fieldsOf(view?.['metadata'])?.['name'];
  return [
    ...breakIf(typeof name === 'string' && name.length > 63, ['metadata', 'name'], RULE_MESSAGES.longName),
    ...(spec === undefined ? [] : checkSpec(spec)),
  ];
}

function checkSpec(spec: Fields): readonly BrokenRule[] {
  const selector = fieldsOf(spec['nodeSelector']);
  return [
    ...(selector === undefined ? [] : checkSelector(selector, ['spec', 'nodeSelector'])),
    ...breakIf(fieldsOf(spec['sharing'])?.['mps'] !== undefined, ['spec', 'sharing', 'mps'], RULE_MESSAGES.mps),
    ...checkDrain(fieldsOf(spec['drain']) ?? {}),
    ...checkDemandRules(spec),
    ...(mayUseClaims(spec)
      ? checkDra(spec)
      : breakIf(fieldsOf(spec['dra']) !== undefined, ['spec', 'dra'], RULE_MESSAGES.draBackend)),
    ...checkTotals(listOf(spec['layouts'])),
    ...checkEach(listOf(spec['layouts']), (layout, index) => checkLayout(layout, spec, ['spec', 'layouts', index])),
    ...checkSchedules(spec),
  ];
}

/** What holds for a policy's own layouts or demand holds for those of its schedules. */
function checkSchedules(spec: Fields): readonly BrokenRule[] {
  const schedules = listOf(spec['schedules']).map((one) => fieldsOf(one) ?? {});
  const names = schedules.map(({ name }) => name);
  const at = ['spec', 'schedules'];
  return [
    ...breakIf(new Set(names).size < names.length, at, RULE_MESSAGES.scheduleNames),
    ...checkTotals(
      schedules.flatMap(({ layouts }) => listOf(layouts)),
      { at, globs: RULE_MESSAGES.tooManyScheduledGlobs, profiles: RULE_MESSAGES.tooManyScheduledProfiles },
    ),
    ...checkEach(schedules, ({ layouts, demand }, index) => [
      ...breakIf((layouts === undefined) === (demand === undefined), [...at, index], RULE_MESSAGES.scheduleContent),
      ...checkDemandFields(spec, fieldsOf(demand), [...at, index, 'demand']),
      ...checkEach(listOf(layouts), (layout, entry) => checkLayout(layout, spec, [...at, index, 'layouts', entry])),
    ]),
  ];
}

function checkDra({ strategy, sharing }: Fields): readonly BrokenRule[] {
  const isSliced = fieldsOf(sharing)?.['timeSlicing'] !== undefined;
  return [
    ...breakIf(strategy !== 'mixed', ['spec', 'strategy'], RULE_MESSAGES.draStrategy),
    ...breakIf(isSliced, ['spec', 'sharing', 'timeSlicing'], RULE_MESSAGES.draSharing),
  ];
}

function checkDrain({ scope, onTimeout = 'Skip', timeout }: Fields): readonly BrokenRule[] {
  const isNone = typeof timeout === 'string' && /^(0+[smh])+$/.test(timeout);
  return breakIf(isNone && scope !== 'None' && onTimeout === 'Skip', ['spec', 'drain'], RULE_MESSAGES.drainTimeout);
}

function isDeclared(demand: Fields): boolean {
  return (demand['from'] ?? 'Declared') === 'Declared';
}

function checkDemandRules(spec: Fields): readonly BrokenRule[] {
  const isOne = (spec['layouts'] === undefined) !== (spec['demand'] === undefined);
  return [
    ...breakIf(!isOne, ['spec'], RULE_MESSAGES.layoutsOrDemand),
    ...checkDemandFields(spec, fieldsOf(spec['demand']), ['spec', 'demand']),
  ];
}

function checkDemandFields(spec: Fields, demand: Fields | undefined, at: FieldPath): readonly BrokenRule[] {
  if (demand === undefined) return [];
  const slices = listOf(demand['slices']).map((slice) => fieldsOf(slice) ?? {});
  const lacksCount = isDeclared(demand) && slices.some(({ count }) => count === undefined);
  const isSteadied = isDeclared(demand) && demand['stabilization'] !== undefined;
  const names = slices.map(({ name, profiles, memory }) => name ?? listOf(profiles)[0] ?? memory ?? 'whole');
  const laysRest = demand['rest'] !== undefined && demand['rest'] !== 'Keep';
  const drainsAll = fieldsOf(spec['drain'])?.['scope'] === 'Node';
  return [
    ...breakIf(mayUseClaims(spec) && !isDeclared(demand), [...at, 'from'], RULE_MESSAGES.draDemand),
    ...breakIf(spec['strategy'] !== 'mixed', ['spec', 'strategy'], RULE_MESSAGES.demandStrategy),
    ...breakIf(drainsAll && demand['evict'] !== 'IfNeeded', ['spec', 'drain', 'scope'], RULE_MESSAGES.demandDrain),
    ...breakIf(drainsAll && laysRest, [...at, 'rest'], RULE_MESSAGES.demandRest),
    ...breakIf(spec['sharing'] !== undefined, ['spec', 'sharing'], RULE_MESSAGES.demandSharing),
    ...breakIf(lacksCount, at, RULE_MESSAGES.declaredCount),
    ...breakIf(isSteadied, [...at, 'stabilization'], RULE_MESSAGES.declaredSteady),
    ...breakIf(new Set(names).size < names.length, [...at, 'slices'], RULE_MESSAGES.sliceNames),
    ...checkEach(slices, ({ profiles, memory, mig, count, min, max, spare }, index) => [
      ...breakIf(
        [profiles, memory, mig].filter((one) => one !== undefined).length !== 1,
        [...at, 'slices', index],
        RULE_MESSAGES.sliceKind,
      ),
      ...breakIf(
        count !== undefined && [min, max, spare].some((one) => one !== undefined),
        [...at, 'slices', index],
        RULE_MESSAGES.sliceCount,
      ),
      ...breakIf(
        typeof min === 'number' && typeof max === 'number' && min > max,
        [...at, 'slices', index],
        RULE_MESSAGES.sliceRange,
      ),
    ]),
  ];
}

/** Bounds the total cost of a policy for the controller: each layout is judged on every model. */
function checkTotals(
  layouts: readonly unknown[],
  words: { readonly at: FieldPath; readonly globs: string; readonly profiles: string } = {
    at: ['spec', 'layouts'],
    globs: RULE_MESSAGES.tooManyGlobs,
    profiles: RULE_MESSAGES.tooManyProfiles,
  },
): readonly BrokenRule[] {
  const sum = (sizeOf: (layout: Fields) => number): number =>
    layouts.reduce<number>((total, layout) => total + sizeOf(fieldsOf(layout) ?? {}), 0);
  const globs = sum(({ gpus }) => listOf(fieldsOf(gpus)?.['models']).length);
  const profiles = sum((layout) => Object.keys(fieldsOf(layout['profiles']) ?? {}).length);
  return [
    ...breakIf(globs > mostInAll, words.at, words.globs),
    ...breakIf(profiles > mostInAll, words.at, words.profiles),
  ];
}

const mostInAll = 256;

function checkLayout(layout: unknown, { strategy, backend }: Fields, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(layout);
  if (fields === undefined) return [];
  const set = ['profiles', 'preset', 'mig'].filter((name) => fields[name] !== undefined);
  const profiles = fieldsOf(fields['profiles']);
  const names = Object.keys(profiles ?? {});
  const at = [...path, 'profiles'];
  return [
    ...breakIf(set.length !== 1, path, RULE_MESSAGES.exclusive),
    ...breakIf(strategy === 'single' && profiles !== undefined && names.length !== 1, at, RULE_MESSAGES.singleProfile),
    ...checkEach(names, (name) => [
      ...breakIf(!PROFILE.test(name), [...at, name], RULE_MESSAGES.profileName),
      ...breakIf(strategy === 'mixed' && name.includes('c.'), [...at, name], RULE_MESSAGES.mixedComputeInstance),
      ...breakIf(backend === 'DRA' && name.includes('c.'), [...at, name], RULE_MESSAGES.draComputeInstance),
    ]),
  ];
}
