import { validate } from '../../api/generated/gpu-partition-policy.validate.js';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/finding.ts';
import { viewAsServer } from './server-view.ts';
import { explainUnknownField } from './unknown-field.ts';
import { listOf } from '../text/fields.ts';

type ShapeError = NonNullable<typeof validate.errors>[number];

/** A policy of the right shape, or all findings of the CRD's schema. CEL rules are not included. */
export type CheckedShape = { readonly policy: GpuPartitionPolicy } | { readonly findings: readonly Finding[] };

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
