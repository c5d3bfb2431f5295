import { stringify } from 'yaml';

import { reportDevice } from '../../core/gpu/state/report-device.ts';
import type { GpuReport, GpuSelector, PolicyLayout } from '../../api/types.ts';
import { canonicalJson } from '../../core/text/fingerprint.ts';
import { layoutOf } from '../../core/policy/wish.ts';
import type { DeviceState, MigMode } from '../../core/gpu/state/device-state.ts';

/** How the entries of an export identify their GPUs: UUIDs only match this machine, indices also match identical ones. */
export type ExportBy = 'uuids' | 'indices';

export interface ExportedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** Null for a GPU without MIG. */
  readonly mig: MigMode | null;
  readonly instances: readonly {
    readonly profile: string;
    readonly start: number;
    readonly size: number;
    readonly computeInstances: readonly string[];
    readonly busy: boolean;
  }[];
}

/** The live layout; the shape of `export -o json`, which `-f` accepts. */
export interface NodeExport {
  readonly layouts: readonly PolicyLayout[];
  readonly device: { readonly driverVersion: string; readonly gpus: readonly ExportedGpu[] };
}

interface Group {
  readonly gpus: readonly GpuReport[];
  readonly content: PolicyLayout;
}

export function exportDevice(device: DeviceState, by: ExportBy): NodeExport {
  return {
    layouts: groupGpus(device).map(({ gpus, content }) => ({ gpus: select(gpus, by), ...content })),
    device: { driverVersion: device.driverVersion, gpus: device.gpus.map(describeGpu) },
  };
}

/** The same as YAML, with the placements, which a layout does not specify, as comments. */
export function writeLayouts(device: DeviceState, by: ExportBy): string {
  const entries = groupGpus(device).map(({ gpus, content }) => {
    const comments = gpus.map(({ uuid }) => `  # ${commentOn(device, uuid)}\n`).join('');
    return comments + writeYaml([{ gpus: select(gpus, by), ...content }]).replaceAll(/^(?=.)/gm, '  ');
  });
  const others = device.gpus
    .filter(({ mig }) => mig === undefined)
    .map(({ uuid }) => `# ${commentOn(device, uuid)}\n`)
    .join('');
  const body = entries.length === 0 ? 'layouts: []\n' : `layouts:\n${entries.join('')}`;
  return `# Exported by gpu-partition, driver ${device.driverVersion}.\n${others}${body}`;
}

/** The same as a mig-parted config file; GPUs without MIG are omitted. */
export function exportMigParted(device: DeviceState, config: string): unknown {
  const specs = groupGpus(device).map(({ gpus, content }) => ({
    devices: gpus.length === device.gpus.length ? 'all' : gpus.map(({ index }) => index),
    'mig-enabled': content.mig === undefined,
    'mig-devices': content.profiles ?? {},
  }));
  return { version: 'v1', 'mig-configs': { [config]: specs } };
}

/** Instances that no layout can express, one sentence each: applying the export would destroy them. */
export function listInexpressible({ gpus }: DeviceState): readonly string[] {
  return gpus.flatMap(({ index, instances }) =>
    instances
      .filter(({ computeInstances }) => computeInstances.length === 0)
      .map(({ profile, start }) => `GPU ${index}: ${profile} at ${start} has no compute instance and is left out`),
  );
}

function groupGpus(device: DeviceState): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const gpu of reportDevice(device).gpus ?? []) {
    if (gpu.mig === undefined || gpu.error !== undefined) continue;
    const content = contentOf(gpu);
    const key = canonicalJson(content);
    groups.set(key, { content, gpus: [...(groups.get(key)?.gpus ?? []), gpu] });
  }
  return [...groups.values()];
}

function contentOf(gpu: GpuReport): PolicyLayout {
  if (gpu.mig !== 'Enabled') return { mig: 'Disabled' };
  const profiles = layoutOf(gpu);
  return Object.keys(profiles).length === 0 ? { preset: 'all-enabled' } : { profiles };
}

function select(gpus: readonly GpuReport[], by: ExportBy): GpuSelector {
  return by === 'uuids' ? { uuids: gpus.map(({ uuid }) => uuid) } : { indices: gpus.map(({ index }) => index) };
}

function describeGpu({ index, uuid, pciBusId, product, mig, instances }: DeviceState['gpus'][number]): ExportedGpu {
  return {
    index,
    uuid,
    pciBusId,
    product,
    mig: mig?.current ?? null,
    instances: instances.map(({ profile, start, size, computeInstances, processes }) => ({
      profile,
      start,
      size,
      computeInstances: computeInstances.map((part) => part.profile),
      busy: processes.length > 0,
    })),
  };
}

function commentOn({ gpus }: DeviceState, uuid: string): string {
  const gpu = gpus.find((one) => one.uuid === uuid);
  if (gpu === undefined) return uuid;
  const places = gpu.instances.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  const state =
    gpu.mig === undefined ? 'no MIG' : gpu.mig.current === 'Disabled' ? 'MIG off' : places || 'no instances';
  return `GPU ${gpu.index}, ${gpu.product}, ${gpu.pciBusId}: ${state}`;
}

/** Strings that YAML 1.1 would read as another type are quoted: kubectl and mig-parted read YAML 1.1. */
export function writeYaml(value: unknown): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
}
