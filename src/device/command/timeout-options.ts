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

export function readTimeouts(options: TimeoutOptions): Deadlines {
  const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000);
  return {
    readMs: inMs(options.readTimeoutSeconds),
    changeMs: inMs(options.changeTimeoutSeconds),
    resetMs: inMs(options.resetTimeoutSeconds),
  };
}
