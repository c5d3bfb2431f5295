import type { GpuNodePartition, GpuReport } from '../../api/types.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { strandedSlices } from '../status/fleet-figures.ts';
import { compareText } from '../text/fingerprint.ts';

/** Slices by resource. */
export interface SliceCount {
  readonly compute: number;
  readonly memory: number;
}

/** The GPU instances of one profile that one policy has created. */
export interface ProfileUse {
  readonly profile: string;
  readonly instances: number;
  /** Of them, those that were unused in every sample that contains them. */
  readonly neverUsed: number;
  /** The nodes with most of these. */
  readonly nodes: readonly { readonly node: string; readonly neverUsed: number }[];
}

/** The GPUs of one product that one policy, or none, decides over. */
export interface GpuUse {
  readonly policy: string | undefined;
  readonly product: string;
  /** In MIG mode; others are whole. */
  readonly gpus: number;
  readonly slices: SliceCount;
  /** Of these, what belongs to no instance: it cannot be used in this layout. */
  readonly stranded: SliceCount;
  readonly profiles: readonly ProfileUse[];
}

const mostNodes = 10;

interface PlacedGpu {
  readonly node: string;
  readonly policy: string | undefined;
  readonly gpu: GpuReport;
  readonly partition: GpuNodePartition;
}

/** What is on the GPUs in the last sample, and what of it was unused in all. @param samples the last is the newest */
export function countUse(samples: readonly (readonly GpuNodePartition[])[]): readonly GpuUse[] {
  const used = new Set(samples.flatMap((partitions) => partitions.flatMap(listUsed)));
  const groups = Map.groupBy((samples.at(-1) ?? []).flatMap(listGpus), ({ policy, gpu }) =>
    JSON.stringify([policy, gpu.product]),
  );
  return [...groups.values()]
    .map((list) => describeGroup(list, used))
    .toSorted((a, b) => compareText(a.policy ?? '', b.policy ?? '') || compareText(a.product, b.product));
}

function listGpus(partition: GpuNodePartition): readonly PlacedGpu[] {
  const { metadata, spec, status } = partition;
  const gpus = (status?.device?.gpus ?? []).filter(({ mig, error }) => mig === 'Enabled' && error === undefined);
  return gpus.map((gpu) => ({ node: metadata.name, policy: spec.policy?.name, gpu, partition }));
}

function listUsed(partition: GpuNodePartition): readonly string[] {
  return listGpus(partition).flatMap(({ gpu }) =>
    gpu.instances.filter(({ busy }) => busy === true).map((one) => keyOf(gpu, one)),
  );
}

function keyOf({ uuid }: GpuReport, { profile, start }: GpuReport['instances'][number]): string {
  return `${uuid} ${profile}@${start}`;
}

function describeGroup(list: readonly PlacedGpu[], used: ReadonlySet<string>): GpuUse {
  const [first] = list;
  const counted = list.map(({ gpu, partition }) => {
    const geometry = liveGeometry(partition.status?.device ?? {}, gpu);
    const none = { compute: 0, memory: 0 };
    return geometry === undefined
      ? { all: none, stranded: none }
      : {
          all: { compute: geometry.computeSlices, memory: geometry.memorySlices },
          stranded: strandedSlices(geometry, gpu.instances),
        };
  });
  const sum = (counts: readonly SliceCount[]): SliceCount => ({
    compute: counts.reduce((all, { compute }) => all + compute, 0),
    memory: counts.reduce((all, { memory }) => all + memory, 0),
  });
  return {
    policy: first?.policy,
    product: (first?.gpu.product ?? '').replace(/^NVIDIA /, ''),
    gpus: list.length,
    slices: sum(counted.map(({ all }) => all)),
    stranded: sum(counted.map(({ stranded }) => stranded)),
    profiles: countProfiles(list, used),
  };
}

function countProfiles(list: readonly PlacedGpu[], used: ReadonlySet<string>): readonly ProfileUse[] {
  const instances = list.flatMap(({ node, gpu }) =>
    gpu.instances.map((one) => ({ node, profile: one.profile, isUsed: used.has(keyOf(gpu, one)) })),
  );
  return [...Map.groupBy(instances, ({ profile }) => profile)]
    .map(([profile, alike]) => {
      const idle = alike.filter(({ isUsed }) => !isUsed);
      const nodes = [...Map.groupBy(idle, ({ node }) => node)]
        .map(([node, those]) => ({ node, neverUsed: those.length }))
        .toSorted((a, b) => b.neverUsed - a.neverUsed || compareText(a.node, b.node))
        .slice(0, mostNodes);
      return { profile, instances: alike.length, neverUsed: idle.length, nodes };
    })
    .toSorted((a, b) => compareText(a.profile, b.profile));
}
