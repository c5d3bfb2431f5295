import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { MigDevice } from '../nvml/mig-device.ts';
import { describeMigDevice, listMigDevices } from '../nvml/mig-device.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, mib, renderReportXml, since } from './report.ts';

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
