import { toProductLabel } from '../../gpu/geometry/model-lookup.ts';
import { GPU_RESOURCE } from './label-key.ts';
import { mergeLabels } from './label-value.ts';
import type { Labels } from './label-value.ts';
import type { GpuDescription } from './node-description.ts';
import { PARENT_REPLICATION, replicationOf } from '../plugin-config/sharing.ts';
import type { Replication, Sharing } from '../plugin-config/sharing.ts';

/** Labels of the whole GPUs of a node. */
export interface GpuLabels {
  readonly labels: Labels;
  /**
   * Keys whose value GFD picks at random, with the values that it may pick: on a node with several models the model visited last wins,
   * and Go visits a map in random order. No single value can be required for them.
   */
  readonly undetermined: Readonly<Record<string, readonly string[]>>;
}

/**
 * `nvidia.com/gpu.*` as GFD writes it from whole GPUs, MIG parents included. Models with a GPU out of MIG mode override models that
 * only have GPUs in MIG mode.
 */
export function computeGpuLabels(gpus: readonly GpuDescription[], sharing: Sharing | undefined): GpuLabels {
  const ofModel = Map.groupBy(gpus, ({ name }) => name);
  const byModel = (enabled: boolean) =>
    [...new Map(gpus.filter((gpu) => gpu.migEnabled === enabled).map((gpu) => [gpu.name, gpu])).values()].map((gpu) =>
      labelGpu(
        gpu,
        ofModel.get(gpu.name)?.length ?? 0,
        enabled ? PARENT_REPLICATION : replicationOf(GPU_RESOURCE, sharing),
      ),
    );
  const parents = byModel(true);
  const whole = byModel(false);
  const rivals = whole.length > 0 ? whole : parents;
  return { labels: mergeLabels([...parents, ...whole]), undetermined: disagreements(rivals) };
}

/** Product, count, replicas and sharing strategy of a resource, which GFD writes for GPUs and MIG devices alike. */
export function labelResource(
  resource: string,
  productParts: readonly string[],
  count: number,
  replication: Replication,
): Labels {
  const parts = productParts.map(toProductLabel);
  return {
    [`${resource}.product`]: [...parts, ...(replication.marked ? ['SHARED'] : [])].join('-'),
    [`${resource}.count`]: String(count),
    [`${resource}.replicas`]: String(replication.replicas),
    [`${resource}.sharing-strategy`]: replication.strategy,
  };
}

function labelGpu(gpu: GpuDescription, count: number, replication: Replication): Labels {
  const [major, minor] = gpu.computeCapability;
  return {
    ...labelResource(GPU_RESOURCE, [gpu.name], count, replication),
    ...(gpu.memoryMiB === 0 ? {} : { [`${GPU_RESOURCE}.memory`]: String(gpu.memoryMiB) }),
    ...(major === 0
      ? {}
      : {
          [`${GPU_RESOURCE}.family`]: nameFamily(major, minor),
          [`${GPU_RESOURCE}.compute.major`]: String(major),
          [`${GPU_RESOURCE}.compute.minor`]: String(minor),
        }),
  };
}

/** GFD's names for architectures by major compute capability (v0.20; older versions know fewer). */
const families: Readonly<Record<number, string>> = {
  1: 'tesla',
  2: 'fermi',
  3: 'kepler',
  5: 'maxwell',
  6: 'pascal',
  9: 'hopper',
  10: 'blackwell',
  12: 'blackwell',
  13: 'rubin',
};

function nameFamily(major: number, minor: number): string {
  if (major === 7) return minor < 5 ? 'volta' : 'turing';
  if (major === 8) return minor < 9 ? 'ampere' : 'ada-lovelace';
  return families[major] ?? 'undefined';
}

function disagreements(rivals: readonly Labels[]): Readonly<Record<string, readonly string[]>> {
  const keys = new Set(rivals.flatMap((labels) => Object.keys(labels)));
  const found: Record<string, readonly string[]> = {};
  for (const key of keys) {
    const values = new Set(rivals.flatMap((labels) => labels[key] ?? []));
    if (values.size > 1) found[key] = [...values];
  }
  return found;
}
