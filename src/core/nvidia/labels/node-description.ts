/**
 * What must be known of a node to compute its labels and resources: the answers that NVIDIA's tools get from NVML, sysfs and DMI.
 * The shape is that of the `node` of a label vector.
 */
export interface NodeDescription {
  /** Driver version as NVML gives it: `550.54.15` or `535.54`. */
  readonly driverVersion: string;
  /** CUDA version that the driver supports: `[12, 4]`. Absent if it was not read; its labels are then left out. */
  readonly cudaDriverVersion?: readonly [major: number, minor: number];
  /** `/sys/class/dmi/id/product_name`, unchanged. Absent if it cannot be read; GFD then writes `unknown`. */
  readonly machine?: string;
  /** In the order of their index. */
  readonly gpus: readonly GpuDescription[];
  /** `<cluster UUID>.<clique id>` of the NVLink fabric; absent on nodes outside of a fabric. */
  readonly clique?: string;
}

export interface GpuDescription {
  /** Product name as NVML and nvidia-smi print it: `NVIDIA A100-SXM4-40GB`. */
  readonly name: string;
  /** Whole memory in MiB. */
  readonly memoryMiB: number;
  readonly computeCapability: readonly [major: number, minor: number];
  readonly migCapable: boolean;
  /** The current mode, not the pending one. */
  readonly migEnabled: boolean;
  /** PCI class as sysfs prints it: `0x030200`. Absent if it was not read; `gpu.mode` is then left out. */
  readonly pciClass?: string;
  /** In NVML's order. Empty unless MIG is enabled. */
  readonly migDevices: readonly MigDeviceDescription[];
}

/** One MIG device: a compute instance with its GPU instance. */
export interface MigDeviceDescription {
  /** Name as NVML gives it: `1g.5gb`, `1g.10gb+me`, `1c.3g.20gb`. */
  readonly profile: string;
  readonly attributes: MigAttributes;
}

export const MIG_ATTRIBUTE_NAMES = [
  /** MiB. Driver versions report different numbers for one profile, so it is read, never derived. */
  'memory',
  'multiprocessors',
  'slices.gi',
  'slices.ci',
  'engines.copy',
  'engines.decoder',
  'engines.encoder',
  'engines.jpeg',
  'engines.ofa',
] as const;

/** `nvmlDeviceGetAttributes` of a MIG device, under the names that GFD uses in labels. */
export type MigAttributes = Readonly<Record<(typeof MIG_ATTRIBUTE_NAMES)[number], number>>;
