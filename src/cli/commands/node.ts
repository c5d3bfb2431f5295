import { Command } from 'commander';

import type { CommandContext } from '../command-table.ts';
import { applyCommand, resetCommand } from '../node/apply-command.ts';
import { exportCommand } from '../node/export-command.ts';
import { assertCommand, planCommand } from '../node/plan-command.ts';
import { selftestCommand } from '../selftest/selftest-command.ts';

/** Host mode: the GPUs of this machine, without Kubernetes. */
export function nodeCommand(context: CommandContext): Command {
  return new Command('node')
    .description(
      'Partitions the GPUs of this machine without Kubernetes, as mig-parted does, but prints a plan and never touches an instance in use.',
    )
    .addCommand(exportCommand(context))
    .addCommand(planCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(assertCommand(context))
    .addCommand(resetCommand(context))
    .addCommand(selftestCommand(context))
    .addHelpText(
      'after',
      '\nEach of them has --nvidia-smi <file>, --driver-root <folder> and -o, --output <format> (json or text).',
    );
}
