import { Command } from 'commander';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import { drawWaste } from '../../core/view/reports.ts';
import { reportWaste } from '../../core/explain/waste.ts';
import { addConnectionOptions, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readFacts } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { readSnapshot, snapshotCommand } from '../input/snapshot.ts';
import { printLines, printJson, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions {
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
}

export function reportCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(new Command('report'))
    .description(
      'Reports waste: unused slices and slices that belong to no instance, what pods hold and wait for, and the layout of the same policy that would have served more.',
    )
    .option(
      '--snapshot <file...>',
      `the cluster in files instead, one for each moment, the oldest first: ${snapshotCommand}`,
    )
    .addOption(outputOption())
    .action(async (options: Options) => {
      const report = reportWaste(await readSamples(options, terminal));
      if (options.output === 'json') printJson(terminal, report);
      else printLines(terminal.stdout, drawWaste(report, terminal.stdout.columns));
    });
}

async function readSamples(options: Options, terminal: Terminal): Promise<readonly ClusterFacts[]> {
  if (options.snapshot === undefined) return [await readFacts(connect(options))];
  const samples: ClusterFacts[] = [];
  for (const file of options.snapshot) samples.push(await readSnapshot([file], terminal));
  return samples;
}
