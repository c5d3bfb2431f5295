import {
  type Execute,
  makeExecute,
  type ChildOptions,
  Runner,
  type Deadlines,
  findTool,
  type ToolOptions,
} from './child.ts';
import type { Execution, SmiRun } from '../core/smi/output.ts';
import type { ChangeCommand, DriverAnswer, ReadCommand, Reading } from '../core/smi/command.ts';
import { DeviceReader } from '../core/smi/reader.ts';
import type { DeviceState } from '../core/gpu/device-state.ts';

/** Reports each run, whatever its result. */
export function recordRuns(execute: Execute, note: (run: SmiRun) => void): Execute {
  return async (args, deadlineMs) => {
    const [begin, started] = [Date.now(), performance.now()];
    const tell = (result: Execution | Error): void => note({ args, result, begin, ms: performance.now() - started });
    try {
      const execution = await execute(args, deadlineMs);
      tell(execution);
      return execution;
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  };
}

export interface NvidiaSmiOptions extends ToolOptions, Deadlines, ChildOptions {
  /** How many commands may run at the same time; default 1. */
  readonly atOnce?: number;
  /** Identifies one load of the driver: what was asked of an earlier one is asked again. Absent: it is not known. */
  readonly driverLoad?: (() => string | undefined) | undefined;
}

/**
 * Opens the driver of this node through its nvidia-smi.
 * @throws DeviceError ToolMissing
 */
export function openNvidiaSmi(options: NvidiaSmiOptions = {}): NvidiaSmi {
  return new NvidiaSmi(makeExecute(findTool(options), options), options);
}

/** Runs nvidia-smi where the driver may not be there yet: each reading reports when it is missing. @param note takes each run */
export function awaitNvidiaSmi(options: NvidiaSmiOptions, note: (run: SmiRun) => void): NvidiaSmi {
  return new NvidiaSmi(
    recordRuns(
      makeExecute(() => findTool(options), options),
      note,
    ),
    options,
  );
}

/** What must be so right before a command that changes a GPU: what may take time is asked first. */
export interface Permit {
  /** @throws DeviceError why it may not be run */
  readonly ask: () => Promise<void>;
  /** @throws DeviceError why it may not be run now */
  readonly begin: () => void;
}

/** How commands about one GPU reach the driver: by themselves, or in one with those about others. */
export interface DriverLine {
  /** @param isAlone whether the GPU must be asked in a command of its own */
  readonly read: (command: ReadCommand, isAlone?: boolean) => Promise<DriverAnswer>;
  /**
   * Runs one operation. Its result proves nothing: exit code 0 may have done nothing, and another may have done everything.
   * @returns undefined if it was run for several GPUs, and ended before it came to this one: nothing was done there
   */
  readonly change: (command: ChangeCommand, permit?: Permit) => Promise<Execution | undefined>;
}

/** One command for one GPU: it always comes to it. */
export interface OwnLine extends DriverLine {
  readonly change: (command: ChangeCommand, permit?: Permit) => Promise<Execution>;
}

/** Asks everything that a decision of the core needs, one question after the other. @throws what the decision throws */
export async function askAll<Question, Answer, Result>(
  asking: Generator<Question, Result, Answer>,
  ask: (question: Question) => Promise<Answer>,
): Promise<Result> {
  let step = asking.next();
  while (step.done !== true) {
    step = await ask(step.value).then(
      (answer) => asking.next(answer),
      (error: unknown) => asking.throw(error),
    );
  }
  return step.value;
}

/** The GPUs of a node by `nvidia-smi`. GPUs are named by PCI bus id: once one GPU is lost, a UUID finds no other GPU either. */
export class NvidiaSmi {
  /** Every command by itself. */
  readonly line: OwnLine;
  readonly #reader: DeviceReader;

  constructor(execute: Execute, options: Deadlines & Pick<NvidiaSmiOptions, 'atOnce' | 'driverLoad'> = {}) {
    const runner = new Runner(execute, options, options.atOnce);
    const reader = new DeviceReader(options.driverLoad);
    this.line = {
      read: async (command) => ({ command, execution: await runner.run(command) }),
      change: async (command, permit) => {
        await permit?.ask();
        permit?.begin();
        reader.expire();
        return runner.run(command);
      },
    };
    this.#reader = reader;
  }

  /** Asks all that a reading consists of. @throws DeviceError */
  ask<Result>(reading: Reading<Result>): Promise<Result> {
    return askAll(reading, ({ command }) => this.line.read(command));
  }

  /** Everything, in two to seven processes. @throws DeviceError if the node as a whole cannot be read */
  readDevice(): Promise<DeviceState> {
    return this.ask(this.#reader.read());
  }

  /** The same by one process, if only processes have come or gone as far as that shows. @throws DeviceError as {@link readDevice} */
  glanceAtDevice(): Promise<DeviceState> {
    return this.ask(this.#reader.glance());
  }
}
