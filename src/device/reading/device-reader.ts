import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { GpuFactsReader, type GpuFacts, type IndexedGpu } from './gpu-facts.ts';
import { parseGpuList, type ListedGpu } from '../../core/smi/gpu-list.ts';
import {
  assembleInstances,
  listOtherProcesses,
  namesProfiles,
  type GpuParts,
} from '../../core/smi/instance-assembly.ts';
import { contradictReading } from '../../core/smi/output.ts';
import { findStranger } from '../../core/smi/instance-check.ts';
import { parseComputeInstances, parseInstances, saysMigOff, type InstanceRow } from '../../core/smi/instance-table.ts';
import { askEach, type GpuQuestion } from './one-by-one.ts';
import { readReport } from './report-reader.ts';
import { Trouble } from '../../core/smi/trouble.ts';
import type { Runner } from '../command/runner.ts';
import { describeCommand, type GpuSelection, type ReadCommand } from '../../core/smi/smi-command.ts';
import type { DeviceState, GpuInstanceState, GpuState } from '../../core/gpu/state/device-state.ts';

/**
 * Reads the whole device. No single command is complete (`-q -x` has no profiles, `-L` no ids, `mig` no UUIDs), so several are
 * read and compared; if they contradict each other, something changed in between, and everything is read once more.
 * One GPU that is sick, or keeps contradicting itself, gets its own fault; the others are still read.
 * A device costs three commands, one if MIG is off. The UUIDs (`-L`) are read every time: an instance that was recreated at its
 * placement may have another one (the driver derives it from the engines too), and looks the same to the other two commands.
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
      return await this.#readOnce(new Trouble(false));
    } catch (error) {
      if (!(error instanceof DeviceError) || (error.code !== 'Unstable' && error.code !== 'GpuLost')) throw error;
      return await this.#readOnce(new Trouble(true));
    }
  }

  async #readOnce(trouble: Trouble): Promise<DeviceState> {
    const { report, gpus, lost, selection } = await readReport(this.#runner, trouble.isLast, [
      ...this.#before.values(),
    ]);
    const factsOf = await this.#facts.read(report.driverVersion, gpus, selection, trouble);
    const instances = await this.#readInstances(gpus, selection, factsOf, trouble);
    const states = gpus.map((gpu): GpuState => {
      const { migDevices: _devices, processes: _processes, isPersistent: _persistent, minor, ...own } = gpu;
      const fault = gpu.fault ?? trouble.find(gpu.pciBusId);
      // Whoever holds one of its instances must still be known as its holder; and a UUID or a name in doubt is none.
      const before = fault === undefined ? undefined : this.#before.get(gpu.pciBusId);
      const mine = instances.get(gpu.pciBusId) ?? before?.instances ?? [];
      const { uuid, product, pciDeviceId } = before ?? own;
      const numbered = minor !== undefined && minor !== own.index && { minor };
      const processes = listOtherProcesses(gpu, mine);
      const identity = { ...own, ...numbered, uuid, product, pciDeviceId };
      return { ...identity, ...factsOf(gpu), fault, instances: mine, processes };
    });
    // If no GPU can be read, neither can the node.
    const isBlind =
      trouble.whole !== undefined && lost.length === 0 && states.every(({ fault }) => fault !== undefined);
    if (isBlind) throw trouble.whole;
    for (const state of states) if (state.fault === undefined) this.#before.set(state.pciBusId, state);
    return { driverVersion: report.driverVersion, cudaVersion: report.cudaVersion, gpus: states, lost };
  }

  async #readInstances(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    factsOf: (gpu: IndexedGpu) => GpuFacts,
    trouble: Trouble,
  ): Promise<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const enabled = gpus.filter(({ mig, fault }) => fault === undefined && mig?.current === 'Enabled');
    if (enabled.length === 0) return new Map();
    const mayHaveSome = ({ gpuIndex }: InstanceRow): boolean =>
      gpus.some(({ index, mig, fault }) => index === gpuIndex && (fault !== undefined || mig?.current === 'Enabled'));
    const parts = await this.#askEach(enabled, selection, trouble, {
      command: (named) => ({ name: 'Instances', gpus: named }),
      parse: (tried, execution) => {
        const rows = parseInstances(tried, execution);
        if (saysMigOff(execution)) throw contradictReading(`no GPU with MIG mode on, and ${enabled.length} that are`);
        if (!rows.every(mayHaveSome)) throw contradictReading('instances on a GPU whose MIG mode is off');
        return rows;
      },
    });
    const rows = parts.flat();
    const rowsOf = (gpu: IndexedGpu): readonly InstanceRow[] => rows.filter(({ gpuIndex }) => gpuIndex === gpu.index);
    const readable = (gpu: IndexedGpu): boolean => trouble.find(gpu.pciBusId) === undefined;
    this.#demandKnownProfiles(enabled.filter(readable), rowsOf, factsOf, trouble);
    return this.#assemble(enabled.filter(readable), rowsOf, selection, trouble);
  }

  /** Asks for all at once, and if that fails, for each by itself. @returns the answers of those that answered */
  async #askEach<Result>(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
    { command, parse }: Pick<GpuQuestion<Result>, 'command' | 'parse'>,
  ): Promise<readonly Result[]> {
    const named = gpus.map(({ pciBusId }) => pciBusId);
    return trouble.note(
      await askEach(this.#runner, { gpus: named, selection, command, parse, isLast: trouble.isLast }),
    );
  }

  /** The profile tables are read only once: if they are in doubt, they are read again too. */
  #demandKnownProfiles(
    gpus: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    factsOf: (gpu: IndexedGpu) => GpuFacts,
    trouble: Trouble,
  ): void {
    for (const gpu of gpus) {
      const { geometry } = factsOf(gpu);
      const stranger = geometry && findStranger(rowsOf(gpu), geometry);
      if (stranger === undefined) continue;
      this.#facts.forget();
      trouble.pin(gpu.pciBusId, contradictReading(stranger, gpu.pciBusId));
    }
  }

  async #assemble(
    enabled: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const command: ReadCommand = { name: 'List' };
    const hasDevices = enabled.some(({ migDevices }) => migDevices.length > 0);
    const list = hasDevices ? parseGpuList(describeCommand(command), await this.#runner.run(command)).gpus : [];
    const gpus = enabled.filter((gpu) => {
      if (!hasDevices || list.some((listed) => isSameGpu(gpu, listed))) return true;
      trouble.pin(gpu.pciBusId, contradictReading('-q -x and -L name other GPUs'));
      return false;
    });
    const parts = gpus.map((gpu): GpuParts => {
      const listed = list.find(({ uuid }) => uuid === gpu.uuid)?.migDevices ?? new Map();
      return { report: gpu, instances: rowsOf(gpu), listed };
    });
    const tables = parts.every(namesProfiles)
      ? undefined
      : await this.#askEach(gpus, selection, trouble, {
          command: (named) => ({ name: 'ComputeInstances', gpus: named }),
          parse: parseComputeInstances,
        });
    return new Map(
      gpus.flatMap((gpu, at) => {
        const mine = tables?.flat().filter(({ gpuIndex }) => gpuIndex === gpu.index);
        const part = parts[at];
        const instances = part && assembleInstances(mine === undefined ? part : { ...part, computeInstances: mine });
        if (instances !== undefined) return [[gpu.pciBusId, instances] as const];
        const differ = `-q -x, -lgi, -L and -lci differ on GPU ${gpu.pciBusId}`;
        trouble.pin(gpu.pciBusId, contradictReading(differ));
        return [];
      }),
    );
  }
}

function isSameGpu(reported: IndexedGpu, { index, uuid, product }: ListedGpu): boolean {
  return reported.index === index && reported.uuid === uuid && reported.product === product;
}
