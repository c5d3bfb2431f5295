import type { Execution } from './output.ts';

/** One observed run of nvidia-smi. */
export interface SmiRun {
  readonly args: readonly string[];
  /** How it ended, or why it was not run at all. */
  readonly result: Execution | Error;
  /** Milliseconds since the epoch. */
  readonly begin: number;
  readonly ms: number;
}
