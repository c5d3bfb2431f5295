import { reportDevice } from '../report/report-device.ts';
import type { GpuReport, GpuSelector, PolicyLayout } from '../../api/types.ts';
import { canonicalJson } from '../text/fingerprint.ts';
import { layoutOf } from '../wish/wish.ts';
import type { DeviceState, MigMode } from '../gpu/state/device-state.ts';

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

/** An entry of a layout, and a comment on each of its GPUs. */
export interface ExportedEntry {
  readonly comments: readonly string[];
  readonly entry: PolicyLayout;
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

/** The same, with what a layout does not say as comments: which GPU it is, and where its instances are. */
export function exportEntries(device: DeviceState, by: ExportBy): readonly ExportedEntry[] {
  return groupGpus(device).map(({ gpus, content }) => ({
    comments: gpus.map(({ uuid }) => commentOn(device, uuid)),
    entry: { gpus: select(gpus, by), ...content },
  }));
}

/** What else is there: GPUs without MIG. */
export function listOthers(device: DeviceState): readonly string[] {
  return device.gpus.filter(({ mig }) => mig === undefined).map(({ uuid }) => commentOn(device, uuid));
}

/** The same as a mig-parted config file; GPUs without MIG are omitted, unless there are no others. */
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
  const readable = (reportDevice(device).gpus ?? []).filter(({ error }) => error === undefined);
  const capable = readable.filter(({ mig }) => mig !== undefined);
  // No file may be without an entry.
  for (const gpu of capable.length > 0 ? capable : readable) {
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
