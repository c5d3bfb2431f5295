import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, mib, since, until } from './report.ts';

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
