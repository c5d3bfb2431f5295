import { stringify } from 'yaml';

import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import { type ExportBy, exportEntries, listOthers } from '../../core/host/host-export.ts';

/** The live layout as YAML, with the placements, which a layout does not specify, as comments. */
export function writeLayouts(device: DeviceState, by: ExportBy): string {
  const entries = exportEntries(device, by).map(({ comments, entry }) => {
    const above = comments.map((comment) => `  # ${comment}\n`).join('');
    return above + writeYaml([entry]).replaceAll(/^(?=.)/gm, '  ');
  });
  const others = listOthers(device).map((comment) => `# ${comment}\n`);
  const body = entries.length === 0 ? 'layouts: []\n' : `layouts:\n${entries.join('')}`;
  return `# Exported by gpu-partition, driver ${device.driverVersion}.\n${others.join('')}${body}`;
}

/** Strings that YAML 1.1 would read as another type are quoted: kubectl and mig-parted read YAML 1.1. */
export function writeYaml(value: unknown): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
}
