import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { describeProcesses } from './report-processes.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, since, until } from './report.ts';

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
