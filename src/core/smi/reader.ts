// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for a reading of the whole device or of one GPU: it yields commands, takes their answers, and throws DeviceErrors.
import type { Geometry } from '../gpu/geometry.ts';
import { contradict, contradictReading, mayBeOneGpu, refuseOutput, Trouble, type Execution } from './output.ts';
import { readTables, type Table, askEach, type GpuQuestion, readReport, run, type IndexedGpu } from './questions.ts';
import { type DriverAnswer, type Reading, describeCommand, type GpuSelection, type ReadCommand } from './command.ts';
import { parseReport, type ReportedGpu } from './report.ts';
import { type DeviceState, type GpuInstanceState, type GpuState, DeviceError } from '../gpu/device-state.ts';
import {
  readCapabilities,
  rejectsField,
  parseComputeInstances,
  parseComputeProfiles,
  parseInstances,
  saysMigOff,
  type ComputeInstanceRow,
  type ComputeProfileRow,
  type InstanceRow,
  parseGpuList,
  type ListedGpu,
} from './tables.ts';
import {
  assembleInstances,
  buildInstances,
  fillAll,
  findDisagreement,
  listProcesses,
  listOtherProcesses,
  namesProfiles,
  type GpuParts,
  findStranger,
  showsSameDevices,
} from './assembly.ts';

/** What does not change while the driver is loaded. */
type GpuFacts = Pick<GpuState, 'geometry' | 'tableSource' | 'computeCapability'>;

const unknown: GpuFacts = { geometry: undefined, tableSource: 'Own', computeCapability: undefined };

/** Reads each GPU's facts once: three commands for the node, none while driver and GPUs stay the same. */
class GpuFactsReader {
  readonly #facts = new Map<string, GpuFacts>();
  /** GPUs of one model share one object: the planner prepares each geometry once. */
  readonly #geometries = new Map<string, Geometry>();
  /** The question for compute capabilities failed: without their labels the node can do, but not for good. */
  #asksAgain = false;

  /**
   * @param selection what to name on command lines; undefined for every GPU of the node
   * @throws DeviceError
   */
  *read(
    driverVersion: string,
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Reading<(gpu: IndexedGpu) => GpuFacts> {
    const keyOf = (gpu: IndexedGpu): string => `${driverVersion} ${gpu.uuid} ${gpu.pciBusId} ${gpu.migCapable}`;
    // If the table is not the GPU's own, that one is read as soon as MIG mode is on.
    const isKnown = (gpu: IndexedGpu): boolean => {
      const facts = this.#facts.get(keyOf(gpu));
      return facts !== undefined && (facts.tableSource === 'Own' || gpu.mig?.current !== 'Enabled');
    };
    // Of a sick GPU nothing is asked until it is well.
    const healthy = gpus.filter(({ fault }) => fault === undefined);
    if (this.#asksAgain || !healthy.every(isKnown)) {
      const geometries = yield* this.#readGeometries(healthy, selection, trouble);
      const capabilities = yield* this.#readCapabilities(healthy, selection, trouble);
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

  *#readGeometries(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Reading<ReadonlyMap<number, Table>> {
    const capable = gpus.filter(({ migCapable }) => migCapable);
    const tables = yield* readTables(capable, { selection, trouble });
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
   * Reads compute capabilities by UUID, which the report must give for the same GPU. Old drivers do not know the field, and the question
   * may fail: then only labels are missing.
   */
  *#readCapabilities(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Reading<ReadonlyMap<string, string>> {
    const command: ReadCommand = { name: 'ComputeCapabilities', gpus: selection };
    const execution = yield* run(command);
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

/**
 * Reads the whole device. No single command is complete (`-q -x` has no profiles, `-L` no ids, `mig` no UUIDs), so several are
 * read and compared; if they contradict each other, something changed in between, and everything is read once more.
 * One GPU that is sick, or keeps contradicting itself, gets its own fault; the others are still read.
 * A device costs three commands, one if MIG is off, or if only its use may have changed ({@link DeviceReader.glance}). The UUIDs (`-L`) are read every time: an instance that was recreated at its
 * placement may have another one (the driver derives it from the engines too), and looks the same to the other two commands.
 */
export class DeviceReader {
  readonly #facts = new GpuFactsReader();
  readonly #before = new Map<string, GpuState>();
  readonly #driverLoad: () => string | undefined;
  /** The load of the driver that everything is known from. */
  #load: string | undefined;
  /** The last reading, if nothing in it is in doubt and nothing was changed since, with its report. */
  #whole: { readonly device: DeviceState; readonly gpus: readonly IndexedGpu[] } | undefined;

  /** @param driverLoad identifies one load of the driver; undefined if that is not known */
  constructor(driverLoad: () => string | undefined = () => undefined) {
    this.#driverLoad = driverLoad;
  }

  /** Something is about to change: nothing of the last reading holds. */
  expire(): void {
    this.#whole = undefined;
  }

  /** Nothing that was asked of another load of the driver is taken for this one's. */
  #noticeLoad(): void {
    const load = this.#driverLoad();
    if (load === this.#load) return;
    this.#load = load;
    this.#facts.forget();
    this.#whole = undefined;
  }

  /**
   * Reads what a plan needs: who uses which instance, by one command, if its report shows the same GPUs with the same MIG devices as the
   * last reading. It cannot show a GPU instance without a compute instance, nor other UUIDs: whoever plans on it must read everything
   * from time to time, and after each change. If anything differs, everything is read.
   *
   * @throws DeviceError
   */
  *glance(): Reading<DeviceState> {
    this.#noticeLoad();
    const whole = this.#whole;
    if (whole === undefined) return yield* this.read();
    try {
      const { report, gpus, lost } = yield* readReport(true, [...this.#before.values()]);
      const { device } = whole;
      const isSame =
        lost.length === 0 &&
        report.driverVersion === device.driverVersion &&
        report.cudaVersion === device.cudaVersion &&
        gpus.length === device.gpus.length;
      const states = gpus.flatMap((gpu, at): readonly GpuState[] => {
        const [before, known] = [whole.gpus[at], device.gpus[at]];
        if (before === undefined || known === undefined) return [];
        return showsSameDevices(gpu, before, known.instances) ? [withUse(known, gpu)] : [];
      });
      if (isSame && states.length === gpus.length) return { ...device, gpus: states };
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    return yield* this.read();
  }

  /** @throws DeviceError */
  *read(): Reading<DeviceState> {
    this.#noticeLoad();
    this.#whole = undefined;
    try {
      return yield* this.#readOnce(new Trouble(false));
    } catch (error) {
      if (!isPassing(error)) throw error;
      return yield* this.#readOnce(new Trouble(true));
    }
  }

  *#readOnce(trouble: Trouble): Reading<DeviceState> {
    const { report, gpus, lost, selection } = yield* readReport(trouble.isLast, [...this.#before.values()]);
    const factsOf = yield* this.#facts.read(report.driverVersion, gpus, selection, trouble);
    const instances = yield* this.#readInstances(gpus, selection, factsOf, trouble);
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
    const device = { driverVersion: report.driverVersion, cudaVersion: report.cudaVersion, gpus: states, lost };
    const isDoubtful = lost.length > 0 || states.some(({ fault }) => fault !== undefined);
    this.#whole = isDoubtful ? undefined : { device, gpus };
    return device;
  }

  *#readInstances(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    factsOf: (gpu: IndexedGpu) => GpuFacts,
    trouble: Trouble,
  ): Reading<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const enabled = gpus.filter(({ mig, fault }) => fault === undefined && mig?.current === 'Enabled');
    if (enabled.length === 0) return new Map();
    const mayHaveSome = ({ gpuIndex }: InstanceRow): boolean =>
      gpus.some(({ index, mig, fault }) => index === gpuIndex && (fault !== undefined || mig?.current === 'Enabled'));
    const parts = yield* this.#askEach(enabled, selection, trouble, {
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
    return yield* this.#assemble(enabled.filter(readable), rowsOf, selection, trouble);
  }

  /** Asks for all at once, and if that fails, for each by itself. @returns the answers of those that answered */
  *#askEach<Result>(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
    { command, parse }: Pick<GpuQuestion<Result>, 'command' | 'parse'>,
  ): Reading<readonly Result[]> {
    const named = gpus.map(({ pciBusId }) => pciBusId);
    return trouble.note(yield* askEach({ gpus: named, selection, command, parse, isLast: trouble.isLast }));
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

  *#assemble(
    enabled: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Reading<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const command: ReadCommand = { name: 'List' };
    const hasDevices = enabled.some(({ migDevices }) => migDevices.length > 0);
    const list = hasDevices ? parseGpuList(describeCommand(command), yield* run(command)).gpus : [];
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
      : yield* this.#askEach(gpus, selection, trouble, {
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

/** True if another reading may show something else. */
function isPassing(error: unknown): boolean {
  return error instanceof DeviceError && (error.code === 'Unstable' || error.code === 'GpuLost');
}

/** What a newer report says of a GPU whose instances are known. */
function withUse(known: GpuState, report: IndexedGpu): GpuState {
  const { health, vgpuHost } = report;
  const instances = known.instances.map((one) => ({ ...one, processes: listProcesses(report, one.id) }));
  return { ...known, health, vgpuHost, instances, processes: listOtherProcesses(report, instances) };
}

function isSameGpu(reported: IndexedGpu, { index, uuid, product }: ListedGpu): boolean {
  return reported.index === index && reported.uuid === uuid && reported.product === product;
}

/** Reads the GPU instances of one GPU, without processes, UUIDs and attributes. @throws DeviceError */
export function* readGpuInstances(gpu: string): Reading<readonly GpuInstanceState[]> {
  try {
    return yield* readGpuInstancesOnce(gpu);
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'Unstable') throw error;
    return yield* readGpuInstancesOnce(gpu);
  }
}

function* readGpuInstancesOnce(gpu: string): Reading<readonly GpuInstanceState[]> {
  const rows = yield* listInstances(gpu);
  if (rows.length === 0) return [];
  const parts = yield* listComputeInstances(gpu);
  const found = findDisagreement(rows, parts);
  if (found !== undefined) throw contradict('to read the instances', found, gpu);
  if (!fillAll(rows, parts)) yield* demandSameParts(gpu, parts);
  return buildInstances(rows, parts);
}

/** Room for another compute instance is rare: if there is some, the report must list the same ones. */
function* demandSameParts(gpu: string, parts: readonly ComputeInstanceRow[]): Reading<void> {
  const { migDevices } = yield* readUse(gpu);
  const isSame =
    migDevices.length === parts.length &&
    migDevices.every((device) =>
      parts.some(({ instance, id }) => instance === device.instance && id === device.computeInstance),
    );
  if (isSame) return;
  throw contradict('to read the instances', `${parts.length} rows of -lci, ${migDevices.length} in -q -x`, gpu);
}

/** Lists the GPU instances of one GPU, without their contents. @throws DeviceError */
export function listInstances(gpu: string): Reading<readonly InstanceRow[]> {
  return readRows('Instances', gpu, parseInstances);
}

/** Lists the compute instances of all GPU instances of one GPU. @throws DeviceError */
export function listComputeInstances(gpu: string): Reading<readonly ComputeInstanceRow[]> {
  return readRows('ComputeInstances', gpu, parseComputeInstances);
}

/** Reads the profiles and placements of one GPU in MIG mode, from the driver's own tables. @throws DeviceError */
export function* readGeometry(gpu: GpuState): Reading<Geometry> {
  try {
    return yield* readGeometryOnce(gpu, false);
  } catch (error) {
    if (!mayBeOneGpu(error, true)) throw error;
    return yield* readGeometryOnce(gpu, true);
  }
}

function* readGeometryOnce(gpu: GpuState, isAlone: boolean): Reading<Geometry> {
  const { index, pciBusId } = gpu;
  const mig = { current: 'Enabled', pending: 'Enabled' } as const;
  const trouble = new Trouble(true);
  const tables = yield* readTables([{ ...gpu, mig }], { selection: [pciBusId], trouble, isAlone });
  const geometry = tables.get(index)?.geometry;
  if (geometry !== undefined) return geometry;
  throw trouble.whole ?? contradict('to read the profiles', 'none of this GPU', pciBusId);
}

/** Reads the current MIG mode and the processes of one GPU. @throws DeviceError */
export function* readUse(gpu: string): Reading<ReportedGpu> {
  const { found, tried } = yield* askOne({ name: 'Report', gpus: [gpu] }, (tried, { execution, gpus: asked }) => {
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

/** Lists the compute instance profiles that a GPU instance offers. @throws DeviceError */
export function listComputeProfiles(gpu: string, instance: number): Reading<readonly ComputeProfileRow[]> {
  return askOne({ name: 'ComputeProfiles', gpu, instance }, (tried, { execution }) =>
    parseComputeProfiles(tried, execution),
  );
}

/** Reads rows of one GPU. Up to driver 535 `mig` says that MIG mode is off of a GPU whose mode it cannot read: the report must agree. */
function* readRows<Row extends Pick<InstanceRow, 'gpuIndex'>>(
  name: 'Instances' | 'ComputeInstances',
  gpu: string,
  parse: (tried: string, execution: Execution) => readonly Row[],
): Reading<readonly Row[]> {
  const answer = yield* askOne({ name, gpus: [gpu] }, (tried, { execution, gpus }) => {
    const all = parse(tried, execution);
    const indexes = gpus?.map(({ index }) => index) ?? all.slice(0, 1).map(({ gpuIndex }) => gpuIndex);
    if (!all.every(({ gpuIndex }) => indexes.includes(gpuIndex)))
      throw contradict('to read the instances', 'rows of several GPUs', gpu);
    const index = gpus?.find(({ pciBusId }) => pciBusId === gpu)?.index;
    const rows = index === undefined ? all : all.filter(({ gpuIndex }) => gpuIndex === index);
    return { rows, tried, saysOff: saysMigOff(execution), isShared: gpus !== undefined };
  });
  const { rows, tried, saysOff, isShared } = answer;
  // In a table of several GPUs, one whose mode cannot be read is left out without a word.
  if (!saysOff && !(isShared && rows.length === 0)) return rows;
  const { mig, migDevices } = yield* readUse(gpu);
  if (mig?.current !== 'Enabled' || (!saysOff && migDevices.length === 0)) return rows;
  const found = saysOff ? 'no GPU with MIG mode on, and it is on' : `no instance, and there are ${migDevices.length}`;
  throw contradict(tried, `${found} in -q -x`, gpu);
}

/** Asks, and if the answer for several GPUs cannot be read, asks for this one alone. */
function* askOne<Result>(
  command: ReadCommand,
  parse: (tried: string, answer: DriverAnswer) => Result,
): Reading<Result> {
  const answer = yield { command, isAlone: false };
  try {
    return parse(describeCommand(answer.command), answer);
  } catch (error) {
    if (answer.gpus === undefined || !mayBeOneGpu(error, true)) throw error;
  }
  const own = yield { command, isAlone: true };
  return parse(describeCommand(own.command), own);
}
