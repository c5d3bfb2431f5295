import { checkEach, type FieldPath, type Finding } from '../text/finding.ts';
import { explainKey, explainLabelValue, isSubdomain } from '../text/label-syntax.ts';
import { type Fields, fieldsOf, isFields } from './broken-rule.ts';

type Check = (value: unknown, path: FieldPath) => readonly Finding[];

/** apimachinery `api/validation`: all keys and values of the annotations together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * What the API server refuses in an object's metadata: it checks the fields of every kind alike (apimachinery, ObjectMeta and
 * ValidateObjectMeta). Null counts as absent. The schema checks whether there is a name, and its type.
 */
export function checkMetadata(metadata: unknown): readonly Finding[] {
  const fields = fieldsOf(metadata);
  return fields === undefined ? [] : checkFields(fields, OBJECT_META, ['metadata']);
}

const OBJECT_META: Readonly<Record<string, Check>> = {
  name: checkName,
  generateName: checkGenerateName,
  namespace: checkText,
  selfLink: checkText,
  uid: checkText,
  resourceVersion: checkText,
  generation: checkInteger,
  creationTimestamp: checkTime,
  deletionTimestamp: checkTime,
  deletionGracePeriodSeconds: checkInteger,
  labels: (value, path) => checkMap(value, path, explainKey, explainLabelValue),
  annotations: checkAnnotations,
  ownerReferences: checkOwners,
  finalizers: checkFinalizers,
  managedFields: (value, path) => checkList(value, path, (item, at) => checkObject(item, MANAGED_FIELDS, at)),
};

const OWNER_REFERENCE: Readonly<Record<string, Check>> = {
  apiVersion: checkText,
  kind: checkText,
  name: checkText,
  uid: checkText,
  controller: checkBoolean,
  blockOwnerDeletion: checkBoolean,
};

const MANAGED_FIELDS: Readonly<Record<string, Check>> = {
  manager: checkText,
  operation: checkText,
  apiVersion: checkText,
  time: checkTime,
  fieldsType: checkText,
  fieldsV1: () => [],
  subresource: checkText,
};

function checkFields(fields: Fields, checks: Readonly<Record<string, Check>>, path: FieldPath): readonly Finding[] {
  return checkEach(Object.entries(fields), ([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const at = [...path, name];
    if (check === undefined) return refuse(at, `unknown field ${name}; the API server would drop it`);
    return value === null ? [] : check(value, at);
  });
}

function checkObject(value: unknown, checks: Readonly<Record<string, Check>>, path: FieldPath): readonly Finding[] {
  return isFields(value) ? checkFields(value, checks, path) : refuse(path, 'must be an object');
}

function checkName(value: unknown, path: FieldPath): readonly Finding[] {
  if (typeof value !== 'string' || value === '' || isSubdomain(value)) return [];
  const message = `${JSON.stringify(value)} is not a Kubernetes object name: lower-case letters, digits, - and ., first and last a letter or digit`;
  return [{ severity: 'error', code: 'InvalidName', path, message }];
}

/** The server appends letters and digits, so it may end with a dash. */
function checkGenerateName(value: unknown, path: FieldPath): readonly Finding[] {
  return typeof value === 'string' ? checkName(value.replace(/-$/, 'a'), path) : checkText(value, path);
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

function checkOwners(value: unknown, path: FieldPath): readonly Finding[] {
  const findings = checkList(value, path, (item, at) => {
    const owner = item ?? {};
    return [...checkObject(owner, OWNER_REFERENCE, at), ...(isFields(owner) ? requireOwner(owner, at) : [])];
  });
  const controllers = (Array.isArray(value) ? value : []).filter((item) => fieldsOf(item)?.['controller'] === true);
  if (controllers.length < 2) return findings;
  return [...findings, ...refuse(path, 'only one owner can have controller: true')];
}

function requireOwner(owner: Fields, path: FieldPath): readonly Finding[] {
  const missing = ['apiVersion', 'kind', 'name', 'uid'].filter((name) =>
    [undefined, null, ''].includes(owner[name] as ''),
  );
  const { apiVersion, kind } = owner;
  const isBanned = apiVersion === 'v1' && kind === 'Event';
  const isOdd = typeof apiVersion === 'string' && apiVersion.split('/').length > 2;
  return [
    ...missing.flatMap((name) => refuse(path, `${name} is missing`)),
    ...(isOdd ? refuse([...path, 'apiVersion'], 'must be a group and a version, such as apps/v1') : []),
    ...(isBanned ? refuse(path, 'an Event cannot own anything') : []),
  ];
}

function checkFinalizers(value: unknown, path: FieldPath): readonly Finding[] {
  const findings = checkList(value, path, (item, at) => {
    if (item !== null && typeof item !== 'string') return checkText(item, at);
    const reason = explainKey(item ?? '');
    return reason === undefined ? [] : refuse(at, reason);
  });
  const isBoth = Array.isArray(value) && value.includes('orphan') && value.includes('foregroundDeletion');
  return isBoth ? [...findings, ...refuse(path, 'orphan and foregroundDeletion exclude each other')] : findings;
}

function checkList(value: unknown, path: FieldPath, check: Check): readonly Finding[] {
  if (!Array.isArray(value)) return refuse(path, 'must be a list');
  return checkEach(value, (item: unknown, index) => check(item, [...path, index]));
}

function checkText(value: unknown, path: FieldPath): readonly Finding[] {
  return typeof value === 'string' ? [] : refuse(path, 'must be a string; put it in quotes');
}

function checkBoolean(value: unknown, path: FieldPath): readonly Finding[] {
  return typeof value === 'boolean' ? [] : refuse(path, 'must be true or false');
}

function checkInteger(value: unknown, path: FieldPath): readonly Finding[] {
  return Number.isInteger(value) ? [] : refuse(path, 'must be a whole number');
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function checkTime(value: unknown, path: FieldPath): readonly Finding[] {
  const date = typeof value === 'string' ? TIME.exec(value)?.[1] : undefined;
  // If a month has no such day (a 31st, say), Date moves to another day.
  const isDay = date !== undefined && toDay(date) === date;
  return isDay ? [] : refuse(path, 'must be a time such as 2026-01-31T12:00:00Z');
}

function toDay(date: string): string | undefined {
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function refuse(path: FieldPath, message: string): readonly Finding[] {
  return [{ severity: 'error', code: 'InvalidField', path, message }];
}
