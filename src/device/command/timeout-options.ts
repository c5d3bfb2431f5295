import type { Command } from 'commander';
import { integer } from '../../process/option.ts';
import type { Deadlines } from './runner.ts';

/** Options of every program that runs nvidia-smi. */
export interface TimeoutOptions {
  readonly readTimeoutSeconds?: number;
  readonly changeTimeoutSeconds?: number;
  readonly resetTimeoutSeconds?: number;
}

export function addTimeoutOptions(command: Command): Command {
  return command
    .option(
      '--read-timeout-seconds <n>',
      'time limit of an nvidia-smi run that only reads; large nodes without persistence mode need more (default: 15)',
      integer(1, 600),
    )
    .option(
      '--change-timeout-seconds <n>',
      'time limit of an nvidia-smi run that changes a GPU (default: 60)',
      integer(1, 3_600),
    )
    .option(
      '--reset-timeout-seconds <n>',
      'time limit of an nvidia-smi run that resets a GPU or changes its MIG mode (default: 300)',
      integer(1, 3_600),
    );
}

export function readTimeouts({
  readTimeoutSeconds,
  changeTimeoutSeconds,
  resetTimeoutSeconds,
}: TimeoutOptions): Deadlines {
  return {
    ...(resetTimeoutSeconds === undefined ? {} : { resetMs: resetTimeoutSeconds * 1_000 }),
    ...(readTimeoutSeconds === undefined ? {} : { readMs: readTimeoutSeconds * 1_000 }),
    ...(changeTimeoutSeconds === undefined ? {} : { changeMs: changeTimeoutSeconds * 1_000 }),
  };
}
