import type {
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  InstanceReport,
  PolicySpec,
} from '../../src/api/types.ts';

type PolicyOverrides = Partial<PolicySpec> & {
  readonly name?: string;
  readonly createdAt?: string;
  readonly generation?: number;
};

/** A policy for pool `p`; by default it makes 7×1g.5gb of every GPU. */
export function aPolicy({
  name = 'p',
  createdAt = '2026-01-01T00:00:00Z',
  generation = 1,
  ...spec
}: PolicyOverrides = {}): GpuPartitionPolicy {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name, uid: `uid-${name}`, generation, creationTimestamp: createdAt },
    spec: {
      nodeSelector: { matchLabels: { pool: 'p' } },
      strategy: 'mixed',
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      ...spec,
    },
  };
}

export const uuidOf = (index: number): string => `GPU-00000000-0000-0000-0000-00000000000${index}`;

/** A GPU with MIG off; `slices` turns MIG on and puts `PROFILE@START` there (`*` at the end: busy). */
export function aGpu({
  index = 0,
  product = 'NVIDIA A100-SXM4-40GB',
  slices,
  ...rest
}: Partial<Omit<GpuReport, 'instances'>> & { readonly slices?: readonly string[] } = {}): GpuReport {
  return {
    uuid: uuidOf(index),
    index,
    pciBusId: `00000000:0${index}:00.0`,
    product,
    memoryMiB: 40960,
    computeCapability: '8.0',
    migCapable: true,
    mig: slices ? 'Enabled' : 'Disabled',
    instances: (slices ?? []).map(readSlice),
    ...rest,
  };
}

/** The GPU with pods on its slices, by `PROFILE@START`. */
export function withPods(gpu: GpuReport, pods: Readonly<Record<string, readonly string[]>>): GpuReport {
  const instances = gpu.instances.map((one) => {
    const names = pods[`${one.profile}@${one.start}`] ?? [];
    return names.length > 0 ? { ...one, busy: true, pods: [...names] } : one;
  });
  return { ...gpu, instances };
}

/** With pods that have slices by claims, as `claim: pods` by slice. */
export function withClaims(
  gpu: GpuReport,
  claims: Readonly<Record<string, Readonly<Record<string, string>>>>,
): GpuReport {
  const podsOf = Object.fromEntries(Object.entries(claims).map(([slice, held]) => [slice, Object.values(held)]));
  const { instances, ...rest } = withPods(gpu, podsOf);
  return {
    ...rest,
    instances: instances.map((one) => {
      const held = claims[`${one.profile}@${one.start}`];
      return held ? { ...one, claims: Object.keys(held) } : one;
    }),
  };
}

function readSlice(text: string, gi: number): InstanceReport {
  const [, profile = '', start = '', busy] = /^([^@]+)@(\d+)(\*)?$/.exec(text) ?? [];
  return {
    profile,
    gi,
    start: Number(start),
    ...(busy ? { busy: true } : {}),
    computeInstances: [{ profile, memoryMiB: 4864, multiprocessors: 14, engines: [1, 0, 0, 0, 0] }],
  };
}

export function aDevice(...gpus: readonly GpuReport[]): DeviceReport {
  return { driverVersion: '550.54.15', cudaVersion: '12.4', step: 'Idle', gpus };
}

/** The partition of node `n`. */
export function aPartition({
  device,
  phase,
  ...spec
}: Partial<GpuNodePartition['spec']> & {
  readonly device?: DeviceReport;
  readonly phase?: NonNullable<GpuNodePartition['status']>['phase'];
} = {}): GpuNodePartition {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuNodePartition',
    metadata: { name: 'n', uid: 'uid-gpn', resourceVersion: '1' },
    spec: { nodeUID: 'uid-n', ...spec },
    ...(device ? { status: { device, ...(phase ? { phase } : {}) } } : {}),
  };
}
