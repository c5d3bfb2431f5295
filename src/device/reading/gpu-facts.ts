import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { contradict } from '../../core/smi/output.ts';
import { readTables, type Table } from './gpu-tables.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { TableSource } from '../../core/gpu/state/device-state.ts';
import type { Trouble } from '../../core/smi/trouble.ts';
import { readCapabilities, rejectsField } from '../../core/smi/capability-list.ts';
import type { Runner } from '../command/runner.ts';
import { describeCommand, type GpuSelection, type ReadCommand } from '../../core/smi/smi-command.ts';

/** What does not change while the driver is loaded. */
export interface GpuFacts {
  readonly geometry: Geometry | undefined;
  /** If it is not the GPU's own, that one is read as soon as MIG mode is on. */
  readonly tableSource: TableSource;
  readonly computeCapability: string | undefined;
}

const unknown: GpuFacts = { geometry: undefined, tableSource: 'Own', computeCapability: undefined };

export interface IndexedGpu extends ReportedGpu {
  readonly index: number;
}

/** Reads each GPU's facts once: three commands for the node, none while driver and GPUs stay the same. */
export class GpuFactsReader {
  readonly #runner: Runner;
  readonly #facts = new Map<string, GpuFacts>();
  /** GPUs of one model share one object: the planner prepares each geometry once. */
  readonly #geometries = new Map<string, Geometry>();
  /** The question for compute capabilities failed: without their labels the node can do, but not for good. */
  #asksAgain = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /**
   * @param selection what to name on command lines; undefined for every GPU of the node
   * @throws DeviceError
   */
  async read(
    driverVersion: string,
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<(gpu: IndexedGpu) => GpuFacts> {
    const keyOf = (gpu: IndexedGpu): string => `${driverVersion} ${gpu.uuid} ${gpu.pciBusId} ${gpu.migCapable}`;
    const isKnown = (gpu: IndexedGpu): boolean => {
      const facts = this.#facts.get(keyOf(gpu));
      return facts !== undefined && (facts.tableSource === 'Own' || gpu.mig?.current !== 'Enabled');
    };
    // Of a sick GPU nothing is asked until it is well.
    const healthy = gpus.filter(({ fault }) => fault === undefined);
    if (this.#asksAgain || !healthy.every(isKnown)) {
      const geometries = await this.#readGeometries(healthy, selection, trouble);
      const capabilities = await this.#readCapabilities(healthy, selection, trouble);
      for (const gpu of healthy) {
        if (trouble.find(gpu.pciBusId) !== undefined) continue;
        const table = geometries.get(gpu.index);
        const computeCapability = capabilities.get(gpu.uuid) ?? this.#facts.get(keyOf(gpu))?.computeCapability;
        this.#facts.set(keyOf(gpu), { ...unknown, ...table, computeCapability });
      }
    }
    return (gpu) => this.#facts.get(keyOf(gpu)) ?? unknown;
  }

  /** Makes the next call read everything again. */
  forget(): void {
    this.#facts.clear();
  }

  async #readGeometries(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<ReadonlyMap<number, Table>> {
    const capable = gpus.filter(({ migCapable }) => migCapable);
    const tables = await readTables(this.#runner, capable, selection, trouble);
    return new Map(
      [...tables].map(([index, { geometry, tableSource }]) => [
        index,
        { geometry: tableSource === 'BuiltIn' ? geometry : this.#share(geometry), tableSource },
      ]),
    );
  }

  #share(geometry: Geometry): Geometry {
    const key = JSON.stringify(geometry);
    const known = this.#geometries.get(key) ?? geometry;
    this.#geometries.set(key, known);
    return known;
  }

  /**
   * By UUID, which the report must give for the same GPU. Old drivers do not know the field, and the question may fail: then only labels
   * are missing.
   */
  async #readCapabilities(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<ReadonlyMap<string, string>> {
    const command: ReadCommand = { name: 'ComputeCapabilities', gpus: selection };
    const execution = await this.#runner.run(command);
    const rows = readCapabilities(execution);
    this.#asksAgain = rows === undefined && !rejectsField(execution);
    if (rows === undefined) return new Map();
    for (const { uuid, pciBusId } of gpus) {
      if (rows.some((row) => row.uuid === uuid && row.pciBusId === pciBusId)) continue;
      trouble.pin(pciBusId, contradict(describeCommand(command), `no GPU ${uuid}, which -q -x reports`, pciBusId));
    }
    return new Map(
      rows.flatMap(({ uuid, capability }) => (capability === undefined ? [] : [[uuid, capability] as const])),
    );
  }
}
