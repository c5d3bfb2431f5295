import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import {
  MIG_ATTRIBUTE_NAMES,
  type GpuDescription,
  type NodeDescription,
  MIG_STRATEGIES,
  type MigStrategy,
} from '../../core/nvidia/labels.ts';
import { fieldsOf, listOf } from '../../core/text/json.ts';
import { writePath, type FieldPath } from '../../core/text/words.ts';
import { Command, Option } from 'commander';
import { listNodeClaims } from '../../core/policy/device-classes.ts';
import { predictNode } from '../../core/nvidia/predict.ts';
import { oneOf } from '../../process/options.ts';
import type { CommandContext } from '../program.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { type Manifest, readManifestFile } from '../input/files.ts';
import { writeYaml } from '../node/layout-file.ts';
import { type OutputFormat, outputOption } from '../options.ts';

/** A fault in hand-written input. */
interface FieldProblem {
  /** `gpus[0].migDevices[2].attributes["slices.gi"]`; `$` for the input as a whole. */
  readonly path: string;
  readonly message: string;
}

type ParsedNodeDescription =
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

interface Options {
  readonly filename: string;
  readonly strategy?: MigStrategy;
  readonly backend: 'DevicePlugin' | 'DRA';
  readonly devicePluginConfig?: string;
  readonly output: OutputFormat;
}

export function labelsCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('labels')
    .description(
      'Predicts the nvidia.com/* labels and the resources that GPU Feature Discovery and the device plugin give a node, or the ' +
        'error with which they would stop. With --backend DRA: its labels, and how a workload claims each of its devices.',
    )
    .requiredOption('-f, --filename <file>', 'description of the node: driver, GPUs, MIG devices; - for standard input')
    .option(
      '--strategy <strategy>',
      `MIG strategy: ${MIG_STRATEGIES.join(', ')}; with --backend DRA always mixed`,
      oneOf(MIG_STRATEGIES),
    )
    .addOption(
      new Option('--backend <backend>', 'what hands the devices out: the device plugin, or NVIDIA’s DRA driver')
        .choices(['DevicePlugin', 'DRA'])
        .default('DevicePlugin'),
    )
    .option('--device-plugin-config <file>', 'config file of the device plugin, for its sharing section')
    .addOption(outputOption('json'))
    .action(async (options: Options) => {
      const { filename, backend, devicePluginConfig, output } = options;
      const strategy = strategyOf(options);
      const node = readNode(filename, await readDocument(filename, terminal));
      if (backend === 'DRA') {
        const { labels, errors } = predictNode(node, strategy);
        const claims = listNodeClaims(node);
        const answer = { labels, devices: claims.devices, errors: [...errors, ...claims.errors] };
        if (answer.errors.length > 0) outcome.code = 1;
        return output === 'json' ? printJson(terminal, answer) : printClaims(terminal, answer);
      }
      const file = devicePluginConfig === undefined ? undefined : await readDocument(devicePluginConfig, terminal);
      const config = devicePluginConfig === undefined ? undefined : { file: devicePluginConfig, value: file?.value };
      const { warnings, ...answer } = predictNode(node, strategy, config);
      if (answer.errors.length > 0) outcome.code = 1;
      if (output === 'json') printJson(terminal, answer);
      else printAnswer(terminal, answer);
      for (const warning of warnings)
        printLine(terminal.stderr, `${paint(terminal.stderr, 'yellow', 'warning:')} ${warning}`);
    });
}

/** @throws CliError if it is not given, or not one that the backend has */
function strategyOf({ strategy, backend, devicePluginConfig }: Options): MigStrategy {
  if (backend === 'DRA') {
    if (devicePluginConfig !== undefined)
      throw new CliError('--device-plugin-config is for the device plugin, and --backend DRA for nodes without it');
    if (strategy !== undefined && strategy !== 'mixed')
      throw new CliError(
        `the DRA driver offers every slice by its profile: --strategy ${strategy} does not go with --backend DRA`,
      );
    return 'mixed';
  }
  if (strategy === undefined) throw new CliError(`--strategy is required: ${MIG_STRATEGIES.join(', ')}`);
  return strategy;
}

/** @throws CliError that lists all problems of the file, each with its field */
function readNode(file: string, document: Manifest | undefined): NodeDescription {
  const parsed = parseNodeDescription(document?.value);
  if (parsed.ok) return parsed.node;
  throw new CliError(`${file}: ${parsed.problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
}

/** Reads the document of a file; undefined for an empty file. @throws CliError if it cannot be read or has several documents */
async function readDocument(path: string, terminal: Terminal): Promise<Manifest | undefined> {
  const { name, manifests } = await readManifestFile(path, terminal);
  if (manifests.length > 1) throw new CliError(`${name}: one document is wanted, it has ${manifests.length}`);
  return manifests[0];
}

type Answer = Omit<ReturnType<typeof predictNode>, 'warnings'>;

function printAnswer(terminal: Terminal, { resources, ...answer }: Answer): void {
  const { stdout } = terminal;
  printLabels(terminal, answer);
  for (const [name, count] of Object.entries(resources)) printLine(stdout, `resource ${name}: ${count}`);
}

function printLabels(terminal: Terminal, { labels, errors }: Pick<Answer, 'labels' | 'errors'>): void {
  const { stdout } = terminal;
  for (const error of errors) printLine(stdout, `${paint(stdout, 'red', 'error:')} ${error}`);
  for (const [key, value] of Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    printLine(stdout, `label ${key}=${value}`);
}

/** Prints the lines of a pod for each kind of device, and the template that they name. */
function printClaims(
  terminal: Terminal,
  { devices, ...answer }: Pick<Answer, 'labels' | 'errors'> & Pick<ReturnType<typeof listNodeClaims>, 'devices'>,
): void {
  const { stdout } = terminal;
  printLabels(terminal, answer);
  for (const { device, count, deviceClass, extendedResourceName, template } of devices) {
    printLine(stdout, '');
    printLine(stdout, `device ${device}: ${count}, DeviceClass ${deviceClass}`);
    if (extendedResourceName !== undefined) {
      printLine(stdout, 'as with the device plugin:');
      printLine(stdout, `  resources: {limits: {${extendedResourceName}: 1}}`);
    }
    printLine(stdout, 'by a claim:');
    stdout.write(writeYaml(template).replaceAll(/^(?=.)/gm, '  '));
  }
}
