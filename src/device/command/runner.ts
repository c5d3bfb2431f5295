import type { Execute } from './child.ts';
import type { Execution } from '../../core/smi/output.ts';
import { isChange, writeArguments, type SmiCommand } from '../../core/smi/smi-command.ts';

export interface Deadlines {
  /** Default 15 s; large nodes without persistence mode take longer, for every command. */
  readonly readMs?: number;
  /** Default 60 s; eight GPUs with many instances were seen to take 44 s. */
  readonly changeMs?: number;
}

/** Runs commands one after another: at most one child on the node. */
export class Runner {
  readonly #execute: Execute;
  readonly #deadlines: Required<Deadlines>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(execute: Execute, { readMs = 15_000, changeMs = 60_000 }: Deadlines = {}) {
    this.#execute = execute;
    this.#deadlines = { readMs, changeMs };
  }

  /** @throws DeviceError why it could not be started, Unresponsive; every other end is an {@link Execution} */
  run(command: SmiCommand): Promise<Execution> {
    const args = writeArguments(command);
    const [deadline, option] = isChange(command)
      ? [this.#deadlines.changeMs, '--change-timeout-seconds']
      : [this.#deadlines.readMs, '--read-timeout-seconds'];
    const run = this.#last.then(async () => {
      const execution = await this.#execute(args, deadline);
      return execution.end === 'TimedOut' ? { ...execution, limit: `${deadline / 1_000} s (${option})` } : execution;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }
}
