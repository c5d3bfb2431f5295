import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { IndexedGpu } from './gpu-facts.ts';
import { contradictReading, explainFailure, type Execution } from '../../core/smi/output.ts';
import { findLostGpus, parseGpuList, type GpuList, type ListedGpu } from '../../core/smi/gpu-list.ts';
import { mayBeOneGpu } from '../../core/smi/trouble.ts';
import { askEach, askOneByOne, type GpuQuestion } from './one-by-one.ts';
import { parseReport, type Report } from '../../core/smi/report-parser.ts';
import type { Runner } from '../command/runner.ts';
import {
  describeCommand,
  isBusId,
  normalizeBusId,
  type GpuSelection,
  type ReadCommand,
} from '../../core/smi/smi-command.ts';
import type { GpuFault, LostGpu } from '../../core/gpu/state/device-state.ts';

/** The report, and how to name its GPUs on command lines: all of them, or, if one is lost, one by one. */
export interface Reading {
  readonly report: Pick<Report, 'driverVersion' | 'cudaVersion'>;
  readonly gpus: readonly IndexedGpu[];
  readonly lost: readonly LostGpu[];
  readonly selection: GpuSelection | undefined;
}

/** What was known about a GPU before. */
export type KnownGpu = Omit<LostGpu, 'fault'>;

/**
 * Reads `-q -x` of all GPUs; if one of them spoils it, of each by itself.
 *
 * @param isLast whether a contradiction is attributed to one GPU
 * @param known what was known about the GPUs before: it names those that do not answer
 * @throws DeviceError
 */
export async function readReport(runner: Runner, isLast: boolean, known: readonly KnownGpu[]): Promise<Reading> {
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
async function readList(runner: Runner, whole: DeviceError | undefined): Promise<GpuList> {
  const command: ReadCommand = { name: 'List' };
  try {
    return parseGpuList(describeCommand(command), await runner.run(command));
  } catch (error) {
    throw whole ?? error;
  }
}

async function readListed(
  runner: Runner,
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
  runner: Runner,
  { index, uuid, product }: ListedGpu,
  known: readonly KnownGpu[],
  fault: GpuFault,
): Promise<LostGpu> {
  const before = known.find((gpu) => gpu.uuid === uuid);
  const pciBusId = before?.pciBusId ?? (await findBusId(runner, index));
  return { pciBusId: pciBusId ?? 'unknown', fault, uuid, index, product, instances: before?.instances ?? [] };
}

async function findBusId(runner: Runner, index: number): Promise<string | undefined> {
  const { stdout } = await runner.run({ name: 'ComputeCapabilities', gpus: [index] });
  const [busId = ''] = stdout.split(',');
  return isBusId(busId.trim()) ? normalizeBusId(busId.trim()) : undefined;
}
