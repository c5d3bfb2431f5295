import {
  mayBeOneGpu,
  toFault,
  type GpuAnswers,
  type Execution,
  contradict,
  type Trouble,
  contradictReading,
  explainFailure,
} from '../core/smi/output.ts';
import { describeCommand, type GpuSelection, type ReadCommand, isBusId, normalizeBusId } from '../core/smi/command.ts';
import type { GpuFault, GpuState, LostGpu } from '../core/gpu/device-state.ts';
import { type Geometry, findModel } from '../core/gpu/geometry.ts';
import { DeviceError } from '../core/gpu/device-error.ts';
import {
  saysMigOff,
  hidesProfiles,
  type ListedProfile,
  parsePlacements,
  parseProfiles,
  buildGeometry,
  findTorn,
} from '../core/smi/tables.ts';
import { countWords } from '../core/text/words.ts';
import type { IndexedGpu } from './reader.ts';
import { findLostGpus, parseGpuList, type GpuList, type ListedGpu } from '../core/smi/list.ts';
import { parseReport, type Report } from '../core/smi/report.ts';

/** Whatever runs commands. */
export interface CommandRunner {
  readonly run: (command: ReadCommand) => Promise<Execution>;
}

export interface GpuQuestion<Result> {
  /** The name of each GPU on a command line. */
  readonly gpus: GpuSelection;
  /** What names all of them; undefined for every GPU of the node. */
  readonly selection: GpuSelection | undefined;
  readonly command: (gpus: GpuSelection | undefined) => ReadCommand;
  /** @param gpu the GPU that the command named, if it named one */
  readonly parse: (tried: string, execution: Execution, gpu?: string | number) => Result;
  /** Whether contradictions and lost GPUs are attributed to a GPU too: not if everything is about to be read again. */
  readonly isLast: boolean;
}

/**
 * Runs a command once for all GPUs, and if that fails, once for each: one sick GPU makes `mig -lgi` fail as a whole (NVML 16,
 * 999: exit code 255), and the others must still be read.
 *
 * @throws DeviceError what concerns the node as a whole
 */
export async function askEach<Result>(
  runner: CommandRunner,
  question: GpuQuestion<Result>,
): Promise<GpuAnswers<Result>> {
  const { selection, isLast } = question;
  try {
    return { parts: [await ask(runner, question, selection)], faults: new Map(), whole: undefined };
  } catch (error) {
    if (!mayBeOneGpu(error, isLast)) throw error;
    return { ...(await askOneByOne(runner, question)), whole: error };
  }
}

/** @throws DeviceError what concerns the node as a whole, as does a second GPU in a row that keeps the driver from answering */
async function askOneByOne<Result>(
  runner: CommandRunner,
  question: GpuQuestion<Result>,
): Promise<Pick<GpuAnswers<Result>, 'parts' | 'faults'>> {
  const parts: Result[] = [];
  const faults = new Map<string | number, GpuFault>();
  let silent = 0;
  for (const gpu of question.gpus) {
    try {
      parts.push(await ask(runner, question, [gpu], gpu));
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

async function ask<Result>(
  runner: CommandRunner,
  { command, parse }: GpuQuestion<Result>,
  named: GpuSelection | undefined,
  gpu?: string | number,
): Promise<Result> {
  const given = command(named);
  return parse(describeCommand(given), await runner.run(given), gpu);
}

/** A GPU that supports MIG: what names it in the tables, and what is known about it without them. */
type TabledGpu = Pick<GpuState, 'index' | 'pciBusId' | 'pciDeviceId' | 'product' | 'memoryMiB' | 'mig'>;

export type Table = Pick<GpuState, 'tableSource'> & { readonly geometry: Geometry };

/** Reads profiles and placements, by the index of the GPU; for a GPU of which the driver shows none yet, another table serves. */
export async function readTables(
  runner: CommandRunner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  trouble: Trouble,
): Promise<ReadonlyMap<number, Table>> {
  const rows = await readProfiles(runner, gpus, selection, trouble);
  const isTold = (gpu: TabledGpu): boolean =>
    isOn(gpu) || trouble.find(gpu.pciBusId) !== undefined || rows.some(({ gpuIndex }) => gpuIndex === gpu.index);
  const told = gpus.filter(isTold);
  const named = told.length === gpus.length ? selection : told.map(({ pciBusId }) => pciBusId);
  const own = await readPlaces(runner, told, named, rows, trouble);
  const untold = gpus.filter((gpu) => !isTold(gpu));
  return new Map([...own, ...untold.flatMap((gpu) => lendTable(gpu, told, own, trouble))]);
}

/**
 * Reads `-lgip`. While MIG mode of a GPU is off, a driver leaves it out of the table and answers `No MIG-enabled devices found.` if none
 * is left (up to 535), or refuses the whole table with `Not Supported`.
 */
async function readProfiles(
  runner: CommandRunner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  trouble: Trouble,
): Promise<readonly ListedProfile[]> {
  if (gpus.length === 0) return [];
  let isRefused = false;
  const answers = await askEach(runner, {
    ...nameGpus(gpus, selection, trouble),
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
  if (!isRefused) return trouble.note(answers).flat();
  const shown = gpus.filter(isOn);
  const names = shown.map(({ pciBusId }) => pciBusId);
  return readProfiles(runner, shown, names, trouble);
}

async function readPlaces(
  runner: CommandRunner,
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  rows: readonly ListedProfile[],
  trouble: Trouble,
): Promise<ReadonlyMap<number, Table>> {
  if (gpus.length === 0) return new Map();
  const placements = trouble.note(
    await askEach(runner, {
      ...nameGpus(gpus, selection, trouble),
      command: (named) => ({ name: 'Placements', gpus: named }),
      parse: parsePlacements,
    }),
  );
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

function nameGpus(
  gpus: readonly TabledGpu[],
  selection: GpuSelection | undefined,
  { isLast }: Trouble,
): Pick<GpuQuestion<unknown>, 'gpus' | 'selection' | 'isLast'> {
  return { gpus: gpus.map(({ pciBusId }) => pciBusId), selection, isLast };
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
interface Reading {
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
export async function readReport(runner: CommandRunner, isLast: boolean, known: readonly KnownGpu[]): Promise<Reading> {
  const command: ReadCommand = { name: 'Report' };
  const execution = await runner.run(command);
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
  const list = await readList(runner, whole);
  const failure = whole ?? explainFailure(describeCommand(command), execution);
  return readListed(runner, list, { isLast, known, failure, isSpoilt: whole !== undefined });
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
async function readList(runner: CommandRunner, whole: DeviceError | undefined): Promise<GpuList> {
  const command: ReadCommand = { name: 'List' };
  try {
    return parseGpuList(describeCommand(command), await runner.run(command));
  } catch (error) {
    throw whole ?? error;
  }
}

async function readListed(
  runner: CommandRunner,
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
): Promise<Reading> {
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
  const { parts, faults } = isSpoilt ? await askOneByOne(runner, question) : await askEach(runner, question);
  const [first] = parts;
  if (first === undefined) throw failure;
  const reported = parts.flatMap((report) => report.gpus);
  const gpus = listed.flatMap(({ index, uuid }) => {
    const gpu = reported.find((candidate) => candidate.uuid === uuid);
    return gpu === undefined ? [] : [{ ...gpu, index }];
  });
  const sick = await Promise.all(
    listed.flatMap((gpu) => {
      const fault = faults.get(gpu.index);
      return fault === undefined ? [] : [nameSick(runner, gpu, known, fault)];
    }),
  );
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
async function nameSick(
  runner: CommandRunner,
  { index, uuid, product }: ListedGpu,
  known: readonly KnownGpu[],
  fault: GpuFault,
): Promise<LostGpu> {
  const before = known.find((gpu) => gpu.uuid === uuid);
  const pciBusId = before?.pciBusId ?? (await findBusId(runner, index));
  return { pciBusId: pciBusId ?? 'unknown', fault, uuid, index, product, instances: before?.instances ?? [] };
}

async function findBusId(runner: CommandRunner, index: number): Promise<string | undefined> {
  const { stdout } = await runner.run({ name: 'ComputeCapabilities', gpus: [index] });
  const [busId = ''] = stdout.split(',');
  return isBusId(busId.trim()) ? normalizeBusId(busId.trim()) : undefined;
}
