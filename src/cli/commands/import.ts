import { Command, Option } from 'commander';
import type { GpuPartitionPolicy, Strategy } from '../../api/types.ts';
import { migConfigLabel } from '../../api/names.ts';
import { ConfigFile } from '../../core/host/import.ts';
import { deepEqual } from '../../core/text/json.ts';
import { oneOf } from '../../process/options.ts';
import type { CommandContext } from '../program.ts';
import { CliError, printJson, printLine, type Terminal } from '../terminal.ts';
import {
  locateFinding,
  type Manifest,
  readManifestFile,
  type LocatedFinding,
  printFinding,
  sortFindings,
} from '../input/files.ts';
import { writeYaml, refuseUnknownConfig } from '../node/layout-file.ts';
import { nodesCommand, readSavedNodes } from '../input/snapshot.ts';
import type { NodeView } from '../../core/kubernetes/node.ts';
import { joinWithin, type Finding } from '../../core/text/words.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { duplicateConfigs } from '../validation.ts';

interface Options {
  readonly config?: readonly string[];
  readonly nodes?: readonly string[];
  readonly strategy?: Strategy;
  readonly output: OutputFormat;
}

const STRATEGIES = ['none', 'single', 'mixed'] as const;

export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .description('Converts the configuration of other tools to policies.')
    .addCommand(migPartedCommand(context));
}

function migPartedCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('mig-parted')
    .description(
      `Converts each config of a mig-parted file to a policy for the nodes whose label ${migConfigLabel} is its name. ` +
        'A config that mig-parted itself could not apply yields an error and no policy.',
    )
    .argument('<file>', 'config file, or a ConfigMap with one; - for standard input')
    .addOption(
      new Option('--config <name>', 'import only this config; may be repeated').argParser(
        (name: string, others: readonly string[] | undefined) => [...(others ?? []), name],
      ),
    )
    .addOption(
      new Option('--nodes <file...>', `import only the configs that these nodes have: ${nodesCommand}`).conflicts(
        'config',
      ),
    )
    .option(
      '--strategy <strategy>',
      'strategy of the device plugin on these nodes (default: single or mixed, depending on the config)',
      oneOf(STRATEGIES),
    )
    .addOption(outputOption())
    .action(async (path: string, { output, ...options }: Options) => {
      const manifests = await readConfigFiles(path, terminal);
      const users = options.nodes && groupUsers(await readSavedNodes(options.nodes, terminal));
      const configs = options.config ?? (users && [...users.keys()]);
      const chosen = { ...(configs && { configs }), ...(options.strategy && { strategy: options.strategy }) };
      const imports = manifests.map((manifest) => {
        const file = new ConfigFile(manifest.value);
        return { manifest, names: file.names, ...file.toPolicies(chosen) };
      });
      const names = [...new Set(imports.flatMap((one) => one.names))];
      const unknown = options.config?.find((name) => !names.includes(name));
      if (unknown !== undefined) throw refuseUnknownConfig(path, unknown, names);
      const { policies, clashes } = joinPolicies(imports);
      const isWanted = ({ path: [, name] }: Finding) =>
        name === undefined || configs?.some((one) => one === name) !== false;
      const [first] = manifests;
      const findings = sortFindings([
        ...imports.flatMap(({ manifest, findings: found }) =>
          [...found, ...duplicateConfigs(manifest).filter(isWanted)].map((finding) => locateFinding(manifest, finding)),
        ),
        ...clashes,
        ...(users && first ? checkUsers(users, names).map((finding) => locateFinding(first, finding)) : []),
      ]);
      if (findings.some(({ severity }) => severity === 'error')) outcome.code = 1;
      if (output === 'json') return printJson(terminal, { policies, findings });
      terminal.stdout.write(policies.map((policy) => `---\n${writeYaml(policy)}`).join(''));
      for (const finding of findings) printFinding(terminal.stderr, finding);
      if (configs === undefined && policies.length > 1) printLine(terminal.stderr, explainChoice(policies));
    });
}

/** Names of nodes by the config that their label names. */
function groupUsers(nodes: readonly NodeView[]): ReadonlyMap<string, readonly string[]> {
  const labelled = nodes.filter(({ metadata }) => metadata.labels?.[migConfigLabel] !== undefined);
  const found = Map.groupBy(labelled, ({ metadata }) => metadata.labels?.[migConfigLabel] ?? '');
  return new Map([...found].map(([config, users]) => [config, users.map(({ metadata }) => metadata.name)]));
}

/** What nodes ask for and the files have not: without a word such a node would be taken over by nobody. */
function checkUsers(users: ReadonlyMap<string, readonly string[]>, names: readonly string[]): readonly Finding[] {
  const warn = (message: string): Finding => ({ severity: 'warning', code: 'NothingToImport', path: [], message });
  if (users.size === 0)
    return [warn(`none of the nodes has the label ${migConfigLabel}: there is no config to import`)];
  return [...users].flatMap(([config, nodes]) => {
    if (names.includes(config)) return [];
    return [
      warn(
        `no config ${JSON.stringify(config)} here, which ${joinWithin(nodes, 200, ', ')} asked for by ${migConfigLabel}`,
      ),
    ];
  });
}

/** gpu-operator's file has about 80 configs for all models there are; a node has one of them. */
function explainChoice(policies: readonly GpuPartitionPolicy[]): string {
  const names = policies.map(({ spec, metadata }) => spec.nodeSelector.matchLabels?.[migConfigLabel] ?? metadata.name);
  return (
    `${policies.length} policies, of which a node has one by its label ${migConfigLabel}. For the configs that nodes have: --nodes FILE, from ` +
    `${nodesCommand}; else --config NAME: ${names.join(', ')}`
  );
}

async function readConfigFiles(path: string, terminal: Terminal): Promise<readonly Manifest[]> {
  const { name, manifests } = await readManifestFile(path, terminal);
  const found = manifests.filter(({ value }) => ConfigFile.isMeantBy(value) || isBare(value));
  if (found.length === 0)
    throw new CliError(`${name}: no config file of mig-parted: it would have version: v1 and mig-configs`);
  return found;
}

/** A cluster has one policy of a name. gpu-operator writes a ConfigMap for each node, so that a List of them repeats every config. */
function joinPolicies(
  imports: readonly { readonly manifest: Manifest; readonly policies: readonly GpuPartitionPolicy[] }[],
) {
  const byName = new Map<string, GpuPartitionPolicy>();
  const clashes: LocatedFinding[] = [];
  for (const { manifest, policies } of imports) {
    for (const policy of policies) {
      const { name } = policy.metadata;
      const first = byName.get(name);
      if (first === undefined) byName.set(name, policy);
      else if (!deepEqual(first, policy)) clashes.push(locateFinding(manifest, describeClash(policy)));
    }
  }
  return { policies: [...byName.values()], clashes };
}

function describeClash({ metadata, spec }: GpuPartitionPolicy): Finding {
  const config = spec.nodeSelector.matchLabels?.[migConfigLabel] ?? metadata.name;
  const message = `an earlier file makes another policy ${metadata.name}, and a cluster has only one of a name: import the files one by one`;
  return { severity: 'error', code: 'DuplicatePolicy', path: ['mig-configs', config], message };
}

/** `version: v1` alone is a valid file without configs; anything that is not a Kubernetes object is reported by its fields. */
function isBare(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'version' in value && !('kind' in value);
}
