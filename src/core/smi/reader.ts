// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for a reading of the whole device or of one GPU: it yields commands, takes their answers, and throws DeviceErrors.
import type { Geometry } from '../gpu/geometry.ts';
import {
  contradict,
  mayBeOneGpu,
  refuseOutput,
  type Execution,
  type DriverAnswer,
  type Reading,
  type GpuReading,
  askDriver,
  describeCommand,
  type GpuSelection,
  type ReadCommand,
} from './command.ts';
import {
  contradictReading,
  Trouble,
  askGpus,
  readList,
  readReport,
  type IndexedGpu,
  GpuFactsReader,
  readTables,
} from './questions.ts';
import { parseReport, type ReportedGpu, type ReportedMigDevice, type ReportedProcess } from './report.ts';
import {
  type DeviceState,
  type GpuInstanceState,
  type GpuState,
  DeviceError,
  type ComputeInstanceState,
  type ProcessState,
} from '../gpu/device-state.ts';
import {
  parseComputeInstances,
  parseComputeProfiles,
  parseInstances,
  saysMigOff,
  type ComputeInstanceRow,
  type ComputeProfileRow,
  type InstanceRow,
  type ListedGpu,
  type ListedMigDevice,
} from './tables.ts';
import { computeInstanceSlices, isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { deepEqual } from '../text/json.ts';

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
      const { migDevices: _devices, processes: _processes, isPersistent, minor, ...own } = gpu;
      const fault = gpu.fault ?? trouble.find(gpu.pciBusId);
      // Whoever holds one of its instances must still be known as its holder; and a UUID or a name in doubt is none.
      const before = fault === undefined ? undefined : this.#before.get(gpu.pciBusId);
      const mine = instances.get(gpu.pciBusId) ?? before?.instances ?? [];
      const { uuid, product, pciDeviceId } = before ?? own;
      const numbered = minor !== undefined && minor !== own.index && { minor };
      const processes = listOtherProcesses(gpu, mine);
      const identity = {
        ...own,
        ...numbered,
        ...(isPersistent !== undefined && { isPersistent }),
        uuid,
        product,
        pciDeviceId,
      };
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
    factsOf: (gpu: IndexedGpu) => Pick<GpuState, 'geometry'>,
    trouble: Trouble,
  ): Reading<ReadonlyMap<string, readonly GpuInstanceState[]>> {
    const enabled = gpus.filter(({ mig, fault }) => fault === undefined && mig?.current === 'Enabled');
    if (enabled.length === 0) return new Map();
    const mayHaveSome = ({ gpuIndex }: InstanceRow): boolean =>
      gpus.some(({ index, mig, fault }) => index === gpuIndex && (fault !== undefined || mig?.current === 'Enabled'));
    const parts = yield* askGpus(
      enabled,
      { selection, trouble },
      {
        command: (named) => ({ name: 'Instances', gpus: named }),
        parse: (tried, execution) => {
          const rows = parseInstances(tried, execution);
          if (saysMigOff(execution)) throw contradictReading(`no GPU with MIG mode on, and ${enabled.length} that are`);
          if (!rows.every(mayHaveSome)) throw contradictReading('instances on a GPU whose MIG mode is off');
          return rows;
        },
      },
    );
    const rows = parts.flat();
    const rowsOf = (gpu: IndexedGpu): readonly InstanceRow[] => rows.filter(({ gpuIndex }) => gpuIndex === gpu.index);
    const readable = (gpu: IndexedGpu): boolean => trouble.find(gpu.pciBusId) === undefined;
    this.#demandKnownProfiles(enabled.filter(readable), rowsOf, factsOf, trouble);
    return yield* this.#assemble(enabled.filter(readable), rowsOf, selection, trouble);
  }

  /** The profile tables are read only once: if they are in doubt, they are read again too. */
  #demandKnownProfiles(
    gpus: readonly IndexedGpu[],
    rowsOf: (gpu: IndexedGpu) => readonly InstanceRow[],
    factsOf: (gpu: IndexedGpu) => Pick<GpuState, 'geometry'>,
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
    const hasDevices = enabled.some(({ migDevices }) => migDevices.length > 0);
    const list = hasDevices ? (yield* readList()).gpus : [];
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
      : yield* askGpus(
          gpus,
          { selection, trouble },
          {
            command: (named) => ({ name: 'ComputeInstances', gpus: named }),
            parse: parseComputeInstances,
          },
        );
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
  const { health, vgpuHost, isPersistent } = report;
  const instances = known.instances.map((one) => ({ ...one, processes: listProcesses(report, one.id) }));
  const processes = listOtherProcesses(report, instances);
  return { ...known, health, vgpuHost, ...(isPersistent !== undefined && { isPersistent }), instances, processes };
}

function isSameGpu(reported: IndexedGpu, { index, uuid, product }: ListedGpu): boolean {
  return reported.index === index && reported.uuid === uuid && reported.product === product;
}

/** The GPU instances of one GPU, without processes, UUIDs and attributes. */
export function readGpuInstances(gpu: string): GpuReading<readonly GpuInstanceState[]> {
  return { name: 'Instances', gpu, begin: () => readGpuInstancesTwice(gpu) };
}

function* readGpuInstancesTwice(gpu: string): Reading<readonly GpuInstanceState[]> {
  try {
    return yield* readGpuInstancesOnce(gpu);
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'Unstable') throw error;
    return yield* readGpuInstancesOnce(gpu);
  }
}

function* readGpuInstancesOnce(gpu: string): Reading<readonly GpuInstanceState[]> {
  const rows = yield* listInstances(gpu).begin();
  if (rows.length === 0) return [];
  const parts = yield* listComputeInstances(gpu).begin();
  const found = findDisagreement(rows, parts);
  if (found !== undefined) throw contradict('to read the instances', found, gpu);
  if (!fillAll(rows, parts)) yield* demandSameParts(gpu, parts);
  return buildInstances(rows, parts);
}

/** Room for another compute instance is rare: if there is some, the report must list the same ones. */
function* demandSameParts(gpu: string, parts: readonly ComputeInstanceRow[]): Reading<void> {
  const { migDevices } = yield* reportUse(gpu);
  const isSame =
    migDevices.length === parts.length &&
    migDevices.every((device) =>
      parts.some(({ instance, id }) => instance === device.instance && id === device.computeInstance),
    );
  if (isSame) return;
  throw contradict('to read the instances', `${parts.length} rows of -lci, ${migDevices.length} in -q -x`, gpu);
}

/** The GPU instances of one GPU, without their contents. */
export function listInstances(gpu: string): GpuReading<readonly InstanceRow[]> {
  return { name: 'InstanceRows', gpu, begin: () => readRows('Instances', gpu, parseInstances) };
}

/** The compute instances of all GPU instances of one GPU. */
export function listComputeInstances(gpu: string): GpuReading<readonly ComputeInstanceRow[]> {
  return { name: 'ComputeInstanceRows', gpu, begin: () => readRows('ComputeInstances', gpu, parseComputeInstances) };
}

/** The profiles and placements of one GPU in MIG mode, from the driver's own tables. */
export function readGeometry(gpu: GpuState): GpuReading<Geometry> {
  return { name: 'Table', gpu: gpu.pciBusId, begin: () => readGeometryTwice(gpu) };
}

function* readGeometryTwice(gpu: GpuState): Reading<Geometry> {
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

/** The current MIG mode and the processes of one GPU. */
export function readUse(gpu: string): GpuReading<ReportedGpu> {
  return { name: 'Use', gpu, begin: () => reportUse(gpu) };
}

function* reportUse(gpu: string): Reading<ReportedGpu> {
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

/** The compute instance profiles that a GPU instance offers. */
export function listComputeProfiles(gpu: string, instance: number): GpuReading<readonly ComputeProfileRow[]> {
  const name = 'ComputeProfiles';
  const parse = (tried: string, { execution }: DriverAnswer) => parseComputeProfiles(tried, execution);
  return { name, gpu, begin: () => askOne({ name, gpu, instance }, parse) };
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
  const { mig, migDevices } = yield* reportUse(gpu);
  if (mig?.current !== 'Enabled' || (!saysOff && migDevices.length === 0)) return rows;
  const found = saysOff ? 'no GPU with MIG mode on, and it is on' : `no instance, and there are ${migDevices.length}`;
  throw contradict(tried, `${found} in -q -x`, gpu);
}

/** Asks, and if the answer for several GPUs cannot be read, asks for this one alone. */
function* askOne<Result>(
  command: ReadCommand,
  parse: (tried: string, answer: DriverAnswer) => Result,
): Reading<Result> {
  const answer = yield* askDriver(command);
  try {
    return parse(describeCommand(answer.command), answer);
  } catch (error) {
    if (answer.gpus === undefined || !mayBeOneGpu(error, true)) throw error;
  }
  const own = yield* askDriver(command, true);
  return parse(describeCommand(own.command), own);
}

/** Why rows of `-lgi` and of `-lci` of one GPU contradict each other; undefined if they do not. */
function findDisagreement(
  instances: readonly InstanceRow[],
  parts: readonly Pick<ComputeInstanceRow, 'instance' | 'id' | 'profile'>[],
): string | undefined {
  for (const { instance, id, profile } of parts) {
    const whole = instances.find((row) => row.id === instance);
    if (whole === undefined) return `compute instance ${id} of GPU instance ${instance}, which -lgi does not list`;
    if (!isPartOf(profile, whole.profile))
      return `a ${profile} on GPU instance ${instance}, which is a ${whole.profile}`;
  }
  return undefined;
}

/** True if the compute instances leave no room on any GPU instance: then none can be missing. */
function fillAll(instances: readonly InstanceRow[], parts: readonly ComputeInstanceRow[]): boolean {
  return instances.every(({ id, profile }) => {
    const whole = parseProfile(profile);
    if (isProfileNameError(whole)) return false;
    const mine = parts.filter(({ instance }) => instance === id);
    return mine.reduce((sum, part) => sum + computeInstanceSlices(part.profile, whole.gpuSlices), 0) >= whole.gpuSlices;
  });
}

/** Why rows of `-lgi` contradict `-lgip` and `-lgipp`; undefined if they do not. */
function findStranger(rows: readonly InstanceRow[], { profiles }: Geometry): string | undefined {
  for (const { id, profile, profileId, start, size } of rows) {
    const known = profiles.find((candidate) => candidate.id === profileId);
    // A profile whose name is outside the grammar is not in the planner's table.
    if (known === undefined && isProfileNameError(parseProfile(profile))) continue;
    const isThere =
      known?.name === profile &&
      (known.starts.length === 0 || (known.memorySlices === size && known.starts.includes(start)));
    if (!isThere)
      return `GPU instance ${id} is a ${profile} (ID ${profileId}) at ${start}:${size}, which -lgip does not offer`;
  }
  return undefined;
}

/**
 * Whether a compute instance's name is part of its GPU instance's. Some drivers omit the attributes of the whole: the compute instance of a
 * `1g.5gb+me` is then a `1g.5gb`.
 */
function isPartOf(part: string, whole: string): boolean {
  const base = (name: string): string => name.replace(/^\d+c\./, '').replace(/[+-].*$/, '');
  return base(part) === base(whole);
}

/** The parts of one GPU, read by different commands. */
interface GpuParts {
  readonly report: ReportedGpu;
  readonly instances: readonly InstanceRow[];
  /** MIG devices of `-L` by their index. */
  readonly listed: ReadonlyMap<number, ListedMigDevice>;
  /** `-lci`; absent if {@link namesProfiles} holds. */
  readonly computeInstances?: readonly ComputeInstanceRow[];
}

/** A compute instance and its GPU instance. */
type Part = Pick<ComputeInstanceRow, 'instance' | 'id' | 'profile'>;

/**
 * True if `-L` has the profile of every compute instance, so that `-lci` adds nothing: `-q -x` has the ids, by the same index
 * that joins the UUIDs. If a name matches neither the GPU instance nor a part of it, something changed in between, or this
 * driver has other names than 550, which prints the same in both (`1g.5gb+me`, `1c.3g.20gb`).
 */
function namesProfiles({ report, instances, listed }: GpuParts): boolean {
  return report.migDevices.every(({ index, instance }) => {
    const name = listed.get(index)?.profile;
    const whole = instances.find(({ id }) => id === instance)?.profile;
    return name !== undefined && name.replace(/^\d+c\./, '') === whole;
  });
}

/**
 * Combines the instances of one GPU; undefined if the parts contradict each other: then the GPU changed between two
 * commands, or one of them was cut off.
 */
function assembleInstances(parts: GpuParts): readonly GpuInstanceState[] | undefined {
  const { report, instances, listed, computeInstances = listParts(parts) } = parts;
  const devices = new Map(report.migDevices.map((device) => [`${device.instance}/${device.computeInstance}`, device]));
  const ids = new Set(instances.map(({ id }) => id));
  if (computeInstances.length !== devices.size || listed.size !== devices.size) return undefined;
  if (report.migDevices.some(({ instance, index }) => !ids.has(instance) || !listed.has(index))) return undefined;
  if (computeInstances.some(({ instance, id }) => !devices.has(`${instance}/${id}`))) return undefined;
  if (findDisagreement(instances, computeInstances) !== undefined) return undefined;
  // A driver may have other names in -L than in -lci, but then they have none in common.
  const names = new Set(computeInstances.map(({ profile }) => profile));
  const isCrossed = computeInstances.some(({ instance, id, profile }) => {
    const name = listed.get(devices.get(`${instance}/${id}`)?.index ?? -1)?.profile;
    return name !== undefined && name !== profile && names.has(name);
  });
  if (isCrossed) return undefined;
  return buildInstances(instances, computeInstances, (part) => {
    const device = devices.get(`${part.instance}/${part.id}`);
    return device && { device, uuid: listed.get(device.index)?.uuid };
  }).map((instance) => ({ ...instance, processes: listProcesses(report, instance.id) }));
}

function listParts({ report, listed }: GpuParts): readonly Part[] {
  return report.migDevices.flatMap(({ index, instance, computeInstance }) => {
    const profile = listed.get(index)?.profile;
    return profile === undefined ? [] : [{ instance, id: computeInstance, profile }];
  });
}

/** Instances by start, from the two tables alone or with the details of each MIG device. */
function buildInstances(
  instances: readonly InstanceRow[],
  computeInstances: readonly Part[],
  find: (part: Part) => { readonly device: ReportedMigDevice; readonly uuid: string | undefined } | undefined = () =>
    undefined,
): readonly GpuInstanceState[] {
  return instances
    .map(({ profile, profileId, id, start, size }) => ({
      profile,
      profileId,
      id,
      start,
      size,
      computeInstances: computeInstances
        .filter(({ instance }) => instance === id)
        .map((part): ComputeInstanceState => {
          const found = find(part);
          return {
            id: part.id,
            profile: part.profile,
            uuid: found?.uuid,
            attributes: found && describeDevice(profile, part.profile, found.device),
          };
        })
        .toSorted((a, b) => a.id - b.id),
      processes: [],
    }))
    .toSorted((a, b) => a.start - b.start);
}

/** Processes of one GPU instance. */
function listProcesses(report: ReportedGpu, instance: number): readonly ProcessState[] {
  return strip(report.processes.filter((process) => process.instance === instance));
}

/**
 * True if a report shows the same MIG devices on a GPU as an earlier one, and a device on each GPU instance known since: then nothing
 * was made or destroyed that a report can show. Used memory may differ.
 */
function showsSameDevices(now: ReportedGpu, before: ReportedGpu, known: readonly GpuInstanceState[]): boolean {
  const { mig, migDevices } = now;
  const tell = ({ usedMiB: _used, ...device }: ReportedMigDevice): unknown => device;
  return (
    now.uuid === before.uuid &&
    now.pciBusId === before.pciBusId &&
    now.product === before.product &&
    now.fault === undefined &&
    mig?.current === before.mig?.current &&
    mig?.pending === before.mig?.pending &&
    deepEqual(migDevices.map(tell), before.migDevices.map(tell)) &&
    known.every(({ id }) => migDevices.some(({ instance }) => instance === id))
  );
}

/** Processes of a GPU that run on none of these instances: none is overlooked, whatever id the driver gives. */
function listOtherProcesses(
  report: ReportedGpu,
  instances: readonly { readonly id: number }[],
): readonly ProcessState[] {
  return strip(report.processes.filter((process) => !instances.some(({ id }) => id === process.instance)));
}

function strip(processes: readonly ReportedProcess[]): readonly ProcessState[] {
  return processes.map(({ instance: _instance, ...process }) => process);
}

function describeDevice(
  profile: string,
  computeProfile: string,
  device: ReportedMigDevice,
): NonNullable<ComputeInstanceState['attributes']> {
  const parsed = parseProfile(profile);
  const gpuInstance = isProfileNameError(parsed) ? 0 : parsed.gpuSlices;
  return {
    memoryMiB: device.memoryMiB,
    multiprocessors: device.multiprocessors,
    engines: device.engines,
    slices: { gpuInstance, computeInstance: computeInstanceSlices(computeProfile, gpuInstance) },
  };
}
