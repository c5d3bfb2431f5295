import { Command, InvalidArgumentError, Option } from 'commander';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { bootFormats, exportBoot } from '../../core/host/boot.ts';
import { exportQueues, exportSettings } from '../../core/demand/queues.ts';
import { exportClasses } from '../../core/policy/device-classes.ts';
import { exportNodePool, exportTemplate, templateClouds } from '../../core/policy/templates.ts';
import { integer } from '../../process/options.ts';
import type { CommandContext } from '../program.ts';
import { CliError, printJson, printLine, type Terminal } from '../terminal.ts';
import { writeYaml } from '../node/layout-file.ts';
import { type OutputFormat, outputOption, readModel } from '../options.ts';
import { readPolicies } from '../input/snapshot.ts';

interface Options {
  readonly filename: readonly string[];
  readonly output: OutputFormat;
}

export function exportCommand(context: CommandContext): Command {
  return new Command('export')
    .description('Writes what other parts of a cluster need to use the slices of policies.')
    .addCommand(draCommand(context))
    .addCommand(kueueCommand(context))
    .addCommand(autoscalerCommand(context))
    .addCommand(karpenterCommand(context))
    .addCommand(bootCommand(context));
}

function kueueCommand({ terminal }: CommandContext): Command {
  return new Command('kueue')
    .description(
      'Writes a ResourceFlavor, a ClusterQueue and a LocalQueue for the slices of policies with a demand. The quota of a slice is its ' +
        'count or max. Of a policy with spec.kueue, whose queue the controller keeps: a queue that borrows from it.',
    )
    .requiredOption('-f, --filename <path...>', 'policies: files, folders, or - for standard input')
    .option('--settings', 'write what belongs into the configuration of Kueue’s manager instead')
    .addOption(outputOption())
    .action(async (options: Options & { readonly settings?: boolean }) => {
      const policies = await readPolicies(options.filename, terminal);
      if (options.settings !== true) return printObjects(terminal, exportQueues(policies), options.output);
      const settings = exportSettings(policies);
      if (typeof settings === 'string') throw new CliError(settings, 1);
      if (options.output === 'json') return printJson(terminal, settings);
      terminal.stdout.write(comment([settingsNote]) + writeYaml(settings));
    });
}

const settingsNote =
  'into controller_manager_config.yaml of ConfigMap kueue-manager-config; then restart Deployment kueue-controller-manager';

/** @param exported a text says why nothing could be */
function printObjects(terminal: Terminal, exported: ReturnType<typeof exportClasses>, output: OutputFormat): void {
  if (typeof exported === 'string') throw new CliError(exported, 1);
  if (output === 'json') {
    const items = exported.map(({ object }) => object);
    return printJson(terminal, { apiVersion: 'v1', kind: 'List', items });
  }
  terminal.stdout.write(
    exported.map(({ about, object }) => `---\n# ${about.replaceAll('\n', '\n# ')}\n${writeYaml(object)}`).join(''),
  );
}

function draCommand({ terminal }: CommandContext): Command {
  return new Command('dra')
    .description(
      'Writes DeviceClasses for the slices of policies, for NVIDIA’s DRA driver: one for each profile, which serves pods that were ' +
        'written for the device plugin too, and “at least N GB” as classes and ResourceClaimTemplates; and a sample Deployment.',
    )
    .requiredOption('-f, --filename <path...>', 'policies: files, folders, or - for standard input')
    .addOption(outputOption())
    .action(async (options: Options) => {
      const policies = await readPolicies(options.filename, terminal);
      printObjects(terminal, exportClasses(policies), options.output);
    });
}

interface NodeOptions extends Options {
  readonly gpus: number;
  readonly model?: string;
}

/** A command about nodes of one policy that are yet to come. */
function policyCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('-f, --filename <path...>', 'the policy: a file, a folder, or - for standard input')
    .addOption(outputOption());
}

function nodeCommand(name: string, description: string): Command {
  return policyCommand(name, description)
    .requiredOption('--gpus <number>', 'GPUs of a node', integer(1, 64))
    .option('--model <model>', 'model of its GPUs, unless the policy is for one model alone');
}

async function readPolicy(
  { filename, model }: Options & Pick<NodeOptions, 'model'>,
  terminal: Terminal,
): Promise<GpuPartitionPolicy> {
  if (model !== undefined) readModel(model);
  const [policy, ...others] = await readPolicies(filename, terminal);
  if (policy !== undefined && others.length === 0) return policy;
  const names = [policy, ...others].flatMap((one) => one?.metadata.name ?? []);
  throw new CliError(`the nodes to come are of one policy, and these are ${names.length}: ${names.join(', ')}`);
}

function comment(notes: readonly string[]): string {
  return notes.map((note) => `# ${note}\n`).join('');
}

function refuse(policy: GpuPartitionPolicy, reason: string): CliError {
  return new CliError(`policy ${policy.metadata.name}: ${reason}`, 1);
}

function autoscalerCommand({ terminal }: CommandContext): Command {
  return nodeCommand(
    'autoscaler',
    'Writes the tags or annotations of a node group from which Cluster Autoscaler knows the slices and labels of its nodes while it ' +
      'has none, so that it scales from zero.',
  )
    .addOption(new Option('--cloud <cloud>', 'where the group is').choices(templateClouds).makeOptionMandatory())
    .action(async (options: NodeOptions & { readonly cloud: (typeof templateClouds)[number] }) => {
      const policy = await readPolicy(options, terminal);
      const exported = exportTemplate(policy, options, options.cloud);
      if (typeof exported === 'string') throw refuse(policy, exported);
      if (options.output === 'json') return printJson(terminal, exported.object);
      terminal.stdout.write(comment(exported.notes) + writeYaml(exported.object));
    });
}

interface KarpenterOptions extends NodeOptions {
  readonly instanceType: readonly string[];
  readonly nodeClass: ReturnType<typeof readNodeClass>;
}

/** Reads `EC2NodeClass.karpenter.k8s.aws/default`. */
function readNodeClass(text: string) {
  const [, kind = '', group = '', name = ''] = /^(\w+)\.([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('it must look like EC2NodeClass.karpenter.k8s.aws/default.');
  return { group, kind, name };
}

function karpenterCommand({ terminal }: CommandContext): Command {
  return nodeCommand(
    'karpenter',
    'Writes a NodePool with the start-up taint, and a NodeOverlay with the slices of its nodes, so that Karpenter scales from zero.',
  )
    .requiredOption('--instance-type <type...>', 'instance types that have these GPUs')
    .requiredOption(
      '--node-class <kind.group/name>',
      'what the cloud needs, as EC2NodeClass.karpenter.k8s.aws/default',
      readNodeClass,
    )
    .action(async (options: KarpenterOptions) => {
      const policy = await readPolicy(options, terminal);
      const { instanceType: instanceTypes, nodeClass } = options;
      const exported = exportNodePool(policy, options, { instanceTypes, nodeClass });
      if (typeof exported === 'string') throw refuse(policy, exported);
      printObjects(terminal, exported, options.output);
    });
}

/** What cloud-init knows its files by. */
const cloudConfig = '#cloud-config\n';

function bootCommand({ terminal }: CommandContext): Command {
  return policyCommand(
    'boot',
    'Writes a unit of systemd that gives a machine the layouts of a policy before its kubelet starts, so that the agent finds them.',
  )
    .addOption(new Option('--format <format>', 'what installs the unit').choices(bootFormats).makeOptionMandatory())
    .option('--executable <path>', 'where the machine has this command', readExecutable, '/usr/local/bin/gpu-partition')
    .action(
      async (options: Options & { readonly format: (typeof bootFormats)[number]; readonly executable: string }) => {
        const policy = await readPolicy(options, terminal);
        const exported = exportBoot(policy, options);
        if (typeof exported === 'string') throw refuse(policy, exported);
        const { notes, content } = exported;
        const isUnit = typeof content === 'string';
        if (options.output === 'json' || options.format === 'ignition') {
          for (const note of notes) printLine(terminal.stderr, note);
          return printJson(terminal, isUnit ? { unit: content } : content);
        }
        terminal.stdout.write(isUnit ? comment(notes) + content : cloudConfig + comment(notes) + writeYaml(content));
      },
    );
}

/** It stands in a line of a unit. */
function readExecutable(path: string): string {
  if (/^(?:\/[\w.+-]+)+$/.test(path)) return path;
  throw new InvalidArgumentError('it must be an absolute path without blanks.');
}
