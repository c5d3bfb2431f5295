// Writes the parts of the chart that are the same as config/; src/api/generated from crds/: one TypeScript interface per kind, and
// an ajv standalone validator of what users write; docs/api.md, docs/metrics.md, docs/configuration.md and two pages of docs/internal; and Grafana's dashboards.
// `make verify` runs it and fails when the result differs from what is committed.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { writeChart } from './chart.mjs';
import { writeConfigurationPage } from './configuration-page.mjs';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';
import { format } from 'oxfmt';
import { parse } from 'yaml';
import { writeApiPages } from './generate-api-docs.mjs';
import { writeBenchmarkRows } from './generate-benchmark-rows.mjs';
import { writeFaultCatalogue } from './generate-fault-catalogue.mjs';
import { writeMessages } from './generate-messages.mjs';
import { writeDashboards } from './generate-dashboard.mjs';
import { writeMetricsPage } from './generate-metrics.mjs';

/** Written by users in files; everything else has been validated by the API server. */
const validated = ['GpuPartitionPolicy'];

const source = new URL('../crds/', import.meta.url);
const target = new URL('../src/api/generated/', import.meta.url);
const { singleQuote, printWidth } = JSON.parse(await readFile(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'));
const banner = '// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.';

/** JSON schema of a CRD schema: closed objects, no Kubernetes extensions, metadata left open. */
function toJsonSchema(node, path = []) {
  if (Array.isArray(node)) return node.map((item) => toJsonSchema(item, path));
  if (node === null || typeof node !== 'object') return node;
  const result = {};
  for (const [key, value] of Object.entries(node)) {
    if (key.startsWith('x-kubernetes-')) continue;
    // ajv checks formats only with a plug-in; the API server has already checked them.
    if (key === 'format') continue;
    result[key] =
      key === 'properties'
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, toJsonSchema(child, [...path, name])]))
        : toJsonSchema(value, path);
  }
  if (node['x-kubernetes-int-or-string'] === true) {
    // Bounds are for numbers, a pattern is for strings: each ignores the other type.
    const { anyOf, description, minimum, maximum, pattern } = result;
    return { description, anyOf, minimum, maximum, pattern };
  }
  if (result.type === 'object' && result.additionalProperties === undefined) {
    const keepsUnknown = node['x-kubernetes-preserve-unknown-fields'] === true;
    result.additionalProperties = keepsUnknown || (path.length === 1 && path[0] === 'metadata');
  }
  return result;
}

/** Writes a module formatted as all others are. */
async function writeModule(name, text) {
  const { code, errors } = await format(name, `${banner}\n${text}`, { singleQuote, printWidth });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  await writeFile(new URL(name, target), code);
}

/** What the API server fills in for fields that a user omits, as nested objects; undefined if nothing. */
function defaultsOf({ default: value, properties }) {
  const inner = Object.entries(properties ?? {}).flatMap(([name, child]) => {
    const found = defaultsOf(child);
    return found === undefined ? [] : [[name, found]];
  });
  // Fields of an optional object get defaults only if the object is present: we have no such fields.
  if (properties !== undefined && value === undefined && inner.length > 0) {
    throw new Error(`defaults in an object without a default: ${inner.map(([name]) => name).join(', ')}`);
  }
  return inner.length > 0 ? { ...value, ...Object.fromEntries(inner) } : value;
}

const keepsUnknown = 'x-kubernetes-preserve-unknown-fields';

/** Types and required fields alone: objects of other releases have more fields, and other values. */
function toShape(node) {
  if (Array.isArray(node)) return node.map(toShape);
  if (node === null || typeof node !== 'object') return node;
  const { type, anyOf, required, properties, items, additionalProperties } = node;
  const fields = Object.entries(properties ?? {}).map(([name, child]) => [name, toShape(child)]);
  return {
    ...(type && { type }),
    ...(anyOf && { anyOf: toShape(anyOf) }),
    ...(required && { required }),
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(items && { items: toShape(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: toShape(additionalProperties) }),
    ...(node[keepsUnknown] === true && { [keepsUnknown]: true }),
  };
}

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** How long texts may be, and how far numbers may go; undefined where nothing is bounded. */
function toBounds(node) {
  const { format, maxLength, properties = {}, items, additionalProperties } = node;
  const { minimum, maximum } = { ...(format === 'int32' && int32), ...node };
  const inner = Object.entries(properties).flatMap(([name, child]) => {
    const found = toBounds(child);
    return found === undefined ? [] : [[name, found]];
  });
  const bounds = {
    maxLength,
    minimum,
    maximum,
    properties: inner.length > 0 ? Object.fromEntries(inner) : undefined,
    items: items && toBounds(items),
    additionalProperties: typeof additionalProperties === 'object' ? toBounds(additionalProperties) : undefined,
  };
  return Object.values(bounds).some((one) => one !== undefined) ? bounds : undefined;
}

const metadata = {
  type: 'object',
  additionalProperties: true,
  required: ['name'],
  properties: {
    name: { type: 'string' },
    uid: { type: 'string' },
    generation: { type: 'integer' },
    resourceVersion: { type: 'string' },
    creationTimestamp: { type: 'string' },
    deletionTimestamp: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' } },
  },
};

await writeChart();
await writeConfigurationPage();
await mkdir(target, { recursive: true });
for (const file of (await readdir(source)).filter((name) => name.startsWith('gpupartition.dev_')).sort()) {
  const crd = parse(await readFile(new URL(file, source), 'utf8'));
  const kind = crd.spec.names.kind;
  const module = kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  const version = crd.spec.versions[0];
  const schema = toJsonSchema(version.schema.openAPIV3Schema);
  schema.title = kind;
  schema.required = ['apiVersion', 'kind', 'metadata', ...(schema.required ?? [])];
  schema.properties.apiVersion = { type: 'string', const: `${crd.spec.group}/${version.name}` };
  schema.properties.kind = { type: 'string', const: kind };
  schema.properties.metadata = metadata;

  // maxItems and minItems of big lists become tuple unions: types are about shape, the validator about size.
  const typeSchema = JSON.parse(
    JSON.stringify(schema, (key, value) => (['maxItems', 'minItems'].includes(key) ? undefined : value)),
  );
  const types = await compile(typeSchema, kind, {
    bannerComment: '',
    additionalProperties: false,
    format: false,
  });
  await writeModule(`${module}.ts`, types);
  const { spec: specSchema, status: statusSchema } = version.schema.openAPIV3Schema.properties;
  const shape = { spec: toShape(specSchema), status: toShape(statusSchema) };
  await writeModule(`${module}.shape.ts`, `export const shape = ${JSON.stringify(shape)};\n`);
  await writeModule(`${module}.bounds.ts`, `export const statusBounds = ${JSON.stringify(toBounds(statusSchema))};\n`);
  if (!validated.includes(kind)) continue;

  const { spec } = version.schema.openAPIV3Schema.properties;
  const defaults = defaultsOf({ ...spec, default: {} });
  await writeModule(`${module}.defaults.ts`, `export const specDefaults = ${JSON.stringify(defaults)} as const;\n`);

  const ajv = new Ajv({ allErrors: true, strict: false, code: { source: true, esm: true, lines: true } });
  const validate = ajv.compile(schema);
  const code = standaloneCode.default ? standaloneCode.default(ajv, validate) : standaloneCode(ajv, validate);
  // ajv collects every error. Of a list with hundreds of thousands of mistakes the first are enough.
  const bounded = code
    .replaceAll(/vErrors\.push\((\w+)\);/g, 'if (vErrors.length < 1000) vErrors.push($1);')
    .replaceAll(/vErrors\.length = (\w+);/g, 'vErrors.length = Math.min(vErrors.length, $1);');
  // ajv emits require() for its runtime parts even in an ES module.
  const portable = bounded.replaceAll(
    /const (\w+) = require\("(ajv\/dist\/runtime\/\w+)"\)\.default;/g,
    'import $1Module from "$2.js";\nconst $1 = $1Module.default;',
  );
  await writeFile(new URL(`${module}.validate.js`, target), `${banner}\n${portable}`);
  await writeFile(
    new URL(`${module}.validate.d.ts`, target),
    [
      banner,
      "import type { ErrorObject } from 'ajv';",
      `import type { ${kind} } from './${module}.ts';`,
      `export const validate: {`,
      `  (data: unknown): data is ${kind};`,
      `  errors?: readonly ErrorObject[] | null;`,
      `};`,
      '',
    ].join('\n'),
  );
}

await writeApiPages();
await writeBenchmarkRows();
await writeFaultCatalogue();
await writeMessages();
await writeMetricsPage();
await writeDashboards();
