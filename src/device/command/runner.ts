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

/** Runs commands in the order in which they are asked for, with at most so many children on the node: one, unless told otherwise. */
export class Runner {
  readonly #execute: Execute;
  readonly #deadlines: Required<Deadlines>;
  readonly #atOnce: number;
  #children = 0;
  /** Whoever waits for a child to end. */
  readonly #waiting: (() => void)[] = [];

  constructor(
    execute: Execute,
    { readMs = 15_000, changeMs = 60_000, resetMs = 300_000 }: Deadlines = {},
    atOnce: number = 1,
  ) {
    this.#execute = execute;
    this.#atOnce = atOnce;
    this.#deadlines = { readMs, changeMs, resetMs };
  }

  /** @throws DeviceError why it could not be started, Unresponsive; every other end is an {@link Execution} */
  async run(command: SmiCommand): Promise<Execution> {
    const args = writeArguments(command);
    const [deadline, option] = this.#limitOf(command);
    if (this.#children >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#children += 1;
    try {
      const execution = await this.#execute(args, deadline);
      return execution.end === 'TimedOut' ? { ...execution, limit: `${deadline / 1_000} s (${option})` } : execution;
    } finally {
      // The next in line takes over the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#children -= 1;
    }
  }

  #limitOf(command: SmiCommand): readonly [ms: number, option: string] {
    const { readMs, changeMs, resetMs } = this.#deadlines;
    if (mayReset(command)) return [resetMs, '--reset-timeout-seconds'];
    return isChange(command) ? [changeMs, '--change-timeout-seconds'] : [readMs, '--read-timeout-seconds'];
  }
}
