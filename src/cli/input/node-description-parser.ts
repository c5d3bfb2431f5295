import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';

import {
  MIG_ATTRIBUTE_NAMES,
  type GpuDescription,
  type NodeDescription,
} from '../../core/nvidia/labels/node-description.ts';
import { fieldsOf, listOf } from '../../core/text/fields.ts';
import { writePath, type FieldPath } from '../../core/text/finding.ts';

/** One thing that is wrong with hand-written input. */
export interface FieldProblem {
  /** `gpus[0].migDevices[2].attributes["slices.gi"]`; `$` for the input as a whole. */
  readonly path: string;
  readonly message: string;
}

export type ParsedNodeDescription =
  | { readonly ok: true; readonly node: NodeDescription }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** A GPU out of MIG mode may come without a list of slices. */
type WrittenNode = Omit<NodeDescription, 'gpus'> & {
  readonly gpus: readonly (Omit<GpuDescription, 'migDevices'> & Partial<Pick<GpuDescription, 'migDevices'>>)[];
};

// A title says what a value must be, a description what a text must look like.
const text = { type: 'string', title: 'a string' };
const flag = { type: 'boolean', title: 'true or false' };
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, title: 'a whole number, 0 or more' };
const pair = { type: 'array', minItems: 2, maxItems: 2, items: count, title: 'two whole numbers [major, minor]' };
const like = (pattern: RegExp, description: string): SchemaObject => ({
  ...text,
  pattern: pattern.source,
  description,
});
const list = (items: SchemaObject): SchemaObject => ({ type: 'array', items, title: 'a list' });
const object = (
  required: Readonly<Record<string, SchemaObject>>,
  optional: Readonly<Record<string, SchemaObject>> = {},
): SchemaObject => ({
  type: 'object',
  title: 'an object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

const slice = object({
  profile: like(/^(?:\d+c\.)?\d+g\.\d+gb(?:[+.-][a-z]+)*$/, '1g.5gb or 1g.10gb+me'),
  attributes: object(Object.fromEntries(MIG_ATTRIBUTE_NAMES.map((name) => [name, count]))),
});
const gpu = object(
  { name: { ...text, minLength: 1 }, memoryMiB: count, computeCapability: pair, migCapable: flag, migEnabled: flag },
  { pciClass: like(/^0x[0-9a-fA-F]{4}(?:[0-9a-fA-F]{2})?$/, '0x030200'), migDevices: list(slice) },
);
const node = object(
  { driverVersion: like(/^\d+\.\d+(?:\.\d+)?$/, '550.54.15'), cudaDriverVersion: pair, gpus: list(gpu) },
  { machine: text, clique: text },
);

const isWrittenNode = new Ajv({ allErrors: true, verbose: true }).compile<WrittenNode>(node);

/** Checks a node description that a user wrote or exported. Reports all problems, each with its field. */
export function parseNodeDescription(value: unknown): ParsedNodeDescription {
  const isShaped = isWrittenNode(value);
  const found = [...(isWrittenNode.errors ?? []).map(describe), ...checkModes(value)];
  // A number may be neither whole nor positive: of each field one problem.
  const problems = [...new Map(found.map((problem) => [problem.path, problem])).values()];
  if (!isShaped || problems.length > 0) return { ok: false, problems };
  const gpus = value.gpus.map((one) => ({ ...one, migDevices: one.migDevices ?? [] }));
  return { ok: true, node: { ...value, gpus } };
}

/** What MIG mode demands of a GPU, of whatever shape the rest is. */
function checkModes(value: unknown): readonly FieldProblem[] {
  return listOf(fieldsOf(value)?.['gpus']).flatMap((one, index) => {
    const { migCapable, migEnabled, migDevices } = fieldsOf(one) ?? {};
    const slices = listOf(migDevices).length;
    const say = (field: string, message: string): FieldProblem => ({ path: `gpus[${index}].${field}`, message });
    if (migEnabled === false && slices > 0)
      return [say('migDevices', `must be empty where migEnabled is false, but has ${slices}`)];
    if (migEnabled !== true) return [];
    return [
      ...(migCapable === false ? [say('migEnabled', 'must be false where migCapable is false')] : []),
      ...(migDevices === undefined ? [say('migDevices', 'must be a list, but is missing')] : []),
    ];
  });
}

function describe({ keyword, instancePath, params, parentSchema = {}, data }: ErrorObject): FieldProblem {
  // No known field has a name that a JSON pointer would escape.
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const { title, description, properties = {} } = parentSchema as SchemaObject;
  const say = (message: string, at: FieldPath = path): FieldProblem => ({ path: writePath(at), message });
  switch (keyword) {
    case 'required': {
      const field = String(params['missingProperty']);
      return say(`must be ${properties[field].title}, but is missing`, [...path, field]);
    }
    case 'additionalProperties': {
      const known = Object.keys(properties).join(', ');
      return say(`is not a known field; known: ${known}`, [...path, String(params['additionalProperty'])]);
    }
    case 'minLength':
      return say('must not be empty');
    case 'pattern':
      return say(`must look like ${description}, but is ${nameType(data)}`);
    default:
      return say(`must be ${title}, but is ${nameType(data)}`);
  }
}

function nameType(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : JSON.stringify(value);
}
