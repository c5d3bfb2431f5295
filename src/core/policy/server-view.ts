import { type Fields, fieldsOf, isFields } from '../text/fields.ts';
import { cutGenerateName } from '../text/label-syntax.ts';

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
