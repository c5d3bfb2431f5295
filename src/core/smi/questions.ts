import {
  mayBeOneGpu,
  type Execution,
  contradict,
  explainFailure,
  describeCommand,
  type GpuSelection,
  type ReadCommand,
  isBusId,
  normalizeBusId,
  type Reading,
  askDriver,
} from './command.ts';
import { type GpuFault, type GpuState, type LostGpu, DeviceError } from '../gpu/device-state.ts';
import { type Geometry, findModel } from '../gpu/geometry.ts';
import {
  saysMigOff,
  hidesProfiles,
  type ListedProfile,
  parsePlacements,
  parseProfiles,
  buildGeometry,
  findTorn,
  findLostGpus,
  parseGpuList,
  type GpuList,
  type ListedGpu,
  readCapabilities,
  rejectsField,
} from './tables.ts';
import { countWords } from '../text/words.ts';
import { parseReport, type Report, type ReportedGpu } from './report.ts';

/** Runs a command for all GPUs that it names. */
function* run(command: ReadCommand, isAlone?: boolean): Reading<Execution> {
  return (yield* askDriver(command, isAlone)).execution;
}

export interface IndexedGpu extends ReportedGpu {
  readonly index: number;
}

interface GpuQuestion<Result> {
  /** The name of each GPU on a command line. */
  readonly gpus: GpuSelection;
  /** What names all of them; undefined for every GPU of the node. */
  readonly selection: GpuSelection | undefined;
  readonly command: (gpus: GpuSelection | undefined) => ReadCommand;
  /** @param gpu the GPU that the command named, if it named one */
  readonly parse: (tried: string, execution: Execution, gpu?: string | number) => Result;
  /** Whether contradictions and lost GPUs are attributed to a GPU too: not if everything is about to be read again. */
  readonly isLast: boolean;
  /** See {@link askDriver}. */
  readonly isAlone?: boolean;
}

/**
 * Runs a command once for all GPUs, and if that fails, once for each: one sick GPU makes `mig -lgi` fail as a whole (NVML 16,
 * 999: exit code 255), and the others must still be read.
 *
 * @throws DeviceError what concerns the node as a whole
 */
function* askEach<Result>(question: GpuQuestion<Result>): Reading<GpuAnswers<Result>> {
  const { selection, isLast } = question;
  try {
    return { parts: [yield* ask(question, selection)], faults: new Map(), whole: undefined };
  } catch (error) {
    if (!mayBeOneGpu(error, isLast)) throw error;
    return { ...(yield* askOneByOne(question)), whole: error };
  }
}

/** @throws DeviceError what concerns the node as a whole, as does a second GPU in a row that keeps the driver from answering */
function* askOneByOne<Result>(question: GpuQuestion<Result>): Reading<Pick<GpuAnswers<Result>, 'parts' | 'faults'>> {
  const parts: Result[] = [];
  const faults = new Map<string | number, GpuFault>();
  let silent = 0;
  for (const gpu of question.gpus) {
    try {
      parts.push(yield* ask(question, [gpu], gpu));
      silent = 0;
    } catch (error) {
      if (!mayBeOneGpu(error, true)) throw error;
      silent = error.code === 'TimedOut' ? silent + 1 : 0;
      if (silent > 1) throw error;
      faults.set(gpu, toFault(error));
    }
  }
  return { parts, faults };
}

function* ask<Result>(
  { command, parse, isAlone }: GpuQuestion<Result>,
  named: GpuSelection | undefined,
  gpu?: string | number,
): Reading<Result> {
  const given = command(named);
  return parse(describeCommand(given), yield* run(given, isAlone), gpu);
}

/** A GPU that supports MIG: what names it in the tables, and what is known about it without them. */
type TabledGpu = Pick<GpuState, 'index' | 'pciBusId' | 'pciDeviceId' | 'product' | 'memoryMiB' | 'mig'>;

type Table = Pick<GpuState, 'tableSource'> & { readonly geometry: Geometry };

/** How the GPUs are asked: what names all of them, and who takes note of those that do not answer. */
interface Asking {
  readonly selection: GpuSelection | undefined;
  readonly trouble: Trouble;
  readonly isAlone?: boolean;
}

/** Reads profiles and placements, by the index of the GPU; for a GPU of which the driver shows none yet, another table serves. */
export function* readTables(gpus: readonly TabledGpu[], asking: Asking): Reading<ReadonlyMap<number, Table>> {
  const { selection, trouble } = asking;
  const rows = yield* readProfiles(gpus, asking);
  const isTold = (gpu: TabledGpu): boolean =>
    isOn(gpu) || trouble.find(gpu.pciBusId) !== undefined || rows.some(({ gpuIndex }) => gpuIndex === gpu.index);
  const told = gpus.filter(isTold);
  const named = told.length === gpus.length ? selection : told.map(({ pciBusId }) => pciBusId);
  const own = yield* readPlaces(told, { ...asking, selection: named }, rows);
  const untold = gpus.filter((gpu) => !isTold(gpu));
  return new Map([...own, ...untold.flatMap((gpu) => lendTable(gpu, told, own, trouble))]);
}

/**
 * Reads `-lgip`. While MIG mode of a GPU is off, a driver leaves it out of the table and answers `No MIG-enabled devices found.` if none
 * is left (up to 535), or refuses the whole table with `Not Supported`.
 */
function* readProfiles(gpus: readonly TabledGpu[], asking: Asking): Reading<readonly ListedProfile[]> {
  if (gpus.length === 0) return [];
  let isRefused = false;
  const answers = yield* askEach({
    ...nameGpus(gpus, asking),
    command: (named) => ({ name: 'Profiles', gpus: named }),
    parse: (tried, execution, name) => {
      const asked = name === undefined ? gpus : gpus.filter(({ pciBusId }) => pciBusId === name);
      const on = asked.filter(isOn);
      if (saysMigOff(execution) && on.length > 0)
        throw contradict(tried, `no GPU with MIG mode on, and ${countWords(on.length, 'GPU')} with it on in -q -x`);
      if (on.length === asked.length || !hidesProfiles(execution)) return parseProfiles(tried, execution);
      isRefused ||= on.length > 0;
      return [];
    },
  });
  if (!isRefused) return asking.trouble.note(answers).flat();
  const shown = gpus.filter(isOn);
  return yield* readProfiles(shown, { ...asking, selection: shown.map(({ pciBusId }) => pciBusId) });
}

function* readPlaces(
  gpus: readonly TabledGpu[],
  asking: Asking,
  rows: readonly ListedProfile[],
): Reading<ReadonlyMap<number, Table>> {
  if (gpus.length === 0) return new Map();
  const { trouble } = asking;
  const placements = yield* askGpus(gpus, asking, {
    command: (named) => ({ name: 'Placements', gpus: named }),
    parse: parsePlacements,
  });
  return new Map(
    gpus.flatMap((gpu) => {
      if (trouble.find(gpu.pciBusId) !== undefined) return [];
      const mine = rows.filter(({ gpuIndex }) => gpuIndex === gpu.index);
      const places = placements.flat().filter(({ gpuIndex }) => gpuIndex === gpu.index);
      const torn = findTorn(gpu, mine, places);
      if (torn === undefined)
        return [[gpu.index, { geometry: buildGeometry(gpu.product, mine, places), tableSource: 'Own' }] as const];
      trouble.pin(gpu.pciBusId, torn);
      return [];
    }),
  );
}

/** Asks for all GPUs at once, and if that fails, for each by itself. @returns the answers of those that answered */
export function* askGpus<Result>(
  gpus: readonly Pick<GpuState, 'pciBusId'>[],
  asking: Asking,
  { command, parse }: Pick<GpuQuestion<Result>, 'command' | 'parse'>,
): Reading<readonly Result[]> {
  return asking.trouble.note(yield* askEach({ ...nameGpus(gpus, asking), command, parse }));
}

function nameGpus(
  gpus: readonly Pick<GpuState, 'pciBusId'>[],
  { selection, trouble, isAlone = false }: Asking,
): Omit<GpuQuestion<unknown>, 'command' | 'parse'> {
  return { gpus: gpus.map(({ pciBusId }) => pciBusId), selection, isLast: trouble.isLast, isAlone };
}

function lendTable(
  gpu: TabledGpu,
  told: readonly TabledGpu[],
  own: ReadonlyMap<number, Table>,
  trouble: Trouble,
): readonly (readonly [number, Table])[] {
  const { index, product, pciBusId } = gpu;
  const lender = told.find((other) => isSameModel(other, gpu) && own.has(other.index));
  const lent = lender && own.get(lender.index);
  if (lent !== undefined) return [[index, { ...lent, tableSource: 'SameModel' }]];
  const geometry = findModel(product);
  if (geometry !== undefined) return [[index, { geometry, tableSource: 'BuiltIn' }]];
  const found = `its profiles are shown only with MIG mode on, and ${product} is not known: switch MIG mode on manually`;
  const tried = 'nvidia-smi mig -lgip';
  trouble.pin(pciBusId, new DeviceError('NotSupported', { tried, found, gpu: pciBusId }));
  return [];
}

/** Boards of one name may differ in memory, and in their tables with it (RTX PRO 5000). */
function isSameModel(one: TabledGpu, other: TabledGpu): boolean {
  return one.product === other.product && one.memoryMiB === other.memoryMiB && one.pciDeviceId === other.pciDeviceId;
}

function isOn({ mig }: TabledGpu): boolean {
  return mig?.current === 'Enabled';
}

/** The report, and how to name its GPUs on command lines: all of them, or, if one is lost, one by one. */
interface NamedReport {
  readonly report: Pick<Report, 'driverVersion' | 'cudaVersion'>;
  readonly gpus: readonly IndexedGpu[];
  readonly lost: readonly LostGpu[];
  readonly selection: GpuSelection | undefined;
}

/** The facts that were known about a GPU before. */
type KnownGpu = Omit<LostGpu, 'fault'>;

/**
 * Reads `-q -x` of all GPUs; if one of them spoils it, of each by itself.
 *
 * @param isLast whether a contradiction is attributed to one GPU
 * @param known what was known about the GPUs before: it names those that do not answer
 * @throws DeviceError
 */
export function* readReport(isLast: boolean, known: readonly KnownGpu[]): Reading<NamedReport> {
  const command: ReadCommand = { name: 'Report' };
  const execution = yield* run(command);
  let whole: DeviceError | undefined;
  if (findLostGpus(execution).length === 0) {
    const report = parseWhole(describeCommand(command), execution, isLast);
    if (!(report instanceof DeviceError)) {
      if (report.gpus.length !== report.attached)
        throw contradictReading(`${report.gpus.length} GPUs, of which ${report.attached} are attached`);
      return { report, gpus: report.gpus.map((gpu, index) => ({ ...gpu, index })), lost: [], selection: undefined };
    }
    whole = report;
  }
  const list = yield* readList(whole);
  const failure = whole ?? explainFailure(describeCommand(command), execution);
  return yield* readListed(list, { isLast, known, failure, isSpoilt: whole !== undefined });
}

/** @returns the report, or an error that may be one GPU's */
function parseWhole(tried: string, execution: Execution, isLast: boolean): Report | DeviceError {
  try {
    return parseReport(tried, execution);
  } catch (error) {
    if (mayBeOneGpu(error, isLast)) return error;
    throw error;
  }
}

/** `-L` is the only command that lists the GPUs beside one that cannot be opened. */
export function* readList(whole?: DeviceError): Reading<GpuList> {
  const command: ReadCommand = { name: 'List' };
  try {
    return parseGpuList(describeCommand(command), yield* run(command));
  } catch (error) {
    throw whole ?? error;
  }
}

function* readListed(
  { gpus: listed, lost }: GpuList,
  {
    isLast,
    known,
    failure,
    isSpoilt,
  }: {
    readonly isLast: boolean;
    readonly known: readonly KnownGpu[];
    readonly failure: DeviceError;
    readonly isSpoilt: boolean;
  },
): Reading<NamedReport> {
  const indexes = listed.map(({ index }) => index);
  // With a single GPU, there is no other to read.
  if (indexes.length === 0 || (isSpoilt && indexes.length + lost.length === 1)) throw failure;
  const question: GpuQuestion<Report> = {
    gpus: indexes,
    selection: indexes,
    command: (named) => ({ name: 'Report', gpus: named }),
    parse: (tried, execution, gpu) => {
      const report = parseReport(tried, execution);
      const asked = gpu === undefined ? listed : listed.filter(({ index }) => index === gpu);
      const isThese = asked.length === report.gpus.length && asked.every(({ uuid }) => has(report, uuid));
      if (!isThese) throw contradictReading('GPUs came or went');
      return report;
    },
    isLast,
  };
  const { parts, faults } = isSpoilt ? yield* askOneByOne(question) : yield* askEach(question);
  const [first] = parts;
  if (first === undefined) throw failure;
  const reported = parts.flatMap((report) => report.gpus);
  const gpus = listed.flatMap(({ index, uuid }) => {
    const gpu = reported.find((candidate) => candidate.uuid === uuid);
    return gpu === undefined ? [] : [{ ...gpu, index }];
  });
  const sick: LostGpu[] = [];
  for (const gpu of listed) {
    const fault = faults.get(gpu.index);
    if (fault !== undefined) sick.push(yield* nameSick(gpu, known, fault));
  }
  return {
    report: first,
    gpus,
    lost: numberLost([...lost.map(({ pciBusId, fault }) => nameLost(pciBusId, known, fault)), ...sick], indexes),
    selection: gpus.map(({ pciBusId }) => pciBusId),
  };
}

function has({ gpus }: Report, uuid: string): boolean {
  return gpus.some((gpu) => gpu.uuid === uuid);
}

/** A GPU that cannot even be opened is identified by earlier readings. */
function nameLost(pciBusId: string, known: readonly KnownGpu[], fault: GpuFault): LostGpu {
  const before = known.find((gpu) => gpu.pciBusId === pciBusId);
  const { uuid, index, product, instances = [] } = before ?? {};
  return { pciBusId, fault, uuid, index, product, instances };
}

/** The driver counts lost GPUs, too, in the order of their addresses: they have the indexes that the others leave. */
function numberLost(lost: readonly LostGpu[], listed: readonly number[]): readonly LostGpu[] {
  const taken = new Set([...listed, ...lost.flatMap(({ index }) => index ?? [])]);
  const free = Array.from({ length: taken.size + lost.length }, (_, index) => index).filter((one) => !taken.has(one));
  return lost
    .toSorted((a, b) => (a.pciBusId < b.pciBusId ? -1 : 1))
    .map((gpu) => (gpu.index === undefined ? { ...gpu, index: free.shift() } : gpu));
}

/** `-L` identifies a GPU by everything but its bus id. */
function* nameSick({ index, uuid, product }: ListedGpu, known: readonly KnownGpu[], fault: GpuFault): Reading<LostGpu> {
  const before = known.find((gpu) => gpu.uuid === uuid);
  const pciBusId = before?.pciBusId ?? (yield* findBusId(index));
  return { pciBusId: pciBusId ?? 'unknown', fault, uuid, index, product, instances: before?.instances ?? [] };
}

function* findBusId(index: number): Reading<string | undefined> {
  const { stdout } = yield* run({ name: 'ComputeCapabilities', gpus: [index] });
  const [busId = ''] = stdout.split(',');
  return isBusId(busId.trim()) ? normalizeBusId(busId.trim()) : undefined;
}

/** The error of a contradiction during a reading of the whole device. */
export function contradictReading(found: string, gpu?: string): DeviceError {
  return contradict('to read the device', found, gpu);
}

/** The answers for the GPUs that could be read. */
interface GpuAnswers<Result> {
  /** Answers: one if the command was run once for all GPUs, otherwise one for each GPU that answered. */
  readonly parts: readonly Result[];
  /** Why the others could not be read, by PCI bus id or whatever else named them on the command line. */
  readonly faults: ReadonlyMap<string | number, GpuFault>;
  /** Why the command for all GPUs failed; undefined if it did not. */
  readonly whole: DeviceError | undefined;
}

function toFault({ code, tried, found }: DeviceError): GpuFault {
  return { code, message: `${tried}: ${found}` };
}

/** Errors of single GPUs during a reading of the node. */
export class Trouble {
  /** Whether a contradiction is attributed to a GPU; otherwise everything is read once more. */
  readonly isLast: boolean;
  readonly #faults = new Map<string, GpuFault>();
  #whole: DeviceError | undefined;

  constructor(isLast: boolean) {
    this.isLast = isLast;
  }

  /** The first command that failed for all GPUs at once. */
  get whole(): DeviceError | undefined {
    return this.#whole;
  }

  find(pciBusId: string): GpuFault | undefined {
    return this.#faults.get(pciBusId);
  }

  /** Records GPUs that a command by bus id could not read. @returns the answers for the others */
  note<Result>({ parts, faults, whole }: GpuAnswers<Result>): readonly Result[] {
    this.#whole ??= whole;
    for (const [gpu, fault] of faults) if (!this.#faults.has(String(gpu))) this.#faults.set(String(gpu), fault);
    return parts;
  }

  /** Attributes an error to a GPU. @throws the error if it is not one GPU's, or if everything is read once more */
  pin(pciBusId: string, error: unknown): void {
    if (!mayBeOneGpu(error, this.isLast)) throw error;
    this.note({ parts: [], faults: new Map([[pciBusId, toFault(error)]]), whole: error });
  }
}

/** What does not change while the driver is loaded. */
type GpuFacts = Pick<GpuState, 'geometry' | 'tableSource' | 'computeCapability'>;

const unknown: GpuFacts = { geometry: undefined, tableSource: 'Own', computeCapability: undefined };

/** Reads each GPU's facts once: three commands for the node, none while driver and GPUs stay the same. */
export class GpuFactsReader {
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
