import type { DriverVersions } from '../nvml/driver-version.ts';
import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { gatherGpuFacts, POWER_DRAW_WATTS, TEMPERATURE_CELSIUS } from '../nvml/gpu-facts.ts';
import { selectGpus } from '../gpu-selection.ts';
import { describeMigDevice, listMigDevices } from '../nvml/mig-device.ts';
import type { GpuProcess } from '../state/node-state.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { formatDate } from './timestamp.ts';
import type { World } from '../state/world.ts';

const WIDTH = 89;
const RULE = `+${'-'.repeat(WIDTH)}+`;
const GPU_RULE = `+${'-'.repeat(41)}+${'-'.repeat(24)}+${'-'.repeat(22)}+`;
const MIG_RULE = `+${'-'.repeat(18)}+${'-'.repeat(34)}+${'-'.repeat(11)}+${'-'.repeat(23)}+`;
const GAP = ' '.repeat(WIDTH);

/** `nvidia-smi` without arguments. */
export function printSummary(world: World, nvml: Nvml, selector: string | undefined): void {
  const state = world.readState();
  const all = selectGpus(nvml, selector).map((gpu) => gatherGpuFacts(gpu, nvml, state));
  const withMig = all.filter(({ migCurrent }) => migCurrent === 'Enabled');
  const processes = state.processes.filter(({ gpu }) => all.some((facts) => facts.gpu.index === gpu));
  const lines = [
    `${formatDate(world.now)}       `,
    ...writeHead(nvml.driver),
    ...all.flatMap(gpuRows),
    ...(withMig.length === 0 ? [] : ['', ...migRows(withMig)]),
    GAP,
    ...processRows(processes),
  ];
  world.print(lines.map((line) => `${line}\n`).join(''));
}

const writeHead = ({ driver, cuda }: DriverVersions): readonly string[] => [
  RULE,
  `| NVIDIA-SMI ${driver.padEnd(22)} Driver Version: ${driver.padEnd(14)} CUDA Version: ${cuda.padEnd(8)} |`,
  `|${GPU_RULE.slice(1)}`,
  '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
  '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
  '|                                         |                        |               MIG M. |',
  `|${'='.repeat(41)}+${'='.repeat(24)}+${'='.repeat(22)}|`,
];

function gpuRows(facts: ReportFacts): readonly string[] {
  const { gpu, board } = facts;
  const hasMig = facts.migCurrent === 'Enabled';
  const persistence = (facts.persistence === 'Enabled' ? 'On' : 'Off').padStart(3);
  const watts = `${Math.trunc(POWER_DRAW_WATTS)}W / ${String(board.powerLimitWatts).padStart(4)}W`;
  const memory = `${facts.usedMiB}MiB / ${String(board.memoryMiB).padStart(6)}MiB`.padStart(22);
  const utilization = facts.utilization === 'N/A' ? 'N/A' : '0%';
  const pending = facts.migPending === facts.migCurrent ? facts.migCurrent : `${facts.migPending}*`;
  return [
    `| ${String(gpu.index).padStart(3)}  ${board.productName.slice(0, 27).padEnd(27)}   ${persistence}  | ${`${gpu.busId} Off`.padStart(22)} | ${(hasMig ? 'On' : '0').padStart(20)} |`,
    `| N/A   ${TEMPERATURE_CELSIUS}C    P0           ${watts.padStart(13)} | ${memory} | ${utilization.padStart(7)}      Default |`,
    `|${' '.repeat(41)}|${' '.repeat(24)}| ${pending.padStart(20)} |`,
    GPU_RULE,
  ];
}

function migRows(all: readonly ReportFacts[]): readonly string[] {
  const rows = all.flatMap((facts) =>
    listMigDevices(facts.gpu, facts.state).flatMap((device) => {
      const found = describeMigDevice(facts.gpu, facts.state, device);
      if (found === undefined) return [];
      const { engines, memoryMiB } = found.giProfile;
      const ids = `${cell(facts.gpu.index, 3)}${cell(device.gi.id, 5)}${cell(device.ci.id, 4)}${cell(device.index, 4)}`;
      const memory = `${found.usedMiB}MiB / ${String(memoryMiB).padStart(5)}MiB`.padStart(30);
      const bar1 = `0MiB / ${String(found.bar1MiB).padStart(5)}MiB`.padStart(32);
      const shared = `${cell(engines.copy, 3)}${cell(engines.encoder, 4)}${cell(engines.decoder, 5)}${cell(engines.ofa, 5)}${cell(engines.jpeg, 5)}`;
      return [
        `|${ids}  |${memory}    |${cell(found.ciProfile.multiprocessors, 3)}${cell(0, 7)} |${shared} |`,
        `|${' '.repeat(18)}|${bar1}  |${' '.repeat(11)}|${' '.repeat(23)}|`,
        MIG_RULE,
      ];
    }),
  );
  return [
    RULE,
    `| ${'MIG devices:'.padEnd(WIDTH - 1)}|`,
    MIG_RULE,
    '| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|      Shared           |',
    '|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC DEC OFA JPG    |',
    '|                  |                                  |        ECC|                       |',
    `|${MIG_RULE.slice(1, -1).replaceAll('-', '=')}|`,
    ...(rows.length === 0 ? [`|  ${'No MIG devices found'.padEnd(WIDTH - 2)}|`, RULE] : rows),
  ];
}

function processRows(processes: readonly GpuProcess[]): readonly string[] {
  const rows = processes.map(({ gpu, instance, pid, memoryMiB, name }) => {
    const gi = instance === undefined ? '  N/A' : cell(instance.gi, 5);
    const ci = instance === undefined ? '  N/A' : cell(instance.ci, 5);
    const used = `${memoryMiB}MiB`.padStart(10);
    return `|${cell(gpu, 5)}${gi}${ci}${String(pid).padStart(11)}      C   ${name.slice(0, 41).padEnd(41)} ${used} |`;
  });
  return [
    RULE,
    `| ${'Processes:'.padEnd(WIDTH - 1)}|`,
    '|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |',
    '|        ID   ID                                                               Usage      |',
    `|${'='.repeat(WIDTH)}|`,
    ...(rows.length === 0 ? [`|  ${'No running processes found'.padEnd(WIDTH - 2)}|`] : rows),
    RULE,
  ];
}

function cell(value: number, width: number): string {
  return String(value).padStart(width);
}
