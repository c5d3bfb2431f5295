import type { Execute } from './child.ts';
import type { Execution } from '../../core/smi/output.ts';
import { isChange, mayReset, writeArguments, type SmiCommand } from '../../core/smi/smi-command.ts';

export interface Deadlines {
  /** Default 15 s; large nodes without persistence mode take longer, for every command. */
  readonly readMs?: number;
  /** Default 60 s; eight GPUs with many instances were seen to take 44 s. */
  readonly changeMs?: number;
  /** Default 300 s: a reset, also the one within a change of MIG mode, is not to be killed halfway. */
  readonly resetMs?: number;
}

/** Runs commands one after another: at most one child on the node. */
export class Runner {
  readonly #execute: Execute;
  readonly #deadlines: Required<Deadlines>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(execute: Execute, { readMs = 15_000, changeMs = 60_000, resetMs = 300_000 }: Deadlines = {}) {
    this.#execute = execute;
    this.#deadlines = { readMs, changeMs, resetMs };
  }

  /** @throws DeviceError why it could not be started, Unresponsive; every other end is an {@link Execution} */
  run(command: SmiCommand): Promise<Execution> {
    const args = writeArguments(command);
    const [deadline, option] = this.#limitOf(command);
    const run = this.#last.then(async () => {
      const execution = await this.#execute(args, deadline);
      return execution.end === 'TimedOut' ? { ...execution, limit: `${deadline / 1_000} s (${option})` } : execution;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  #limitOf(command: SmiCommand): readonly [ms: number, option: string] {
    const { readMs, changeMs, resetMs } = this.#deadlines;
    if (mayReset(command)) return [resetMs, '--reset-timeout-seconds'];
    return isChange(command) ? [changeMs, '--change-timeout-seconds'] : [readMs, '--read-timeout-seconds'];
  }
}
