import type {
  GpuDescription,
  MigAttributes,
  MigDeviceDescription,
  NodeDescription,
} from '../../../src/core/nvidia/labels.ts';

type Engines = readonly [copy: number, decoder: number, encoder: number, jpeg: number, ofa: number];

/** Attributes as a driver gave them: MiB, multiprocessors, slices, engines. */
export function aMigDevice(
  profile: string,
  memory: number,
  multiprocessors: number,
  [copy, decoder, encoder, jpeg, ofa]: Engines,
): MigDeviceDescription {
  const [, computeSlices, gpuSlices] = /^(?:(\d+)c\.)?(\d+)g\./.exec(profile) ?? [];
  const attributes: MigAttributes = {
    memory,
    multiprocessors,
    'slices.gi': Number(gpuSlices),
    'slices.ci': Number(computeSlices ?? gpuSlices),
    'engines.copy': copy,
    'engines.decoder': decoder,
    'engines.encoder': encoder,
    'engines.jpeg': jpeg,
    'engines.ofa': ofa,
  };
  return { profile, attributes };
}

/** An A100-40GB out of MIG mode unless told otherwise. */
export function aGpu(changes: Partial<GpuDescription> = {}): GpuDescription {
  return {
    name: 'NVIDIA A100-SXM4-40GB',
    memoryMiB: 40960,
    computeCapability: [8, 0],
    migCapable: true,
    migEnabled: false,
    pciClass: '0x030200',
    migDevices: [],
    ...changes,
  };
}

/** The same GPU in MIG mode. */
export function aMigGpu(migDevices: readonly MigDeviceDescription[], changes: Partial<GpuDescription> = {}) {
  return aGpu({ migEnabled: true, migDevices, ...changes });
}

export function aNode(gpus: readonly GpuDescription[], changes: Partial<NodeDescription> = {}): NodeDescription {
  return { driverVersion: '550.54.15', cudaDriverVersion: [12, 4], machine: 'NVIDIA DGX', gpus, ...changes };
}

/** Slices of an A100-40GB with driver 450. */
export const SLICES = {
  '1g': aMigDevice('1g.5gb', 4864, 14, [1, 0, 0, 0, 0]),
  '1g+me': aMigDevice('1g.5gb+me', 4864, 14, [1, 1, 0, 1, 1]),
  '2g': aMigDevice('2g.10gb', 9984, 28, [2, 1, 0, 0, 0]),
  '3g': aMigDevice('3g.20gb', 20096, 42, [3, 2, 0, 0, 0]),
  '1c.3g': aMigDevice('1c.3g.20gb', 20096, 14, [3, 2, 0, 0, 0]),
} as const;

export function times<T>(count: number, item: T): readonly T[] {
  return Array.from({ length: count }, () => item);
}
