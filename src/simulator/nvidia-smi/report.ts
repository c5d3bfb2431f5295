import { type ReportFacts, gatherGpuFacts, POWER_DRAW_WATTS, TEMPERATURE_CELSIUS } from './query.ts';
import {
  type ReportNode,
  group,
  hex,
  leaf,
  since,
  describeMigDevices,
  until,
  describeMemory,
  describePower,
  renderReportText,
  renderReportXml,
  formatDate,
} from './report-sections.ts';
import type { HealthSign } from './faults.ts';
import { describeNvmlCode, NVML } from './nvml-code.ts';
import { selectGpus } from './options.ts';
import type { Nvml } from './nvml.ts';
import type { World } from './world.ts';
import type { DriverVersions } from './board.ts';
import { describeMigDevice, listMigDevices } from './device.ts';
import type { GpuProcess } from './state.ts';

/** PCI link, performance state and clock throttle reasons. */
function describeConnection(facts: ReportFacts): readonly ReportNode[] {
  return [
    group('PCI', 'pci', [
      leaf('Bus', 'pci_bus', hex(facts.bus)),
      leaf('Device', 'pci_device', hex('00')),
      leaf('Domain', 'pci_domain', hex('0000')),
      ...since(
        550,
        facts,
        leaf('Base Classcode', 'pci_base_class', hex('3')),
        leaf('Sub Classcode', 'pci_sub_class', hex('2')),
      ),
      leaf('Device Id', 'pci_device_id', hex(facts.board.pciDeviceId.slice(2))),
      leaf('Bus Id', 'pci_bus_id', facts.gpu.busId),
      leaf('Sub System Id', 'pci_sub_system_id', hex(facts.board.pciSubsystemId.slice(2))),
      group('GPU Link Info', 'pci_gpu_link_info', [
        group('PCIe Generation', 'pcie_gen', [
          leaf('Max', 'max_link_gen', facts.pcieGeneration),
          leaf('Current', 'current_link_gen', facts.pcieGeneration),
          ...since(
            525,
            facts,
            leaf('Device Current', 'device_current_link_gen', facts.pcieGeneration),
            leaf('Device Max', 'max_device_link_gen', facts.pcieGeneration),
            leaf('Host Max', 'max_host_link_gen', 'N/A'),
          ),
        ]),
        group('Link Width', 'link_widths', [
          leaf('Max', 'max_link_width', '16x'),
          leaf('Current', 'current_link_width', '16x'),
        ]),
      ]),
      group('Bridge Chip', 'pci_bridge_chip', [
        leaf('Type', 'bridge_chip_type', 'N/A'),
        leaf('Firmware', 'bridge_chip_fw', 'N/A'),
      ]),
      leaf('Replays Since Reset', 'replay_counter', '0'),
      leaf('Replay Number Rollovers', 'replay_rollover_counter', 'N/A'),
      leaf('Tx Throughput', 'tx_util', '0 KB/s'),
      leaf('Rx Throughput', 'rx_util', '0 KB/s'),
      ...since(
        525,
        facts,
        leaf('Atomic Caps Inbound', 'atomic_caps_inbound', 'N/A'),
        leaf('Atomic Caps Outbound', 'atomic_caps_outbound', 'N/A'),
      ),
    ]),
    leaf('Fan Speed', 'fan_speed', 'N/A'),
    leaf('Performance State', 'performance_state', 'P0'),
    describeClockReasons(facts),
  ];
}

/** Why clocks are low: `throttle` up to 525, `event` since. */
function describeClockReasons({ driver: { branch } }: ReportFacts): ReportNode {
  const [label, tag] = branch < 530 ? ['Throttle', 'throttle'] : ['Event', 'event'];
  const reason = (name: string, suffix: string, value: string = 'Not Active'): ReportNode =>
    leaf(name, `clocks_${tag}_reason_${suffix}`, value);
  return group(`Clocks ${label} Reasons`, `clocks_${tag}_reasons`, [
    reason('Idle', 'gpu_idle', 'Active'),
    reason('Applications Clocks Setting', 'applications_clocks_setting'),
    reason('SW Power Cap', 'sw_power_cap'),
    reason('HW Slowdown', 'hw_slowdown'),
    reason('    HW Thermal Slowdown', 'hw_thermal_slowdown'),
    reason('    HW Power Brake Slowdown', 'hw_power_brake_slowdown'),
    reason('Sync Boost', 'sync_boost'),
    reason('SW Thermal Slowdown', 'sw_thermal_slowdown'),
    reason('Display Clock Setting', 'display_clocks_setting'),
  ]);
}

const BOARD_PART = '692-2G506-0200-003';

/** Identity, modes and MIG devices: the first part of `-q`. */
function describeIdentity(facts: ReportFacts): readonly ReportNode[] {
  const { branch, driver } = facts.driver;
  const firmware = leaf('GSP Firmware Version', 'gsp_firmware_version', branch < 525 ? 'N/A' : driver);
  return [
    leaf('Product Name', 'product_name', facts.board.productName),
    leaf('Product Brand', 'product_brand', 'NVIDIA'),
    ...since(525, facts, leaf('Product Architecture', 'product_architecture', facts.board.architecture)),
    leaf('Display Mode', 'display_mode', 'Disabled'),
    leaf('Display Active', 'display_active', 'Disabled'),
    leaf('Persistence Mode', 'persistence_mode', facts.persistence),
    ...since(530, facts, leaf('Addressing Mode', 'addressing_mode', 'N/A')),
    group('MIG Mode', 'mig_mode', [
      leaf('Current', 'current_mig', facts.migCurrent),
      leaf('Pending', 'pending_mig', facts.migPending),
    ]),
    ...describeMigDevices(facts),
    leaf('Accounting Mode', 'accounting_mode', 'Disabled'),
    leaf('Accounting Mode Buffer Size', 'accounting_mode_buffer_size', '4000'),
    group('Driver Model', 'driver_model', [leaf('Current', 'current_dm', 'N/A'), leaf('Pending', 'pending_dm', 'N/A')]),
    leaf('Serial Number', 'serial', facts.gpu.serial),
    leaf('GPU UUID', 'uuid', facts.gpu.uuid),
    leaf('Minor Number', 'minor_number', String(facts.gpu.index)),
    leaf('VBIOS Version', 'vbios_version', '92.00.36.00.10'),
    leaf('MultiGPU Board', 'multigpu_board', 'No'),
    leaf('Board ID', 'board_id', facts.boardId),
    ...since(525, facts, leaf('Board Part Number', 'board_part_number', BOARD_PART)),
    leaf('GPU Part Number', 'gpu_part_number', facts.driver.branch < 525 ? BOARD_PART : 'N/A'),
    ...since(530, facts, leaf('FRU Part Number', 'gpu_fru_part_number', 'N/A')),
    leaf('Module ID', 'gpu_module_id', 'N/A'),
    group('Inforom Version', 'inforom_version', [
      leaf('Image Version', 'img_version', 'G506.0200.00.05'),
      leaf('OEM Object', 'oem_object', '2.0'),
      leaf('ECC Object', 'ecc_object', '6.16'),
      leaf('Power Management Object', 'pwr_object', 'N/A'),
    ]),
    ...since(
      530,
      facts,
      group('Inforom BBX Object Flush', 'inforom_bbx_flush', [
        leaf('Latest Timestamp', 'latest_timestamp', 'N/A'),
        leaf('Latest Duration', 'latest_duration', 'N/A'),
      ]),
    ),
    group('GPU Operation Mode', 'gpu_operation_mode', [
      leaf('Current', 'current_gom', 'N/A'),
      leaf('Pending', 'pending_gom', 'N/A'),
    ]),
    ...until(535, facts, firmware),
    ...since(550, facts, leaf('GPU C2C Mode', 'c2c_mode', 'N/A')),
    group('GPU Virtualization Mode', 'gpu_virtualization_mode', [
      leaf('Virtualization Mode', 'virtualization_mode', facts.isVgpuHost ? 'Host VGPU' : 'None'),
      leaf('Host VGPU Mode', 'host_vgpu_mode', facts.isVgpuHost ? 'SR-IOV' : 'N/A'),
      ...since(550, facts, leaf('vGPU Heterogeneous Mode', 'vgpu_heterogeneous_mode', 'N/A')),
    ]),
    ...since(530, facts, describeResetStatus(facts)),
    ...describeRecovery(facts),
    ...since(550, facts, firmware),
    group('IBMNPU', 'ibmnpu', [leaf('Relaxed Ordering Mode', 'relaxed_ordering_mode', 'N/A')]),
  ];
}

/**
 * The words of recovery actions, which drivers report since 565, the two before the last since 615; from documentation, not recorded: of
 * those two only NVML's names are known.
 */
const RECOVERY_ACTIONS: ReadonlyMap<HealthSign, string> = new Map([
  ['recoveryreset', 'Drain and Reset'],
  ['recoveryreboot', 'Reboot'],
  ['recoverydrain', 'Drain P2P'],
  ['recoverybus', 'Bus Reset'],
  ['recoverysystem', 'System Reboot'],
  ['recoveryother', 'Quiesce'],
]);

function describeRecovery({ health, driver }: ReportFacts): readonly ReportNode[] {
  const reported = [...health].flatMap((sign) => {
    // Where the older field is deprecated, the action says what it reported.
    if (sign === 'reset') return driver.deprecatesResetStatus ? ['Reset'] : [];
    return RECOVERY_ACTIONS.get(sign) ?? [];
  });
  const actions = reported.length === 0 && driver.hasRecoveryAction ? ['None'] : reported;
  return actions.map((action) => leaf('GPU Recovery Action', 'gpu_recovery_action', action));
}

function describeResetStatus({ health, driver }: ReportFacts): ReportNode {
  const [required, recommended] = driver.deprecatesResetStatus
    ? [describeNvmlCode(NVML.deprecated), describeNvmlCode(NVML.deprecated)]
    : [health.has('reset') ? 'Yes' : 'No', 'No'];
  return group('GPU Reset Status', 'gpu_reset_status', [
    leaf('Reset Required', 'reset_required', required),
    leaf('Drain and Reset Recommended', 'drain_and_reset_recommended', recommended),
  ]);
}

/** `nvidia-smi -q`, with `-x` as XML. */
export function printReport(world: World, nvml: Nvml, selector: string | undefined, asXml: boolean): void {
  const state = world.readState();
  const all = selectGpus(nvml, selector).map((gpu) => gatherGpuFacts(gpu, nvml, state));
  const render = asXml ? renderXml : renderText;
  world.print(render(nvml, formatDate(world.now), all));
}

function describe(facts: ReportFacts): readonly ReportNode[] {
  return [describeIdentity, describeConnection, describeMemory, describePower].flatMap((part) => part(facts));
}

function renderText({ driver: { driver, cuda }, gpus }: Nvml, now: string, all: readonly ReportFacts[]): string {
  const head = [
    '',
    '==============NVSMI LOG==============',
    '',
    `Timestamp                                 : ${now}`,
    `Driver Version                            : ${driver}`,
    `CUDA Version                              : ${cuda}`,
    '',
    `Attached GPUs                             : ${gpus.length}`,
    '',
  ].join('\n');
  return head + all.map((facts) => `GPU ${facts.gpu.busId}\n${renderReportText(describe(facts), 4)}\n`).join('');
}

function renderXml({ driver: { driver, cuda, dtd }, gpus }: Nvml, now: string, all: readonly ReportFacts[]): string {
  const head = [
    '<?xml version="1.0" ?>',
    `<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v${dtd}.dtd">`,
    '<nvidia_smi_log>',
    `\t<timestamp>${now}</timestamp>`,
    `\t<driver_version>${driver}</driver_version>`,
    `\t<cuda_version>${cuda}</cuda_version>`,
    `\t<attached_gpus>${gpus.length}</attached_gpus>`,
    '',
  ].join('\n');
  const body = all.map(
    (facts) => `\t<gpu id="${facts.gpu.busId}">\n${renderReportXml(describe(facts), 2)}\t</gpu>\n\n`,
  );
  return `${head}${body.join('')}</nvidia_smi_log>\n`;
}

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
  /** True up to 525, whose table has no room for the names of most boards. */
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
