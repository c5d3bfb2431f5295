import type { Command } from 'commander';

import { addTimeoutOptions } from '../../device/command/timeout-options.ts';
import { integer } from '../../process/option.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { readPath } from '../path-option.ts';
import type { HostOptions } from './host.ts';

/** Options of every `node` command. */
export interface NodeCommandOptions extends HostOptions {
  readonly output: OutputFormat;
}

export interface LayoutOptions {
  readonly filename: string;
  readonly config?: string;
}

export function addNodeOptions(command: Command): Command {
  return addTimeoutOptions(command)
    .option(
      '--nvidia-smi <file>',
      'path of nvidia-smi; otherwise found in /usr/bin or another folder of the system, whatever PATH says',
      readPath,
    )
    .option('--driver-root <folder>', 'folder with the driver’s files; nvidia-smi runs in it by chroot', readPath)
    .addOption(outputOption());
}

/** Options of every command that changes GPUs. */
export function addChangeOptions(command: Command): Command {
  return command
    .option(
      '--toolkit-root <folder>',
      'folder with the NVIDIA Container Toolkit; nvidia-ctk in it makes device nodes and CDI specs after a change',
      readPath,
    )
    .option(
      '--lock-timeout <seconds>',
      'how long to wait for another program that changes the GPUs',
      integer(0, 86_400),
      10,
    )
    .option('--state-dir <folder>', 'folder for lock and journal', readPath, '/var/lib/gpu-partition');
}

export function addLayoutOptions(command: Command, isRequired = true): Command {
  const describe = 'file with layouts as in a policy, a policy, or a mig-parted file; - for standard input';
  const flags = '-f, --filename <path>';
  return (isRequired ? command.requiredOption(flags, describe) : command.option(flags, describe)).option(
    '--config <name>',
    'config in a mig-parted file; optional if it has only one',
  );
}
