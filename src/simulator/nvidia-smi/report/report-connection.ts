import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { ReportNode } from './report.ts';
import { group, hex, leaf, since } from './report.ts';

/** PCI link, performance state and clock throttle reasons. */
export function describeConnection(facts: ReportFacts): readonly ReportNode[] {
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
