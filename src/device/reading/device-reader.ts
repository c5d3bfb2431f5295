import { DeviceError } from '../errors.ts';
import { GpuFactsReader, type GpuFacts, type IndexedGpu } from './gpu-facts.ts';
import { findLostGpus, parseGpuList, type GpuList, type ListedGpu } from './gpu-list.ts';
import {
  assembleInstances,
  listOtherProcesses,
  namesProfiles,
  reuseInstances,
  type GpuParts,
} from './instance-assembly.ts';
import { contradict } from './contradiction.ts';
import { findStranger } from './instance-check.ts';
import {
  parseComputeInstances,
  parseInstances,
  saysMigOff,
  type ComputeInstanceRow,
  type InstanceRow,
} from './instance-table.ts';
import { explainFailure } from '../command/output.ts';
import { parseReport, type Report } from './report-parser.ts';
import { describeCommand, type Runner } from '../command/runner.ts';
import type { GpuSelection, ReadCommand } from '../command/smi-command.ts';
import type { DeviceState, GpuInstanceState, GpuState, LostGpu } from './state.ts';

/** The report, and how to name its GPUs on command lines: all of them, or, with one lost, one by one. */
interface Reading {
  readonly report: Report;
  readonly gpus: readonly IndexedGpu[];
  readonly lost: GpuList['lost'];
  readonly selection: GpuSelection | undefined;
}

/**
 * Reads the whole device. One command alone tells nothing complete (`-q -x` has no profiles, `-L` no ids, `mig` no UUIDs), so
 * several are read and compared; where they contradict each other, something changed in between, and all is read once more.
 * A device on which nothing is new costs two commands, one if MIG is off; new instances cost a third, for their UUIDs.
 */
export class DeviceReader {
  readonly #runner: Runner;
  readonly #facts: GpuFactsReader;
  readonly #before = new Map<string, GpuState>();

  constructor(runner: Runner) {
    this.#runner = runner;
    this.#facts = new GpuFactsReader(runner);
  }

  /** @throws DeviceError */
  async read(): Promise<DeviceState> {
    try {
      return await this.#readOnce();
    } catch (error) {
      if (!(error instanceof DeviceError) || (error.code !== 'Unstable' && error.code !== 'GpuLost')) throw error;
      return await this.#readOnce();
    }
  }

  async #readOnce(): Promise<DeviceState> {
    const { report, gpus, lost, selection } = await this.#readReport();
    const factsOf = await this.#facts.read(report.driverVersion, gpus, selection);
    const instances = await this.#readInstances(gpus, selection, factsOf);
    const states = gpus.map((gpu): GpuState => {
      const { migDevices: _devices, processes: _processes, ...own } = gpu;
      const mine = instances.get(gpu.pciBusId) ?? [];
      return { ...own, ...factsOf(gpu), instances: mine, processes: listOtherProcesses(gpu, mine) };
    });
    for (const state of states) this.#before.set(state.pciBusId, state);
    return {
      driverVersion: report.driverVersion,
      cudaVersion: report.cudaVersion,
      gpus: states,
      lost: lost.map((gpu) => this.#rememberLost(gpu)),
    };
  }

  async #readReport(): Promise<Reading> {
    const command: ReadCommand = { name: 'Report' };
    const execution = await this.#runner.run(command);
    if (findLostGpus(execution).length === 0) {
      const report = parseReport(describeCommand(command), execution);
      if (report.gpus.length !== report.attached)
        throw contradiction(`${report.gpus.length} GPUs, of which ${report.attached} are attached`);
      return { report, gpus: report.gpus.map((gpu, index) => ({ ...gpu, index })), lost: [], selection: undefined };
    }
    // One lost GPU silences every command but -L, unless the others are named.
    const listCommand: ReadCommand = { name: 'List' };
    const list = parseGpuList(describeCommand(listCommand), await this.#runner.run(listCommand));
    const indexes = list.gpus.map(({ index }) => index);
    if (indexes.length === 0) throw explainFailure(describeCommand(command), execution);
    const again: ReadCommand = { name: 'Report', gpus: indexes };
    const report = parseReport(describeCommand(again), await this.#runner.run(again));
    const gpus = list.gpus.flatMap(({ index, uuid }) => {
      const gpu = report.gpus.find((candidate) => candidate.uuid === uuid);
      return gpu === undefined ? [] : [{ ...gpu, index }];
    });
    if (gpus.length !== report.gpus.length || gpus.length !== indexes.length) throw contradiction('GPUs came or went');
    return { report, gpus, lost: list.lost, selection: gpus.map(({ pciBusId }) => pciBusId) };
  }

  async #readInstances(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    factsOf: (gpu: IndexedGpu) => GpuFacts,
  ): Promise<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const enabled = gpus.filter(({ mig }) => mig?.current === 'Enabled');
    if (enabled.length === 0) return new Map();
    const what = selection === undefined ? {} : { gpus: selection };
    const command: ReadCommand = { name: 'Instances', ...what };
    const execution = await this.#runner.run(command);
    const rows = parseInstances(describeCommand(command), execution);
    if (saysMigOff(execution)) throw contradiction(`no GPU with MIG mode on, and ${enabled.length} that are`);
    const rowsOf = (gpu: IndexedGpu): readonly InstanceRow[] => rows.filter(({ gpuIndex }) => gpuIndex === gpu.index);
    if (rows.some(({ gpuIndex }) => !enabled.some(({ index }) => index === gpuIndex)))
      throw contradiction('instances on a GPU whose MIG mode is off');
    this.#demandKnownProfiles(enabled, rowsOf, factsOf);
    const known = enabled.map((gpu) => {
      const before = this.#before.get(gpu.pciBusId);
      return [gpu.pciBusId, reuseInstances(before?.uuid === gpu.uuid ? before : undefined, gpu, rowsOf(gpu))] as const;
    });
    if (known.every((entry) => entry[1] !== undefined))
      return new Map(known.map(([busId, instances = []]) => [busId, instances]));
    return this.#assemble(enabled, rowsOf, what);
  }

  /** The tables of profiles are read once: where they are in doubt, they are read again too. */
  #demandKnownProfiles(
    gpus: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    factsOf: (gpu: IndexedGpu) => GpuFacts,
  ): void {
    for (const gpu of gpus) {
      const { geometry } = factsOf(gpu);
      const stranger = geometry && findStranger(rowsOf(gpu), geometry);
      if (stranger === undefined) continue;
      this.#facts.forget();
      throw contradict('to read the device', stranger, gpu.pciBusId);
    }
  }

  async #assemble(
    gpus: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    what: { readonly gpus?: GpuSelection },
  ): Promise<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const command: ReadCommand = { name: 'List' };
    const hasDevices = gpus.some(({ migDevices }) => migDevices.length > 0);
    const list = hasDevices ? parseGpuList(describeCommand(command), await this.#runner.run(command)).gpus : [];
    if (hasDevices && !gpus.every((gpu) => list.some((listed) => isSameGpu(gpu, listed))))
      throw contradiction('-q -x and -L name other GPUs');
    const parts = gpus.map((gpu): GpuParts => {
      const listed = list.find(({ uuid }) => uuid === gpu.uuid)?.migDevices ?? new Map();
      return { report: gpu, instances: rowsOf(gpu), listed };
    });
    const tables = parts.every(namesProfiles) ? undefined : await this.#readComputeInstances(what);
    return new Map(
      gpus.map((gpu, at) => {
        const mine = tables?.filter(({ gpuIndex }) => gpuIndex === gpu.index);
        const part = parts[at];
        const instances = part && assembleInstances(mine === undefined ? part : { ...part, computeInstances: mine });
        if (instances === undefined) throw contradiction(`-q -x, -lgi, -L and -lci differ on GPU ${gpu.pciBusId}`);
        return [gpu.pciBusId, instances];
      }),
    );
  }

  async #readComputeInstances(what: { readonly gpus?: GpuSelection }): Promise<readonly ComputeInstanceRow[]> {
    const command: ReadCommand = { name: 'ComputeInstances', ...what };
    return parseComputeInstances(describeCommand(command), await this.#runner.run(command));
  }

  #rememberLost({ pciBusId, fault }: GpuList['lost'][number]): LostGpu {
    const before = this.#before.get(pciBusId);
    return { pciBusId, fault, uuid: before?.uuid, index: before?.index, product: before?.product };
  }
}

function isSameGpu(reported: IndexedGpu, { index, uuid, product }: ListedGpu): boolean {
  return reported.index === index && reported.uuid === uuid && reported.product === product;
}

function contradiction(found: string): DeviceError {
  return contradict('to read the device', found);
}
