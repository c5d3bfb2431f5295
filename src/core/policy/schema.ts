// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here whether an object has the form of a policy, and what its defaults are.
import { type Fields, fieldsOf, isFields, listOf } from '../text/json.ts';
import { cutGenerateName, explainKey, explainLabelValue, isSubdomain } from '../text/syntax.ts';
import { shape } from '../../api/generated/gpu-partition-policy.shape.ts';
import { type FieldPath, type Finding, checkEach } from '../text/findings.ts';
import { findNearestWords } from '../text/words.ts';
import { validate } from '../../api/generated/gpu-partition-policy.validate.js';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { specDefaults } from '../../api/generated/gpu-partition-policy.defaults.ts';

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
export function checkMetadata(metadata: unknown): readonly Finding[] {
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
