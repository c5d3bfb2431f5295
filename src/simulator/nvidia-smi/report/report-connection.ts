import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { ReportNode } from './report.ts';
import { group, hex, leaf } from './report.ts';

/** PCI link, performance state and clock throttle reasons. */
export function describeConnection(facts: ReportFacts): readonly ReportNode[] {
  return [
    group('PCI', 'pci', [
      leaf('Bus', 'pci_bus', hex(facts.bus)),
      leaf('Device', 'pci_device', hex('00')),
      leaf('Domain', 'pci_domain', hex('0000')),
      leaf('Base Classcode', 'pci_base_class', hex('3')),
      leaf('Sub Classcode', 'pci_sub_class', hex('2')),
      leaf('Device Id', 'pci_device_id', hex(facts.board.pciDeviceId.slice(2))),
      leaf('Bus Id', 'pci_bus_id', facts.gpu.busId),
      leaf('Sub System Id', 'pci_sub_system_id', hex(facts.board.pciSubsystemId.slice(2))),
      group('GPU Link Info', 'pci_gpu_link_info', [
        group('PCIe Generation', 'pcie_gen', [
          leaf('Max', 'max_link_gen', facts.pcieGeneration),
          leaf('Current', 'current_link_gen', facts.pcieGeneration),
          leaf('Device Current', 'device_current_link_gen', facts.pcieGeneration),
          leaf('Device Max', 'max_device_link_gen', facts.pcieGeneration),
          leaf('Host Max', 'max_host_link_gen', 'N/A'),
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
      leaf('Atomic Caps Inbound', 'atomic_caps_inbound', 'N/A'),
      leaf('Atomic Caps Outbound', 'atomic_caps_outbound', 'N/A'),
    ]),
    leaf('Fan Speed', 'fan_speed', 'N/A'),
    leaf('Performance State', 'performance_state', 'P0'),
    group('Clocks Event Reasons', 'clocks_event_reasons', [
      leaf('Idle', 'clocks_event_reason_gpu_idle', 'Active'),
      leaf('Applications Clocks Setting', 'clocks_event_reason_applications_clocks_setting', 'Not Active'),
      leaf('SW Power Cap', 'clocks_event_reason_sw_power_cap', 'Not Active'),
      leaf('HW Slowdown', 'clocks_event_reason_hw_slowdown', 'Not Active'),
      leaf('    HW Thermal Slowdown', 'clocks_event_reason_hw_thermal_slowdown', 'Not Active'),
      leaf('    HW Power Brake Slowdown', 'clocks_event_reason_hw_power_brake_slowdown', 'Not Active'),
      leaf('Sync Boost', 'clocks_event_reason_sync_boost', 'Not Active'),
      leaf('SW Thermal Slowdown', 'clocks_event_reason_sw_thermal_slowdown', 'Not Active'),
      leaf('Display Clock Setting', 'clocks_event_reason_display_clocks_setting', 'Not Active'),
    ]),
  ];
}
