import { checkEach, type FieldPath, type Finding } from '../text/finding.ts';
import { explainKey, explainLabelValue, isSubdomain } from '../text/label-syntax.ts';
import { fieldsOf, isFields } from '../text/fields.ts';
import { explainUnknownField } from './unknown-field.ts';

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
