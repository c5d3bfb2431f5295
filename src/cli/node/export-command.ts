import { Command } from 'commander';

import type { CommandContext } from '../command-table.ts';
import { oneOf } from '../../process/option.ts';
import { printJson } from '../terminal.ts';
import { openHost, readHost } from './host.ts';
import { type ExportBy, exportDevice, exportMigParted, listInexpressible } from '../../core/host/host-export.ts';
import { writeLayouts, writeYaml } from './layout-yaml.ts';
import { addNodeOptions, type NodeCommandOptions } from './node-options.ts';
import { printProblems } from './plan-command.ts';

interface Options extends NodeCommandOptions {
  readonly by: ExportBy;
  readonly format: (typeof FORMATS)[number];
  readonly config: string;
}

const FORMATS = ['layouts', 'mig-parted'] as const;

export function exportCommand({ terminal, outcome }: CommandContext): Command {
  const command = new Command('export')
    .description('Prints the live layout as a file that plan, apply and assert read.')
    .option('--by <key>', 'how to identify GPUs: uuids or indices', oneOf(['uuids', 'indices'] as const), 'uuids')
    .option('--format <format>', 'layouts or mig-parted', oneOf(FORMATS), 'layouts')
    .option('--config <name>', 'name of the config, with --format mig-parted', 'current');
  return addNodeOptions(command).action(async ({ by, format, config, output, ...host }: Options) => {
    const device = await readHost(openHost(host, terminal));
    const isText = output === 'text';
    if (format === 'mig-parted') {
      const file = exportMigParted(device, config);
      if (isText) terminal.stdout.write(writeYaml(file));
      else printJson(terminal, file);
    } else if (isText) terminal.stdout.write(writeLayouts(device, by));
    else printJson(terminal, exportDevice(device, by));
    const problems = [
      ...device.lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} does not answer: ${fault.message}`),
      ...device.gpus.flatMap(({ index, fault }) =>
        fault === undefined ? [] : [`GPU ${index} cannot be read: ${fault.code}: ${fault.message}`],
      ),
      ...listInexpressible(device),
    ];
    printProblems(terminal, problems);
    if (problems.length > 0) outcome.code = 1;
  });
}
