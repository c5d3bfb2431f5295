import type { DriverVersions } from '../nvml/driver-version.ts';
import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { gatherGpuFacts, POWER_DRAW_WATTS, TEMPERATURE_CELSIUS } from '../nvml/gpu-facts.ts';
import { selectGpus } from '../gpu-selection.ts';
import { describeMigDevice, listMigDevices } from '../nvml/mig-device.ts';
import type { GpuProcess } from '../state/node-state.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { formatDate } from './timestamp.ts';
import type { World } from '../state/world.ts';

/** Widths of the table; names and numbers fill them. */
interface SummaryLayout {
  readonly width: number;
  readonly gpuColumns: readonly [number, number];
  readonly memoryColumn: number;
  /** Blanks behind the memory of a MIG device, and behind its BAR1. */
  readonly margins: readonly [number, number];
  readonly versionWidths: readonly [number, number];
  /** Blanks of the line above the processes. */
  readonly gap: number;
  /** Up to 525 it has no room for the names of most boards. */
  readonly isNarrow: boolean;
}

function layoutOf({ branch }: DriverVersions): SummaryLayout {
  if (branch >= 550)
    return {
      width: 89,
      gap: 89,
      gpuColumns: [41, 24],
      memoryColumn: 34,
      margins: [4, 2],
      versionWidths: [22, 14],
      isNarrow: false,
    };
  if (branch >= 530)
    return {
      width: 87,
      gap: 89,
      gpuColumns: [41, 22],
      memoryColumn: 32,
      margins: [2, 2],
      versionWidths: [22, 12],
      isNarrow: false,
    };
  return {
    width: 77,
    gap: 79,
    gpuColumns: [31, 22],
    memoryColumn: 22,
    margins: [1, 1],
    versionWidths: [12, 12],
    isNarrow: true,
  };
}

const rule = (...columns: readonly number[]): string => `+${columns.map((width) => '-'.repeat(width)).join('+')}+`;

/** `nvidia-smi` without arguments. */
export function printSummary(world: World, nvml: Nvml, selector: string | undefined): void {
  const state = world.readState();
  const all = selectGpus(nvml, selector).map((gpu) => gatherGpuFacts(gpu, nvml, state));
  const withMig = all.filter(({ migCurrent }) => migCurrent === 'Enabled');
  const processes = state.processes.filter(({ gpu }) => all.some((facts) => facts.gpu.index === gpu));
  const layout = layoutOf(nvml.driver);
  const lines = [
    `${formatDate(world.now)}       `,
    ...writeHead(nvml.driver, layout),
    ...all.flatMap((facts) => gpuRows(facts, layout)),
    ...(withMig.length === 0 ? [] : ['', ...migRows(withMig, layout)]),
    ' '.repeat(layout.gap),
    ...processRows(processes, layout),
  ];
  world.print(lines.map((line) => `${line}\n`).join(''));
}

function writeHead({ driver, cuda }: DriverVersions, layout: SummaryLayout): readonly string[] {
  const { width, gpuColumns, versionWidths, isNarrow } = layout;
  const [first, second] = gpuColumns;
  const [tool, loaded] = versionWidths.map((space) => driver.padEnd(space));
  const [name, power] = isNarrow
    ? [' GPU  Name        Persistence-M', ' Fan  Temp  Perf  Pwr:Usage/Cap']
    : [' GPU  Name                 Persistence-M ', ' Fan  Temp   Perf          Pwr:Usage/Cap '];
  const bus = ` Bus-Id${'Disp.A '.padStart(second - ' Bus-Id'.length)}`;
  return [
    rule(width),
    `| NVIDIA-SMI ${tool} Driver Version: ${loaded} CUDA Version: ${cuda.padEnd(8)} |`,
    `|${rule(first, second, 22).slice(1)}`,
    `|${name}|${bus}| Volatile Uncorr. ECC |`,
    `|${power}|${'Memory-Usage '.padStart(second)}| GPU-Util  Compute M. |`,
    `|${' '.repeat(first)}|${' '.repeat(second)}|               MIG M. |`,
    `|${'='.repeat(first)}+${'='.repeat(second)}+${'='.repeat(22)}|`,
  ];
}

function gpuRows(facts: ReportFacts, { gpuColumns, isNarrow, width }: SummaryLayout): readonly string[] {
  const { gpu, board } = facts;
  const [first, second] = gpuColumns;
  const isWide = width >= 89;
  const hasMig = facts.migCurrent === 'Enabled';
  const persistence = facts.persistence === 'Enabled' ? 'On' : 'Off';
  const name = `${String(gpu.index).padStart(4)}  ${nameBoard(board.productName, isNarrow)}`;
  const identity = isNarrow ? `${name}  ${persistence.padEnd(3)}  ` : `${name}   ${persistence.padStart(3)}  `;
  const watts = `${Math.trunc(POWER_DRAW_WATTS)}W / ${String(board.powerLimitWatts).padStart(isWide ? 4 : 3)}W`;
  const health = ` N/A   ${TEMPERATURE_CELSIUS}C    P0`;
  const total = String(board.memoryMiB).padStart(isWide ? 6 : 5);
  const memory = `${facts.usedMiB}MiB / ${total}MiB `.padStart(second);
  const utilization = facts.utilization === 'N/A' ? 'N/A' : '0%';
  const pending = facts.migPending === facts.migCurrent ? facts.migCurrent : `${facts.migPending}*`;
  return [
    `|${identity}|${`${gpu.busId} Off `.padStart(second)}| ${(hasMig ? 'On' : '0').padStart(20)} |`,
    `|${health}${`${watts} `.padStart(first - health.length)}|${memory}| ${utilization.padStart(7)}      Default |`,
    `|${' '.repeat(first)}|${' '.repeat(second)}| ${pending.padStart(20)} |`,
    rule(first, second, 22),
  ];
}

function nameBoard(name: string, isNarrow: boolean): string {
  if (!isNarrow) return name.slice(0, 27).padEnd(27);
  return name.length > 18 ? `${name.slice(0, 15)}...` : name.padEnd(18);
}

function migRows(all: readonly ReportFacts[], layout: SummaryLayout): readonly string[] {
  const { width, memoryColumn, margins, isNarrow } = layout;
  const columns = rule(18, memoryColumn, 11, 23);
  const [behindMemory, behindBar1] = margins.map((space) => ' '.repeat(space));
  const rows = all.flatMap((facts) =>
    listMigDevices(facts.gpu, facts.state).flatMap((device) => {
      const found = describeMigDevice(facts.gpu, facts.state, device);
      if (found === undefined) return [];
      const { engines, memoryMiB } = found.giProfile;
      const ids = `${cell(facts.gpu.index, 3)}${cell(device.gi.id, 5)}${cell(device.ci.id, 4)}${cell(device.index, 4)}`;
      const memory = `${found.usedMiB}MiB / ${String(memoryMiB).padStart(5)}MiB${behindMemory}`.padStart(memoryColumn);
      const bar1 = `0MiB / ${String(found.bar1MiB).padStart(5)}MiB${behindBar1}`.padStart(memoryColumn);
      const shared = `${cell(engines.copy, 3)}${cell(engines.encoder, 4)}${cell(engines.decoder, 5)}${cell(engines.ofa, 5)}${cell(engines.jpeg, 5)}`;
      return [
        `|${ids}  |${memory}|${cell(found.ciProfile.multiprocessors, 3)}${cell(0, 7)} |${shared} |`,
        `|${' '.repeat(18)}|${bar1}|${' '.repeat(11)}|${' '.repeat(23)}|`,
        columns,
      ];
    }),
  );
  const [shared, engines] = isNarrow
    ? ['         Shared        ', ' CE  ENC  DEC  OFA  JPG']
    : ['      Shared           ', ' CE ENC DEC OFA JPG    '];
  return [
    rule(width),
    `| ${'MIG devices:'.padEnd(width - 1)}|`,
    columns,
    `| GPU  GI  CI  MIG |${'Memory-Usage '.padStart(memoryColumn)}|        Vol|${shared}|`,
    `|      ID  ID  Dev |${'BAR1-Usage '.padStart(memoryColumn)}| SM     Unc|${engines}|`,
    `|                  |${' '.repeat(memoryColumn)}|        ECC|                       |`,
    `|${columns.slice(1, -1).replaceAll('-', '=')}|`,
    ...(rows.length === 0 ? [`|  ${'No MIG devices found'.padEnd(width - 2)}|`, rule(width)] : rows),
  ];
}

function processRows(processes: readonly GpuProcess[], { width }: SummaryLayout): readonly string[] {
  const space = width - 48;
  const rows = processes.map(({ gpu, instance, pid, memoryMiB, name }) => {
    const gi = instance === undefined ? '  N/A' : cell(instance.gi, 5);
    const ci = instance === undefined ? '  N/A' : cell(instance.ci, 5);
    const used = `${memoryMiB}MiB`.padStart(10);
    return `|${cell(gpu, 5)}${gi}${ci}${String(pid).padStart(11)}      C   ${name.slice(0, space).padEnd(space)} ${used} |`;
  });
  return [
    rule(width),
    `| ${'Processes:'.padEnd(width - 1)}|`,
    `|${'  GPU   GI   CI        PID   Type   Process name'.padEnd(width - 11)}GPU Memory |`,
    `|${'        ID   ID'.padEnd(width - 11)}Usage      |`,
    `|${'='.repeat(width)}|`,
    ...(rows.length === 0 ? [`|  ${'No running processes found'.padEnd(width - 2)}|`] : rows),
    rule(width),
  ];
}

function cell(value: number, width: number): string {
  return String(value).padStart(width);
}
