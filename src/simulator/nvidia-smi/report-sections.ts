import type { ReportFacts } from './query.ts';
import { type MigDevice, describeMigDevice, listMigDevices } from './device.ts';

/**
 * An entry of `nvidia-smi -q`, printed as text and, with `-x`, as XML. An entry without `label` is only in the XML, one without `tag` only
 * in the text.
 */
export type ReportNode =
  | {
      readonly kind: 'leaf';
      readonly label: string | null;
      readonly tag: string | null;
      readonly text: string;
      readonly xml: string;
    }
  | {
      readonly kind: 'group';
      readonly label: string | null;
      readonly tag: string | null;
      readonly children: readonly ReportNode[];
    }
  /** Raw XML, lines without line ends: for places that nvidia-smi indents irregularly. */
  | { readonly kind: 'xml'; readonly lines: readonly string[] };

/** A value that may differ between text and XML. */
type ReportValue = string | { readonly text: string; readonly xml: string };

export function leaf(label: string | null, tag: string | null, value: ReportValue): ReportNode {
  const { text, xml } = typeof value === 'string' ? { text: value, xml: value } : value;
  return { kind: 'leaf', label, tag, text, xml };
}

export function group(label: string | null, tag: string | null, children: readonly ReportNode[]): ReportNode {
  return { kind: 'group', label, tag, children };
}

/** Entries that the driver prints from this branch on. */
export function since(first: number, { driver }: ReportFacts, ...nodes: readonly ReportNode[]): readonly ReportNode[] {
  return driver.branch >= first ? nodes : [];
}

/** Entries that it prints up to this branch. */
export function until(last: number, { driver }: ReportFacts, ...nodes: readonly ReportNode[]): readonly ReportNode[] {
  return driver.branch <= last ? nodes : [];
}

/** A hexadecimal number: with `0x` in the text, without it in the XML. */
export function hex(digits: string): ReportValue {
  return { text: `0x${digits}`, xml: digits };
}

function mib(count: number): string {
  return `${count} MiB`;
}

/** Column of the colon in the text form. */
const LABEL_WIDTH = 42;

export function renderReportText(nodes: readonly ReportNode[], indent: number): string {
  return nodes.map((node) => renderTextNode(node, indent)).join('');
}

function renderTextNode(node: ReportNode, indent: number): string {
  if (node.kind === 'xml' || node.label === null) return '';
  const label = ' '.repeat(indent) + node.label;
  return node.kind === 'leaf'
    ? `${label.padEnd(LABEL_WIDTH)}: ${node.text}\n`
    : `${label}\n${renderReportText(node.children, indent + 4)}`;
}

export function renderReportXml(nodes: readonly ReportNode[], depth: number): string {
  return nodes.map((node) => renderXmlNode(node, depth)).join('');
}

function renderXmlNode(node: ReportNode, depth: number): string {
  const tabs = '\t'.repeat(depth);
  if (node.kind === 'xml') {
    return node.lines.map((line) => `${line}\n`).join('');
  }
  if (node.tag === null) return '';
  return node.kind === 'leaf'
    ? `${tabs}<${node.tag}>${escapeXml(node.xml)}</${node.tag}>\n`
    : `${tabs}<${node.tag}>\n${renderReportXml(node.children, depth + 1)}${tabs}</${node.tag}>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Memory, utilization and memory errors. */
export function describeMemory(facts: ReportFacts): readonly ReportNode[] {
  const errors = describeErrors(facts);
  return [
    ...since(530, facts, leaf('Sparse Operation Mode', 'sparse_operation_mode', 'N/A')),
    group('FB Memory Usage', 'fb_memory_usage', [
      leaf('Total', 'total', facts.memoryFailure ?? mib(facts.board.memoryMiB)),
      ...since(525, facts, leaf('Reserved', 'reserved', facts.memoryFailure ?? mib(facts.board.reservedMiB))),
      leaf('Used', 'used', facts.memoryFailure ?? mib(facts.usedMiB)),
      leaf('Free', 'free', facts.memoryFailure ?? mib(facts.freeMiB)),
    ]),
    group('BAR1 Memory Usage', 'bar1_memory_usage', [
      leaf('Total', 'total', mib(facts.board.bar1MiB)),
      leaf('Used', 'used', mib(1)),
      leaf('Free', 'free', mib(facts.board.bar1MiB - 1)),
    ]),
    ...since(
      530,
      facts,
      group('Conf Compute Protected Memory Usage', 'cc_protected_memory_usage', [
        leaf('Total', 'total', 'N/A'),
        leaf('Used', 'used', 'N/A'),
        leaf('Free', 'free', 'N/A'),
      ]),
    ),
    leaf('Compute Mode', 'compute_mode', 'Default'),
    group('Utilization', 'utilization', [
      leaf('Gpu', 'gpu_util', facts.utilization),
      leaf('Memory', 'memory_util', facts.utilization),
      leaf('Encoder', 'encoder_util', 'N/A'),
      leaf('Decoder', 'decoder_util', 'N/A'),
      ...since(530, facts, leaf('JPEG', 'jpeg_util', 'N/A'), leaf('OFA', 'ofa_util', 'N/A')),
    ]),
    group('Encoder Stats', 'encoder_stats', SESSIONS),
    group('FBC Stats', 'fbc_stats', SESSIONS),
    group(facts.driver.branch < 530 ? 'Ecc Mode' : 'ECC Mode', 'ecc_mode', [
      leaf('Current', 'current_ecc', 'Enabled'),
      leaf('Pending', 'pending_ecc', facts.health.has('ecc') ? 'Disabled' : 'Enabled'),
    ]),
    group('ECC Errors', 'ecc_errors', [
      group('Volatile', 'volatile', errors),
      group('Aggregate', 'aggregate', [
        ...errors,
        ...since(530, facts, leaf('SRAM Threshold Exceeded', 'sram_threshold_exceeded', 'N/A')),
      ]),
      ...since(
        530,
        facts,
        group('Aggregate Uncorrectable SRAM Sources', 'aggregate_uncorrectable_sram_sources', [
          leaf('SRAM L2', 'sram_l2', 'N/A'),
          leaf('SRAM SM', 'sram_sm', 'N/A'),
          leaf('SRAM Microcontroller', 'sram_microcontroller', 'N/A'),
          leaf('SRAM PCIE', 'sram_pcie', 'N/A'),
          leaf('SRAM Other', 'sram_other', 'N/A'),
        ]),
      ),
    ]),
    ...RETIRED_PAGES,
    group('Remapped Rows', 'remapped_rows', [
      leaf('Correctable Error', 'remapped_row_corr', '0'),
      leaf('Uncorrectable Error', 'remapped_row_unc', '0'),
      leaf('Pending', 'remapped_row_pending', yesOrNo(facts.health.has('remap'))),
      leaf('Remapping Failure Occurred', 'remapped_row_failure', yesOrNo(facts.health.has('remapfailure'))),
      group('Bank Remap Availability Histogram', 'row_remapper_histogram', [
        leaf('Max', 'row_remapper_histogram_max', '640 bank(s)'),
        leaf('High', 'row_remapper_histogram_high', '0 bank(s)'),
        leaf('Partial', 'row_remapper_histogram_partial', '0 bank(s)'),
        leaf('Low', 'row_remapper_histogram_low', '0 bank(s)'),
        leaf('None', 'row_remapper_histogram_none', '0 bank(s)'),
      ]),
    ]),
  ];
}

function yesOrNo(isSo: boolean): string {
  return isSo ? 'Yes' : 'No';
}

const SESSIONS: readonly ReportNode[] = [
  leaf('Active Sessions', 'session_count', 'N/A'),
  leaf('Average FPS', 'average_fps', 'N/A'),
  leaf('Average Latency', 'average_latency', 'N/A'),
];

function describeErrors(facts: ReportFacts): readonly ReportNode[] {
  return [
    ...until(525, facts, leaf('SRAM Correctable', 'sram_correctable', '0')),
    ...until(525, facts, leaf('SRAM Uncorrectable', 'sram_uncorrectable', '0')),
    ...since(
      530,
      facts,
      leaf('SRAM Correctable', 'sram_correctable', 'N/A'),
      leaf('SRAM Uncorrectable Parity', 'sram_uncorrectable_parity', 'N/A'),
      leaf('SRAM Uncorrectable SEC-DED', 'sram_uncorrectable_secded', 'N/A'),
    ),
    leaf('DRAM Correctable', 'dram_correctable', '0'),
    leaf('DRAM Uncorrectable', 'dram_uncorrectable', '0'),
  ];
}

/** The only part that text and XML arrange differently. */
const RETIRED_PAGES: readonly ReportNode[] = [
  group('Retired Pages', null, [
    leaf('Single Bit ECC', null, 'N/A'),
    leaf('Double Bit ECC', null, 'N/A'),
    leaf('Pending Page Blacklist', null, 'N/A'),
  ]),
  group(null, 'retired_pages', [
    group(null, 'multiple_single_bit_retirement', [
      leaf(null, 'retired_count', 'N/A'),
      leaf(null, 'retired_pagelist', 'N/A'),
    ]),
    group(null, 'double_bit_retirement', [leaf(null, 'retired_count', 'N/A'), leaf(null, 'retired_pagelist', 'N/A')]),
    leaf(null, 'pending_blacklist', 'N/A'),
    leaf(null, 'pending_retirement', 'N/A'),
  ]),
];

/** The MIG devices; if there are none the XML says `None` and the text nothing. */
export function describeMigDevices(facts: ReportFacts): readonly ReportNode[] {
  const devices = listMigDevices(facts.gpu, facts.state).flatMap((device) => describeDevice(facts, device));
  // In the XML the devices are indented like their parent (as in nvidia-smi); in the text there is no parent.
  const inner = devices.length === 0 ? ['\t\t\tNone'] : xmlLines(devices);
  return [{ kind: 'xml', lines: ['\t\t<mig_devices>', ...inner, '\t\t</mig_devices>'] }, ...devices.map(withoutTag)];
}

function describeDevice(facts: ReportFacts, device: MigDevice): readonly ReportNode[] {
  const found = describeMigDevice(facts.gpu, facts.state, device);
  if (found === undefined) return [];
  const { giProfile, ciProfile, usedMiB, bar1MiB } = found;
  const { engines } = giProfile;
  return [
    group('MIG Device', 'mig_device', [
      leaf('Index', 'index', String(device.index)),
      leaf('GPU Instance ID', 'gpu_instance_id', String(device.gi.id)),
      leaf('Compute Instance ID', 'compute_instance_id', String(device.ci.id)),
      group('Device Attributes', 'device_attributes', [
        group('Shared', 'shared', [
          leaf('Multiprocessor count', 'multiprocessor_count', String(ciProfile.multiprocessors)),
          leaf('Copy Engine count', 'copy_engine_count', String(engines.copy)),
          leaf('Encoder count', 'encoder_count', String(engines.encoder)),
          leaf('Decoder count', 'decoder_count', String(engines.decoder)),
          leaf('OFA count', 'ofa_count', String(engines.ofa)),
          leaf('JPG count', 'jpg_count', String(engines.jpeg)),
        ]),
      ]),
      group('ECC Errors', 'ecc_error_count', [
        group('Volatile', 'volatile_count', [leaf('SRAM Uncorrectable', 'sram_uncorrectable', '0')]),
      ]),
      group('FB Memory Usage', 'fb_memory_usage', [
        leaf('Total', 'total', mib(giProfile.memoryMiB)),
        ...since(525, facts, leaf('Reserved', 'reserved', mib(0))),
        leaf('Used', 'used', mib(usedMiB)),
        leaf('Free', 'free', mib(giProfile.memoryMiB - usedMiB)),
      ]),
      group('BAR1 Memory', 'bar1_memory_usage', [
        leaf('Total', 'total', mib(bar1MiB)),
        leaf('Used', 'used', mib(0)),
        leaf('Free', 'free', mib(bar1MiB)),
      ]),
    ]),
  ];
}

function xmlLines(devices: readonly ReportNode[]): readonly string[] {
  return renderReportXml(devices, 2).trimEnd().split('\n');
}

function withoutTag(node: ReportNode): ReportNode {
  return node.kind === 'xml' ? node : { ...node, tag: null };
}

/**
 * The processes of a GPU: in the XML each has an element of its own, in the text their lines follow each other. The text form with
 * processes is recalled from real output, not recorded.
 */
function describeProcesses({ processes }: ReportFacts): readonly ReportNode[] {
  if (typeof processes === 'string') return [leaf('Processes', 'processes', processes)];
  const described = processes.map(({ instance, pid, name, memoryMiB }) => [
    leaf('GPU instance ID', 'gpu_instance_id', String(instance?.gi ?? 'N/A')),
    leaf('Compute instance ID', 'compute_instance_id', String(instance?.ci ?? 'N/A')),
    leaf('Process ID', 'pid', String(pid)),
    leaf('    Type', 'type', 'C'),
    leaf('    Name', 'process_name', name),
    leaf('    Used GPU Memory', 'used_memory', mib(memoryMiB)),
  ]);
  const elements = described.map((fields) => group(null, 'process_info', fields));
  const text = described.length === 0 ? leaf('Processes', null, 'None') : group('Processes', null, described.flat());
  return [group(null, 'processes', elements), text];
}

/** Temperature, power, clocks and processes: the last part of `-q`. */
export function describePower(facts: ReportFacts): readonly ReportNode[] {
  const clocks = [
    leaf('Graphics', 'graphics_clock', facts.graphicsClock),
    leaf('Memory', 'mem_clock', facts.memoryClock),
  ];
  return [
    group('Temperature', 'temperature', [
      leaf('GPU Current Temp', 'gpu_temp', '33 C'),
      ...since(525, facts, leaf('GPU T.Limit Temp', 'gpu_temp_tlimit', 'N/A')),
      leaf('GPU Shutdown Temp', 'gpu_temp_max_threshold', '92 C'),
      leaf('GPU Slowdown Temp', 'gpu_temp_slow_threshold', '89 C'),
      leaf('GPU Max Operating Temp', 'gpu_temp_max_gpu_threshold', '85 C'),
      leaf('GPU Target Temperature', 'gpu_target_temperature', 'N/A'),
      leaf('Memory Current Temp', 'memory_temp', 'N/A'),
      leaf('Memory Max Operating Temp', 'gpu_temp_max_mem_threshold', '95 C'),
    ]),
    group(null, 'supported_gpu_target_temp', [
      leaf(null, 'gpu_target_temp_min', 'N/A'),
      leaf(null, 'gpu_target_temp_max', 'N/A'),
    ]),
    ...until(525, facts, describeOldReadings(facts)),
    ...since(
      530,
      facts,
      group(
        'GPU Power Readings',
        'gpu_power_readings',
        describeReadings(facts, '52.34 W', facts.powerLimit, '100.00 W'),
      ),
      ...since(
        550,
        facts,
        group('GPU Memory Power Readings ', 'gpu_memory_power_readings', describeDraw(facts, 'N/A')),
      ),
      group('Module Power Readings', 'module_power_readings', describeReadings(facts, 'N/A', 'N/A', 'N/A')),
    ),
    group('Clocks', 'clocks', [
      leaf('Graphics', 'graphics_clock', '210 MHz'),
      leaf('SM', 'sm_clock', '210 MHz'),
      leaf('Memory', 'mem_clock', facts.memoryClock),
      leaf('Video', 'video_clock', '585 MHz'),
    ]),
    group('Applications Clocks', 'applications_clocks', clocks),
    group('Default Applications Clocks', 'default_applications_clocks', clocks),
    ...since(525, facts, group('Deferred Clocks', 'deferred_clocks', [leaf('Memory', 'mem_clock', 'N/A')])),
    group('Max Clocks', 'max_clocks', [
      leaf('Graphics', 'graphics_clock', facts.graphicsClock),
      leaf('SM', 'sm_clock', facts.graphicsClock),
      leaf('Memory', 'mem_clock', facts.memoryClock),
      leaf('Video', 'video_clock', '1290 MHz'),
    ]),
    group('Max Customer Boost Clocks', 'max_customer_boost_clocks', [leaf('Graphics', 'graphics_clock', 'N/A')]),
    group('Clock Policy', 'clock_policy', [
      leaf('Auto Boost', 'auto_boost', 'N/A'),
      leaf('Auto Boost Default', 'auto_boost_default', 'N/A'),
    ]),
    group('Voltage', 'voltage', [leaf('Graphics', 'graphics_volt', 'N/A')]),
    ...since(
      525,
      facts,
      group('Fabric', 'fabric', [
        leaf('State', 'state', 'N/A'),
        leaf('Status', 'status', 'N/A'),
        ...since(
          550,
          facts,
          leaf('CliqueId', 'cliqueId', 'N/A'),
          leaf('ClusterUUID', 'clusterUuid', 'N/A'),
          group('Health', 'health', [leaf('Bandwidth', 'bandwidth', 'N/A')]),
        ),
      ]),
    ),
    leaf(null, 'supported_clocks', 'N/A'),
    ...describeProcesses(facts),
    leaf(null, 'accounted_processes', 'N/A'),
    ...since(555, facts, group('Capabilities', 'capabilities', [leaf('EGM', 'egm', 'N/A')])),
  ];
}

function describeOldReadings({ powerLimit }: ReportFacts): ReportNode {
  return group('Power Readings', 'power_readings', [
    leaf(null, 'power_state', 'P0'),
    leaf('Power Management', 'power_management', 'Supported'),
    leaf('Power Draw', 'power_draw', '52.34 W'),
    leaf('Power Limit', 'power_limit', powerLimit),
    leaf('Default Power Limit', 'default_power_limit', powerLimit),
    leaf('Enforced Power Limit', 'enforced_power_limit', powerLimit),
    leaf('Min Power Limit', 'min_power_limit', '100.00 W'),
    leaf('Max Power Limit', 'max_power_limit', powerLimit),
  ]);
}

/** The release of 550 that was recorded has both, those of 535 and 555 have one. */
function describeDraw({ driver: { branch } }: ReportFacts, draw: string): readonly ReportNode[] {
  if (branch < 550 || branch === 555) return [leaf('Power Draw', 'power_draw', draw)];
  return [
    leaf('Average Power Draw', 'average_power_draw', draw),
    leaf('Instantaneous Power Draw', 'instant_power_draw', draw),
  ];
}

function describeReadings(facts: ReportFacts, draw: string, limit: string, least: string): readonly ReportNode[] {
  return [
    leaf(null, 'power_state', 'P0'),
    ...describeDraw(facts, draw),
    leaf('Current Power Limit', 'current_power_limit', limit),
    leaf('Requested Power Limit', 'requested_power_limit', limit),
    leaf('Default Power Limit', 'default_power_limit', limit),
    leaf('Min Power Limit', 'min_power_limit', least),
    leaf('Max Power Limit', 'max_power_limit', limit),
  ];
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Formats a date as C's `ctime` does: `Sat Nov 21 02:32:34 2026`, local time. */
export function formatDate(date: Date): string {
  const day = String(date.getDate()).padStart(2);
  return `${DAYS[date.getDay()]} ${MONTHS[date.getMonth()]} ${day} ${formatTime(date)} ${date.getFullYear()}`;
}

/** Formats a date as `--query-gpu=timestamp` does: `2026/11/21 02:32:34.123`. */
export function formatTimestamp(date: Date): string {
  const month = two(date.getMonth() + 1);
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${date.getFullYear()}/${month}/${two(date.getDate())} ${formatTime(date)}.${milliseconds}`;
}

function formatTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
