import type { Execute } from './child.ts';
import type { Execution } from '../../core/smi/output.ts';
import { Turnstile } from '../../process/turnstile.ts';
import { isChange, mayReset, writeArguments, type SmiCommand } from '../../core/smi/smi-command.ts';

export interface Deadlines {
  /** Default 15 s; large nodes without persistence mode take longer, for every command. */
  readonly readMs?: number | undefined;
  /** Default 60 s; eight GPUs with many instances were seen to take 44 s. */
  readonly changeMs?: number | undefined;
  /** Default 300 s: a reset, also the one within a change of MIG mode, is not to be killed halfway. */
  readonly resetMs?: number | undefined;
}

/** Runs commands in the order in which they are asked for, with at most so many children on the node: one, unless told otherwise. */
export class Runner {
  readonly #execute: Execute;
  readonly #deadlines: Readonly<Record<keyof Deadlines, number>>;
  readonly #children: Turnstile;

  constructor(
    execute: Execute,
    { readMs = 15_000, changeMs = 60_000, resetMs = 300_000 }: Deadlines = {},
    atOnce: number = 1,
  ) {
    this.#execute = execute;
    this.#children = new Turnstile(atOnce);
    this.#deadlines = { readMs, changeMs, resetMs };
  }

  /** @throws DeviceError why it could not be started, Unresponsive; every other end is an {@link Execution} */
  async run(command: SmiCommand): Promise<Execution> {
    const args = writeArguments(command);
    const [deadline, option] = this.#limitOf(command);
    const execution = await this.#children.pass(() => this.#execute(args, deadline));
    return execution.end === 'TimedOut' ? { ...execution, limit: `${deadline / 1_000} s (${option})` } : execution;
  }

  #limitOf(command: SmiCommand): readonly [ms: number, option: string] {
    const { readMs, changeMs, resetMs } = this.#deadlines;
    if (mayReset(command)) return [resetMs, '--reset-timeout-seconds'];
    return isChange(command) ? [changeMs, '--change-timeout-seconds'] : [readMs, '--read-timeout-seconds'];
  }
}
