import { Command, Option } from 'commander';

import { listNodeClaims, type NodeClaims } from '../../core/classes/node-claims.ts';
import type { Backend } from '../../core/node/backend.ts';
import { parseDevicePluginConfig } from '../../core/nvidia/plugin-config/device-plugin-config.ts';
import { invalidLabels } from '../../core/nvidia/labels/label-value.ts';
import { MIG_STRATEGIES, type MigStrategy } from '../../core/nvidia/labels/mig-strategy.ts';
import type { NodeDescription } from '../../core/nvidia/labels/node-description.ts';
import { parseNodeDescription } from '../input/node-description-parser.ts';
import { describeNode, type LabelsAndResources } from '../../core/nvidia/labels/node-outcome.ts';
import { findUnusedSharing } from '../../core/nvidia/resources/node-resources.ts';
import { oneOf } from '../../process/option.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import type { Manifest } from '../input/manifest.ts';
import { readManifestFile } from '../input/manifest-file.ts';
import { writeYaml } from '../node/layout-yaml.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options {
  readonly filename: string;
  readonly strategy?: MigStrategy;
  readonly backend: Backend;
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
        const { labels, errors } = describeNode(node, strategy);
        const claims = listNodeClaims(node);
        const answer = { labels, devices: claims.devices, errors: [...errors, ...claims.errors] };
        if (answer.errors.length > 0) outcome.code = 1;
        return output === 'json' ? printJson(terminal, answer) : printClaims(terminal, answer);
      }
      const file = devicePluginConfig === undefined ? undefined : await readDocument(devicePluginConfig, terminal);
      const answer = describeNode(node, strategy, file?.value);
      if (answer.errors.length > 0) outcome.code = 1;
      if (output === 'json') printJson(terminal, answer);
      else printAnswer(terminal, answer);
      if (devicePluginConfig !== undefined) warnConfig(terminal, devicePluginConfig, file?.value, node, strategy);
      for (const { key, reason } of invalidLabels(answer.labels))
        warn(terminal, `label ${key} never reaches the node: ${reason}`);
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

/** Undefined for an empty file. @throws CliError if it cannot be read or has several documents */
async function readDocument(path: string, terminal: Terminal): Promise<Manifest | undefined> {
  const { name, manifests } = await readManifestFile(path, terminal);
  if (manifests.length > 1) throw new CliError(`${name}: one document is wanted, it has ${manifests.length}`);
  return manifests[0];
}

function warnConfig(
  terminal: Terminal,
  file: string,
  value: unknown,
  node: NodeDescription,
  strategy: MigStrategy,
): void {
  const parsed = parseDevicePluginConfig(value);
  for (const { path, message } of parsed.findings)
    warn(terminal, `${file}: ${path === '' ? '' : `${path} `}${message}`);
  if (!parsed.ok) return;
  const { migStrategy } = parsed.config;
  if (migStrategy !== undefined && migStrategy !== strategy) {
    warn(terminal, `${file}: flags.migStrategy is ${migStrategy}, but ${strategy} was asked for`);
  }
  for (const resource of findUnusedSharing(node, strategy, parsed.config)) {
    warn(terminal, `${file}: sharing names ${resource}, which this node does not have under strategy ${strategy}`);
  }
}

function warn(terminal: Terminal, message: string): void {
  printLine(terminal.stderr, `${paint(terminal.stderr, 'yellow', 'warning:')} ${message}`);
}

function printAnswer(terminal: Terminal, { resources, ...answer }: LabelsAndResources): void {
  const { stdout } = terminal;
  printLabels(terminal, answer);
  for (const [name, count] of Object.entries(resources)) printLine(stdout, `resource ${name}: ${count}`);
}

function printLabels(terminal: Terminal, { labels, errors }: Pick<LabelsAndResources, 'labels' | 'errors'>): void {
  const { stdout } = terminal;
  for (const error of errors) printLine(stdout, `${paint(stdout, 'red', 'error:')} ${error}`);
  for (const [key, value] of Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    printLine(stdout, `label ${key}=${value}`);
}

/** For each kind of device the lines of a pod, and the template that they name. */
function printClaims(
  terminal: Terminal,
  { devices, ...answer }: Pick<LabelsAndResources, 'labels' | 'errors'> & Pick<NodeClaims, 'devices'>,
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
