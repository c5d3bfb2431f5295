import {
  type Execute,
  makeExecute,
  type ChildOptions,
  Runner,
  type Deadlines,
  findTool,
  type ToolOptions,
} from './child.ts';
import { type Execution, type SmiRun, contradict, mayBeOneGpu, refuseOutput, Trouble } from '../core/smi/output.ts';
import type { Geometry } from '../core/gpu/geometry.ts';
import { DeviceReader } from './reader.ts';
import { DeviceError } from '../core/gpu/device-error.ts';
import { buildInstances, fillAll, findDisagreement } from '../core/smi/assembly.ts';
import {
  parseComputeInstances,
  parseInstances,
  saysMigOff,
  type ComputeInstanceRow,
  type InstanceRow,
  parseComputeProfiles,
  type ComputeProfileRow,
} from '../core/smi/tables.ts';
import { parseReport, type ReportedGpu } from '../core/smi/report.ts';
import { describeCommand, type ChangeCommand, type ReadCommand } from '../core/smi/command.ts';
import type { NamedGpu } from '../core/smi/shared.ts';
import { readTables } from './tables.ts';
import type { DeviceState, GpuInstanceState, GpuState } from '../core/gpu/device-state.ts';

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

/** The answer to a question about one GPU. */
export interface DriverAnswer {
  readonly command: ReadCommand;
  readonly execution: Execution;
  /** The GPUs that it speaks of, if they are several: the others were asked the same at the same time. */
  readonly gpus?: readonly NamedGpu[] | undefined;
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
  /** @param isAlone whether the GPU must be asked by itself */
  readonly read: (command: ReadCommand, isAlone?: boolean) => Promise<DriverAnswer>;
  /** @returns undefined if it was run for several GPUs, and ended before it came to this one: nothing was done there */
  readonly change: (command: ChangeCommand, permit?: Permit) => Promise<Execution | undefined>;
}

/** One command for one GPU: it always comes to it. */
export interface OwnLine extends DriverLine {
  readonly change: (command: ChangeCommand, permit?: Permit) => Promise<Execution>;
}

/** Questions about one GPU, and changes of it. GPUs are named by PCI bus id: once one GPU is lost, a UUID finds no other GPU either. */
export class GpuDriver {
  readonly #line: DriverLine;

  constructor(line: DriverLine) {
    this.#line = line;
  }

  /** GPU instances of one GPU, without processes, UUIDs and attributes. @throws DeviceError */
  async readInstances(gpu: string): Promise<readonly GpuInstanceState[]> {
    try {
      return await this.#readInstancesOnce(gpu);
    } catch (error) {
      if (!(error instanceof DeviceError) || error.code !== 'Unstable') throw error;
      return await this.#readInstancesOnce(gpu);
    }
  }

  async #readInstancesOnce(gpu: string): Promise<readonly GpuInstanceState[]> {
    const rows = await this.listInstances(gpu);
    if (rows.length === 0) return [];
    const parts = await this.listComputeInstances(gpu);
    const found = findDisagreement(rows, parts);
    if (found !== undefined) throw contradict('to read the instances', found, gpu);
    if (!fillAll(rows, parts)) await this.#demandSameParts(gpu, parts);
    return buildInstances(rows, parts);
  }

  /** Room for another compute instance is rare: if there is some, the report must list the same ones. */
  async #demandSameParts(gpu: string, parts: readonly ComputeInstanceRow[]): Promise<void> {
    const { migDevices } = await this.readUse(gpu);
    const isSame =
      migDevices.length === parts.length &&
      migDevices.every((device) =>
        parts.some(({ instance, id }) => instance === device.instance && id === device.computeInstance),
      );
    if (isSame) return;
    throw contradict('to read the instances', `${parts.length} rows of -lci, ${migDevices.length} in -q -x`, gpu);
  }

  /** GPU instances of one GPU, without their contents. @throws DeviceError */
  listInstances(gpu: string): Promise<readonly InstanceRow[]> {
    return this.#readRows('Instances', gpu, parseInstances);
  }

  /** Compute instances of all GPU instances of one GPU. @throws DeviceError */
  listComputeInstances(gpu: string): Promise<readonly ComputeInstanceRow[]> {
    return this.#readRows('ComputeInstances', gpu, parseComputeInstances);
  }

  /** Profiles and placements of one GPU in MIG mode, from the driver's own tables. @throws DeviceError */
  async readTable(gpu: GpuState): Promise<Geometry> {
    try {
      return await this.#readTableOnce(gpu, false);
    } catch (error) {
      if (!mayBeOneGpu(error, true)) throw error;
      return await this.#readTableOnce(gpu, true);
    }
  }

  async #readTableOnce(gpu: GpuState, isAlone: boolean): Promise<Geometry> {
    const { index, pciBusId } = gpu;
    const mig = { current: 'Enabled', pending: 'Enabled' } as const;
    const trouble = new Trouble(true);
    const runner = { run: async (command: ReadCommand) => (await this.#line.read(command, isAlone)).execution };
    const tables = await readTables(runner, [{ ...gpu, mig }], [pciBusId], trouble);
    const geometry = tables.get(index)?.geometry;
    if (geometry !== undefined) return geometry;
    throw trouble.whole ?? contradict('to read the profiles', 'none of this GPU', pciBusId);
  }

  /** Current MIG mode and processes of one GPU. @throws DeviceError */
  async readUse(gpu: string): Promise<ReportedGpu> {
    const { found, tried } = await this.#read({ name: 'Report', gpus: [gpu] }, (tried, { execution, gpus: asked }) => {
      const { gpus } = parseReport(tried, execution);
      const names = asked?.map(({ pciBusId }) => pciBusId) ?? [gpu];
      const found = gpus.find(({ pciBusId }) => pciBusId === gpu);
      const isAsked = gpus.length === names.length && names.every((name) => gpus.some((one) => one.pciBusId === name));
      if (found === undefined || !isAsked) throw refuseOutput(tried, 'a report of other GPUs', execution.stdout);
      return { found, tried };
    });
    if (found.fault === undefined) return found;
    throw new DeviceError(found.fault.code, { tried, found: found.fault.message, gpu });
  }

  /** Compute instance profiles that a GPU instance offers. @throws DeviceError */
  listComputeProfiles(gpu: string, instance: number): Promise<readonly ComputeProfileRow[]> {
    return this.#read({ name: 'ComputeProfiles', gpu, instance }, (tried, { execution }) =>
      parseComputeProfiles(tried, execution),
    );
  }

  /**
   * Runs one operation. Its result proves nothing: exit code 0 may have done nothing, and another may have done everything.
   * @returns undefined if a command for several GPUs ended before it came to this one
   * @throws DeviceError if it could not be run at all
   */
  change(command: ChangeCommand, permit?: Permit): Promise<Execution | undefined> {
    return this.#line.change(command, permit);
  }

  /** Rows of one GPU. Up to driver 535 `mig` says that MIG mode is off of a GPU whose mode it cannot read: the report must agree. */
  async #readRows<Row extends Pick<InstanceRow, 'gpuIndex'>>(
    name: 'Instances' | 'ComputeInstances',
    gpu: string,
    parse: (tried: string, execution: Execution) => readonly Row[],
  ): Promise<readonly Row[]> {
    const { rows, tried, saysOff, isShared } = await this.#read({ name, gpus: [gpu] }, (tried, { execution, gpus }) => {
      const all = parse(tried, execution);
      const indexes = gpus?.map(({ index }) => index) ?? all.slice(0, 1).map(({ gpuIndex }) => gpuIndex);
      if (!all.every(({ gpuIndex }) => indexes.includes(gpuIndex)))
        throw contradict('to read the instances', 'rows of several GPUs', gpu);
      const index = gpus?.find(({ pciBusId }) => pciBusId === gpu)?.index;
      const rows = index === undefined ? all : all.filter(({ gpuIndex }) => gpuIndex === index);
      return { rows, tried, saysOff: saysMigOff(execution), isShared: gpus !== undefined };
    });
    // In a table of several GPUs, one whose mode cannot be read is left out without a word.
    if (!saysOff && !(isShared && rows.length === 0)) return rows;
    const { mig, migDevices } = await this.readUse(gpu);
    if (mig?.current !== 'Enabled' || (!saysOff && migDevices.length === 0)) return rows;
    const found = saysOff ? 'no GPU with MIG mode on, and it is on' : `no instance, and there are ${migDevices.length}`;
    throw contradict(tried, `${found} in -q -x`, gpu);
  }

  /** Asks, and if the answer for several GPUs cannot be read, asks for this one alone. */
  async #read<Result>(command: ReadCommand, parse: (tried: string, answer: DriverAnswer) => Result): Promise<Result> {
    const answer = await this.#line.read(command);
    try {
      return parse(describeCommand(answer.command), answer);
    } catch (error) {
      if (answer.gpus === undefined || !mayBeOneGpu(error, true)) throw error;
    }
    const own = await this.#line.read(command, true);
    return parse(describeCommand(own.command), own);
  }
}

/** The GPUs of a node by `nvidia-smi`. */
export class NvidiaSmi extends GpuDriver {
  /** Every command by itself. */
  readonly line: OwnLine;
  readonly #reader: DeviceReader;

  constructor(execute: Execute, options: Deadlines & Pick<NvidiaSmiOptions, 'atOnce' | 'driverLoad'> = {}) {
    const runner = new Runner(execute, options, options.atOnce);
    const reader = new DeviceReader(runner, options.driverLoad);
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
    return this.#reader.read();
  }

  /** The same by one process, if only processes have come or gone as far as that shows. @throws DeviceError as {@link readDevice} */
  glanceAtDevice(): Promise<DeviceState> {
    return this.#reader.glance();
  }
}
