import { askAll } from '../core/text/asking.ts';
import {
  type Execute,
  makeExecute,
  type ChildOptions,
  Runner,
  type Deadlines,
  findTool,
  type ToolOptions,
} from './child.ts';
import type { ChangeCommand, DriverAnswer, Execution, GpuReading, ReadCommand, SmiRun } from '../core/smi/command.ts';
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
  /** @param key what commands have in common that may be run as one; absent: it is run by itself */
  readonly read: (command: ReadCommand, key?: string) => Promise<DriverAnswer>;
  /**
   * @param key as for `read`
   * @returns undefined if it was run for several GPUs, and ended before it came to this one: nothing was done there
   */
  readonly change: (command: ChangeCommand, permit?: Permit, key?: string) => Promise<Execution | undefined>;
}

/** One command for one GPU: it always comes to it. */
export interface OwnLine extends DriverLine {
  readonly change: (command: ChangeCommand, permit?: Permit) => Promise<Execution>;
}

/** Questions about one GPU, and changes of it. */
export class GpuDriver {
  readonly #line: DriverLine;

  constructor(line: DriverLine) {
    this.#line = line;
  }

  /** @throws DeviceError why there is no answer */
  read<Result>({ begin }: GpuReading<Result>): Promise<Result> {
    return askAll(begin(), ({ command, key }) => this.#line.read(command, key));
  }

  /**
   * Runs one operation. Its result proves nothing: exit code 0 may have done nothing, and another may have done everything.
   * @param key what commands have in common that may be run as one; absent: it is run by itself
   * @returns undefined if a command for several GPUs ended before it came to this one
   * @throws DeviceError if it could not be run at all
   */
  change(command: ChangeCommand, permit?: Permit, key?: string): Promise<Execution | undefined> {
    return this.#line.change(command, permit, key);
  }
}

/** The GPUs of a node by `nvidia-smi`. */
export class NvidiaSmi extends GpuDriver {
  /** Every command by itself. */
  readonly line: OwnLine;
  readonly #reader: DeviceReader;

  constructor(execute: Execute, options: Deadlines & Pick<NvidiaSmiOptions, 'atOnce' | 'driverLoad'> = {}) {
    const runner = new Runner(execute, options, options.atOnce);
    const reader = new DeviceReader(options.driverLoad);
    const line: OwnLine = {
      read: async (command) => ({ command, execution: await runner.run(command) }),
      change: async (command, permit) => {
        await permit?.ask();
        permit?.begin();
        reader.expire();
        return runner.run(command);
      },
    };
    super(line);
    this.line = line;
    this.#reader = reader;
  }

  /** @throws DeviceError if it could not be run at all */
  override change(command: ChangeCommand, permit?: Permit): Promise<Execution> {
    return this.line.change(command, permit);
  }

  /** Everything, in two to seven processes. @throws DeviceError if the node as a whole cannot be read */
  readDevice(): Promise<DeviceState> {
    return askAll(this.#reader.read(), ({ command }) => this.line.read(command));
  }

  /** The same by one process, if only processes have come or gone as far as that shows. @throws DeviceError as {@link readDevice} */
  glanceAtDevice(): Promise<DeviceState> {
    return askAll(this.#reader.glance(), ({ command }) => this.line.read(command));
  }
}
