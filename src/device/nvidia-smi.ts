import {
  type Execute,
  makeExecute,
  type ChildOptions,
  Runner,
  type Deadlines,
  findTool,
  type ToolOptions,
} from './child.ts';
import { type Execution, type SmiRun, contradict, refuseOutput, Trouble } from '../core/smi/output.ts';
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

/** The GPUs of a node by `nvidia-smi`. GPUs are named by PCI bus id: once one GPU is lost, a UUID finds no other GPU either. */
export class NvidiaSmi {
  readonly #runner: Runner;
  readonly #reader: DeviceReader;

  constructor(execute: Execute, options: Deadlines & Pick<NvidiaSmiOptions, 'atOnce'> = {}) {
    this.#runner = new Runner(execute, options, options.atOnce);
    this.#reader = new DeviceReader(this.#runner);
  }

  /** Everything, in two to seven processes. @throws DeviceError if the node as a whole cannot be read */
  readDevice(): Promise<DeviceState> {
    return this.#reader.read();
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
  async listInstances(gpu: string): Promise<readonly InstanceRow[]> {
    const rows = await this.#readRows('Instances', gpu, parseInstances);
    if (new Set(rows.map(({ gpuIndex }) => gpuIndex)).size <= 1) return rows;
    throw contradict('to read the instances', 'rows of several GPUs', gpu);
  }

  /** Compute instances of all GPU instances of one GPU. @throws DeviceError */
  listComputeInstances(gpu: string): Promise<readonly ComputeInstanceRow[]> {
    return this.#readRows('ComputeInstances', gpu, parseComputeInstances);
  }

  /** Profiles and placements of one GPU in MIG mode, from the driver's own tables. @throws DeviceError */
  async readTable(gpu: GpuState): Promise<Geometry> {
    const { index, pciBusId } = gpu;
    const mig = { current: 'Enabled', pending: 'Enabled' } as const;
    const trouble = new Trouble(true);
    const tables = await readTables(this.#runner, [{ ...gpu, mig }], [pciBusId], trouble);
    const geometry = tables.get(index)?.geometry;
    if (geometry !== undefined) return geometry;
    throw trouble.whole ?? contradict('to read the profiles', 'none of this GPU', pciBusId);
  }

  /** Current MIG mode and processes of one GPU. @throws DeviceError */
  async readUse(gpu: string): Promise<ReportedGpu> {
    const command: ReadCommand = { name: 'Report', gpus: [gpu] };
    const execution = await this.#runner.run(command);
    const { gpus } = parseReport(describeCommand(command), execution);
    const [only] = gpus;
    if (only?.pciBusId !== gpu || gpus.length !== 1)
      throw refuseOutput(describeCommand(command), 'a report of other GPUs', execution.stdout);
    if (only.fault === undefined) return only;
    throw new DeviceError(only.fault.code, { tried: describeCommand(command), found: only.fault.message, gpu });
  }

  /** Compute instance profiles that a GPU instance offers. @throws DeviceError */
  listComputeProfiles(gpu: string, instance: number): Promise<readonly ComputeProfileRow[]> {
    return this.#read({ name: 'ComputeProfiles', gpu, instance }, parseComputeProfiles);
  }

  /**
   * Runs one operation. Its result proves nothing: exit code 0 may have done nothing, and another may have done everything.
   * @throws DeviceError if it could not be run at all
   */
  change(command: ChangeCommand): Promise<Execution> {
    return this.#runner.run(command);
  }

  /** Rows of one GPU. Up to driver 535 `mig` says that MIG mode is off of a GPU whose mode it cannot read: the report must agree. */
  async #readRows<Row>(
    name: 'Instances' | 'ComputeInstances',
    gpu: string,
    parse: (tried: string, execution: Execution) => readonly Row[],
  ): Promise<readonly Row[]> {
    const command: ReadCommand = { name, gpus: [gpu] };
    const execution = await this.#runner.run(command);
    const rows = parse(describeCommand(command), execution);
    if (!saysMigOff(execution) || (await this.readUse(gpu)).mig?.current !== 'Enabled') return rows;
    throw contradict(describeCommand(command), 'no GPU with MIG mode on, and it is on in -q -x', gpu);
  }

  async #read<Result>(command: ReadCommand, parse: (tried: string, execution: Execution) => Result): Promise<Result> {
    return parse(describeCommand(command), await this.#runner.run(command));
  }
}
