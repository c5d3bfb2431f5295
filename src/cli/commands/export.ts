import { Command } from 'commander';
import { exportObjects } from '../../core/policy/device-classes.ts';
import type { CommandContext } from '../program.ts';
import { CliError, printJson, type Terminal } from '../terminal.ts';
import { writeYaml } from '../node/layout-file.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { readPolicies } from '../input/snapshot.ts';

interface Options {
  readonly filename: readonly string[];
  readonly output: OutputFormat;
}

export function exportCommand(context: CommandContext): Command {
  return new Command('export')
    .description('Writes what other parts of a cluster need to use the slices of policies.')
    .addCommand(draCommand(context))
    .addCommand(kueueCommand(context));
}

function kueueCommand({ terminal }: CommandContext): Command {
  return new Command('kueue')
    .description(
      'Writes a ResourceFlavor, a ClusterQueue and a LocalQueue for the slices of policies with a demand. The quota of a slice is its count or max.',
    )
    .requiredOption('-f, --filename <path...>', 'policies: files, folders, or - for standard input')
    .addOption(outputOption())
    .action((options: Options) => printObjects(terminal, options, 'Kueue'));
}

async function printObjects(
  terminal: Terminal,
  { filename, output }: Options,
  user: Parameters<typeof exportObjects>[1],
): Promise<void> {
  const exported = exportObjects(await readPolicies(filename, terminal), user);
  if (typeof exported === 'string') throw new CliError(exported, 1);
  if (output === 'json') {
    const items = exported.map(({ object }) => object);
    return printJson(terminal, { apiVersion: 'v1', kind: 'List', items });
  }
  terminal.stdout.write(exported.map(({ about, object }) => `---\n# ${about}\n${writeYaml(object)}`).join(''));
}

function draCommand({ terminal }: CommandContext): Command {
  return new Command('dra')
    .description(
      'Writes DeviceClasses for the slices of policies, for NVIDIA’s DRA driver: one for each profile, which serves pods that were ' +
        'written for the device plugin too, and “at least N GB” as classes and ResourceClaimTemplates; and a sample Deployment.',
    )
    .requiredOption('-f, --filename <path...>', 'policies: files, folders, or - for standard input')
    .addOption(outputOption())
    .action((options: Options) => printObjects(terminal, options, 'DRA'));
}
