import { Command } from 'commander';
import {
  type ExportedObject,
  exportClasses,
  splitReason,
  listSliceKinds,
  listSplitLayouts,
  type SplitLayout,
} from '../../core/policy/device-classes.ts';
import { exportQueue } from '../../core/policy/queue-export.ts';
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
    .action(async ({ filename, output }: Options) => {
      const exported = (await readPolicies(filename, terminal)).flatMap((policy) => {
        const queue = exportQueue(policy);
        if (typeof queue === 'string') throw new CliError(`policy ${policy.metadata.name}: ${queue}`, 1);
        return queue;
      });
      printObjects(terminal, exported, output);
    });
}

function printObjects(terminal: Terminal, exported: readonly ExportedObject[], output: OutputFormat): void {
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
    .action(async ({ filename, output }: Options) => {
      const policies = await readPolicies(filename, terminal);
      const [split] = listSplitLayouts(policies);
      if (split !== undefined) throw refuseSplit(split);
      const exported = exportClasses(listSliceKinds(policies));
      if (exported.length === 0) {
        throw new CliError(
          'the policies create no slices: a whole GPU has the class gpu.nvidia.com of the driver itself',
          1,
        );
      }
      printObjects(terminal, exported, output);
    });
}

function refuseSplit({ policy, path, profile }: SplitLayout): CliError {
  const whole = profile.replace(/^\d+c\./, '');
  return new CliError(`policy ${policy}: ${path}: ${profile}: ${splitReason}; use ${whole}, or the device plugin`, 1);
}
