import { listFields, QUERY_GPU_HELP } from './help.ts';
import { formatTimestamp } from './report-sections.ts';
import { exitWith, describeBadHandle, selectGpus } from './options.ts';
import { ciProfilesOf } from './board.ts';
import { migUuid, type SimulatedGpu, listMigDevices, usedMemoryOf } from './device.ts';
import type { NodeState, GpuProcess } from './state.ts';
import { attempt, NVML, NvmlFailure } from './nvml-code.ts';
import type { Nvml, MigModePair } from './nvml.ts';
import type { World } from './world.ts';

/** A column of a `--query-…` command. */
interface QueryField<Row> {
  /** The column's name in the header. */
  readonly name: string;
  /** All names that select it. */
  readonly names: readonly string[];
  readonly unit?: string;
  /** The value without its unit; {@link NOT_AVAILABLE} and other texts in brackets or names are printed unchanged. */
  readonly read: (row: Row) => string;
}

const NOT_AVAILABLE = '[N/A]';

function field<Row>(
  names: readonly [string, ...string[]],
  unit: string | undefined,
  read: (row: Row) => string,
): QueryField<Row> {
  return { name: names[0], names, read, ...(unit === undefined ? {} : { unit }) };
}

/** Output format requested by `--format`. */
interface CsvFormat {
  readonly header: boolean;
  readonly units: boolean;
}

/** The lines of a query: an optional header, then one line per row. */
function renderCsv<Row>(fields: readonly QueryField<Row>[], rows: readonly Row[], format: CsvFormat): string {
  const header = fields.map(({ name, unit }) => (unit === undefined || !format.units ? name : `${name} [${unit}]`));
  const body = rows.map((row) => fields.map((column) => cell(column, row, format)).join(', '));
  return [...(format.header ? [header.join(', ')] : []), ...body].map((line) => `${line}\n`).join('');
}

function cell<Row>(column: QueryField<Row>, row: Row, format: CsvFormat): string {
  const value = column.read(row);
  const hasUnit = column.unit !== undefined && format.units && !value.startsWith('[');
  return hasUnit ? `${value} ${column.unit}` : value;
}

/** Source of a `--query-gpu` field's value. */
interface GpuRow {
  readonly facts: ReportFacts;
  readonly now: Date;
  /** Number of GPUs in the node. */
  readonly count: number;
}

const utilization = ({ facts }: GpuRow): string => (facts.utilization === 'N/A' ? NOT_AVAILABLE : '0');

/** Writes a word in CSV, where anything that is not a value is in brackets: `[N/A]`, `[GPU is lost]`. */
function bracket(mode: string): string {
  return mode === 'Enabled' || mode === 'Disabled' ? mode : `[${mode}]`;
}

/** Memory of the GPU in MiB, or why it cannot be read. */
function memory(name: string, read: (facts: ReportFacts) => number): QueryField<GpuRow> {
  return field([name], 'MiB', ({ facts }) =>
    facts.memoryFailure === undefined ? String(read(facts)) : `[${facts.memoryFailure}]`,
  );
}

/** Fields of `--help-query-gpu` for which the simulator has a value; it measures no temperature, power or clock. */
const VALUES: readonly QueryField<GpuRow>[] = [
  field(['timestamp'], undefined, ({ now }) => formatTimestamp(now)),
  field(['driver_version'], undefined, ({ facts }) => facts.driver.driver),
  field(['count'], undefined, ({ count }) => String(count)),
  field(['name', 'gpu_name'], undefined, ({ facts }) => facts.board.productName),
  field(['serial', 'gpu_serial'], undefined, ({ facts }) => facts.gpu.serial),
  field(['uuid', 'gpu_uuid'], undefined, ({ facts }) => facts.gpu.uuid),
  field(['pci.bus_id', 'gpu_bus_id'], undefined, ({ facts }) => facts.gpu.busId),
  field(['pci.bus'], undefined, ({ facts }) => `0x${facts.bus}`),
  field(['pci.device_id'], undefined, ({ facts }) => facts.board.pciDeviceId),
  field(['pci.sub_device_id'], undefined, ({ facts }) => facts.board.pciSubsystemId),
  field(['index'], undefined, ({ facts }) => String(facts.gpu.index)),
  field(['persistence_mode'], undefined, ({ facts }) => facts.persistence),
  memory('memory.total', ({ board }) => board.memoryMiB),
  memory('memory.reserved', ({ board }) => board.reservedMiB),
  memory('memory.used', ({ usedMiB }) => usedMiB),
  memory('memory.free', ({ freeMiB }) => freeMiB),
  field(['compute_cap'], undefined, ({ facts }) => facts.board.computeCapability),
  field(['utilization.gpu'], '%', utilization),
  field(['utilization.memory'], '%', utilization),
  field(['mig.mode.current'], undefined, ({ facts }) => bracket(facts.migCurrent)),
  field(['mig.mode.pending'], undefined, ({ facts }) => bracket(facts.migPending)),
];

const NAMES = new Set(VALUES.flatMap(({ names }) => names));
/** The other fields of `--help-query-gpu`: valid, but N/A here. */
const WITHOUT_VALUE = listFields(QUERY_GPU_HELP).filter((name) => !NAMES.has(name));

const GPU_FIELDS: readonly QueryField<GpuRow>[] = [
  ...VALUES,
  ...WITHOUT_VALUE.map((name) => field<GpuRow>([name], undefined, () => NOT_AVAILABLE)),
];

/** `nvidia-smi -L`: every GPU that answers, then its MIG devices. */
export function printGpuList(world: World, nvml: Nvml): void {
  if (nvml.gpus.length === 0) return world.print('No devices found.\n');
  let exitCode = 0;
  for (const gpu of nvml.gpus) {
    const failure = attempt(() => nvml.open(gpu));
    if (failure === undefined) {
      world.print(describeGpu(gpu, world.readState()));
    } else {
      world.print(describeBadHandle('gpu ', gpu, failure));
      exitCode = failure.exitCode;
    }
  }
  if (exitCode !== 0) exitWith(exitCode, '');
}

function describeGpu(gpu: SimulatedGpu, state: NodeState): string {
  const devices = listMigDevices(gpu, state).map(({ index, gi, ci }) => {
    const name = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId)?.name ?? 'unknown';
    return `  MIG ${name.padEnd(11)} Device ${String(index).padStart(2)}: (UUID: ${migUuid(gpu, gi.id, ci.id)})\n`;
  });
  return [`GPU ${gpu.index}: ${gpu.board.productName} (UUID: ${gpu.uuid})\n`, ...devices].join('');
}

export const TEMPERATURE_CELSIUS = 33;
export const POWER_DRAW_WATTS = 52.34;

/** What the reports print about one GPU at one moment. */
export type ReportFacts = ReturnType<typeof gatherGpuFacts>;

export function gatherGpuFacts(gpu: SimulatedGpu, nvml: Nvml, state: NodeState) {
  const { board } = gpu;
  const mode = readMigMode(nvml, gpu);
  const usedMiB = usedMemoryOf(gpu, state);
  const bus = gpu.busId.slice('00000000:'.length, '00000000:'.length + 2);
  return {
    gpu,
    board,
    driver: nvml.driver,
    state,
    /** `Enabled`, `Disabled`, or why the mode cannot be read: `N/A`, `GPU is lost`. */
    migCurrent: describeMode(mode, 'current'),
    migPending: describeMode(mode, 'pending'),
    /** Or why they cannot be listed. */
    processes: orReason(attempt(() => nvml.listProcesses(gpu))),
    health: nvml.listHealthSigns(gpu),
    isVgpuHost: nvml.isVgpuHost(gpu),
    persistence: nvml.isPersistent(gpu) ? 'Enabled' : 'Disabled',
    bus,
    boardId: `0x${Number.parseInt(bus, 16).toString(16)}00`,
    /** Memory in use, in MiB; up to 470 the driver's own is among it. */
    usedMiB: nvml.driver.branch < 525 ? usedMiB + board.reservedMiB : usedMiB,
    freeMiB: board.memoryMiB - board.reservedMiB - usedMiB,
    /** Why the memory cannot be read; undefined if it can. */
    memoryFailure: attempt(() => nvml.checkMemory(gpu))?.message,
    /** Utilization, which is not measured while MIG is on. */
    utilization: typeof mode === 'object' && mode.current ? 'N/A' : '0 %',
    powerLimit: `${board.powerLimitWatts.toFixed(2)} W`,
    graphicsClock: `${board.graphicsMHz} MHz`,
    memoryClock: `${board.memoryMHz} MHz`,
    pcieGeneration: String(board.pcieGeneration),
  };
}

/** What a call gives, or the error's text, which nvidia-smi prints in its place. */
function orReason<Result>(result: Result | NvmlFailure): Result | string {
  return result instanceof NvmlFailure ? result.message : result;
}

function readMigMode(nvml: Nvml, gpu: SimulatedGpu): MigModePair | string {
  const mode = attempt(() => nvml.getMigMode(gpu));
  return mode instanceof NvmlFailure && mode.code === NVML.notSupported ? 'N/A' : orReason(mode);
}

function describeMode(mode: MigModePair | string, field: 'current' | 'pending'): string {
  if (typeof mode === 'string') return mode;
  return mode[field] ? 'Enabled' : 'Disabled';
}

/** `--query-gpu=FIELDS --format=csv…`. */
export function queryGpus(
  world: World,
  nvml: Nvml,
  selector: string | undefined,
  fields: string,
  format: string | undefined,
): void {
  const columns = chooseFields(GPU_FIELDS, fields);
  const csv = parseFormat(format);
  const state = world.readState();
  const rows = selectGpus(nvml, selector).map((gpu) => ({
    facts: gatherGpuFacts(gpu, nvml, state),
    now: world.now,
    count: nvml.gpus.length,
  }));
  world.print(renderCsv(columns, rows, csv));
}

interface AppRow {
  readonly gpu: SimulatedGpu;
  readonly process: GpuProcess;
  readonly now: Date;
}

/** No field identifies the MIG instance: only `-q -x` does. */
const APP_FIELDS: readonly QueryField<AppRow>[] = [
  field(['timestamp'], undefined, ({ now }) => formatTimestamp(now)),
  field(['gpu_name'], undefined, ({ gpu }) => gpu.board.productName),
  field(['gpu_bus_id'], undefined, ({ gpu }) => gpu.busId),
  field(['gpu_serial'], undefined, ({ gpu }) => gpu.serial),
  field(['gpu_uuid'], undefined, ({ gpu }) => gpu.uuid),
  field(['pid'], undefined, ({ process }) => String(process.pid)),
  field(['process_name', 'name'], undefined, ({ process }) => process.name),
  field(['used_gpu_memory', 'used_memory'], 'MiB', ({ process }) => String(process.memoryMiB)),
];

/** `--query-compute-apps=FIELDS --format=csv…`. */
export function queryComputeApps(
  world: World,
  nvml: Nvml,
  selector: string | undefined,
  fields: string,
  format: string | undefined,
): void {
  const columns = chooseFields(APP_FIELDS, fields);
  const csv = parseFormat(format);
  const { processes } = world.readState();
  const rows = selectGpus(nvml, selector).flatMap((gpu) =>
    processes.filter((process) => process.gpu === gpu.index).map((process) => ({ gpu, process, now: world.now })),
  );
  world.print(renderCsv(columns, rows, csv));
}

function chooseFields<Row>(known: readonly QueryField<Row>[], text: string): readonly QueryField<Row>[] {
  return text.split(',').map((raw) => {
    const name = raw.trim();
    const found = known.find(({ names }) => names.includes(name));
    return found ?? exitWith(NVML.invalidArgument, `Field "${name}" is not a valid field to query.\n\n`);
  });
}

function parseFormat(text: string | undefined): CsvFormat {
  const words = text?.split(',').map((word) => word.trim());
  if (words?.includes('csv') !== true) {
    const complaint = `"--format=" switch is missing. Please run 'nvidia-smi -h' for help.\n\n`;
    return exitWith(NVML.invalidArgument, complaint);
  }
  return { header: !words.includes('noheader'), units: !words.includes('nounits') };
}
