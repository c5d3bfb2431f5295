import type { Engines, Geometry } from '../../core/gpu/geometry/geometry.ts';
import { nameWhole } from '../../core/gpu/geometry/profile-name.ts';
import type { MigMode, ViewedInstance } from '../../core/gpu/plan/gpu-view.ts';
import type { DeviceErrorCode } from '../errors.ts';

export type { MigMode };

/** What the driver of one node shows. GPUs that do not answer are in `lost`: unknown is not empty. */
export interface DeviceState {
  readonly driverVersion: string;
  /** As `nvidia-smi -q` prints it (`12.4`); undefined where the driver does not. */
  readonly cudaVersion: string | undefined;
  /** By index. */
  readonly gpus: readonly GpuState[];
  readonly lost: readonly LostGpu[];
}

export interface GpuState {
  readonly index: number;
  /** `GPU-...`; names the GPU for people and objects, never in a command. */
  readonly uuid: string;
  /** `00000000:07:00.0`; addresses the GPU in every command. */
  readonly pciBusId: string;
  /** Vendor and device as `0x20B010DE`; undefined where the driver does not tell. */
  readonly pciDeviceId: string | undefined;
  /** `0x030200` (3D controller) or `0x030000` (display); undefined where the driver does not tell. */
  readonly pciClass: string | undefined;
  /** As nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`. */
  readonly product: string;
  /** 0 where the GPU has no memory of its own (Thor). */
  readonly memoryMiB: number;
  /** `8.0`; undefined where the driver does not tell. */
  readonly computeCapability: string | undefined;
  readonly migCapable: boolean;
  /** Undefined where the GPU does not support MIG, or does not say (then `fault` is set). */
  readonly mig: { readonly current: MigMode; readonly pending: MigMode } | undefined;
  /** By start. */
  readonly instances: readonly GpuInstanceState[];
  /** The driver's own table (`-lgip`, `-lgipp`); undefined where the GPU does not support MIG. The same object as long as the table is the same. */
  readonly geometry: Geometry | undefined;
  /** True where the driver tells its table only with MIG mode on, and that is off: `geometry` is what is known of the model. */
  readonly isTableBuiltIn: boolean;
  /** Processes that run on the GPU and on no instance. */
  readonly processes: readonly ProcessState[];
  /** What the driver says is wrong with it; undefined where nothing is. */
  readonly health: GpuHealth | undefined;
  /** Set where the GPU serves virtual machines, whose processes no list of this node has: what the driver says of it. */
  readonly vgpuHost: string | undefined;
  /** Why what is said of the GPU cannot be trusted; undefined when it can. */
  readonly fault: GpuFault | undefined;
}

/** A GPU instance. */
export interface GpuInstanceState {
  /** `3g.20gb` */
  readonly profile: string;
  readonly profileId: number;
  /** GPU instance id. Which id belongs to which start differs between GPUs: it says nothing of the place. */
  readonly id: number;
  /** First placement unit. */
  readonly start: number;
  readonly size: number;
  /** By id; empty if the instance cannot be used yet. */
  readonly computeInstances: readonly ComputeInstanceState[];
  readonly processes: readonly ProcessState[];
}

/** A compute instance: what CUDA and the device plugin call a MIG device. */
export interface ComputeInstanceState {
  readonly id: number;
  /** `3g.20gb`, or `1c.3g.20gb` where it is a part of its GPU instance. */
  readonly profile: string;
  /** `MIG-...`; the same again after destroy and create at the same place. Undefined where only one GPU was read. */
  readonly uuid: string | undefined;
  /** What GPU Feature Discovery makes labels of; undefined where only instances were read. */
  readonly attributes: ComputeInstanceAttributes | undefined;
}

export interface ComputeInstanceAttributes {
  readonly memoryMiB: number;
  readonly multiprocessors: number;
  readonly engines: Engines;
  readonly slices: { readonly gpuInstance: number; readonly computeInstance: number };
}

export interface ProcessState {
  /** Undefined for somebody who is not listed, and shows by the memory that is in use. */
  readonly pid: number | undefined;
  readonly name: string;
  /** Compute instance that it runs on; undefined where the driver does not tell. */
  readonly computeInstance?: number;
}

/** A GPU that the driver lists but cannot open. What was known of it before is kept. */
export interface LostGpu {
  readonly pciBusId: string;
  readonly uuid: string | undefined;
  readonly index: number | undefined;
  readonly product: string | undefined;
  /** As they were read last: who holds one of them holds nothing else. */
  readonly instances: readonly GpuInstanceState[];
  readonly fault: GpuFault;
}

export interface GpuHealth {
  /** What helps; `Unknown` for a word of the driver that nobody knows. */
  readonly action: 'Drain' | 'Reset' | 'Reboot' | 'Replace' | 'Unknown';
  /** In the driver's words where it has any. */
  readonly message: string;
}

export interface GpuFault {
  readonly code: DeviceErrorCode;
  /** The driver's words. */
  readonly message: string;
}

/**
 * The instances of a GPU as the planner takes them.
 *
 * @param held UUIDs of MIG devices, or of the whole GPU, that somebody holds without running a process: pods in PodResources
 */
export function toInstances(gpu: GpuState, held: ReadonlySet<string> = new Set()): readonly ViewedInstance[] {
  return gpu.instances.map((instance) => ({
    profile: instance.profile,
    start: instance.start,
    size: instance.size,
    busy: isBusy(gpu, instance, held),
    computeInstances: instance.computeInstances.map((part) => nameWhole(part.profile, instance.profile)),
  }));
}

/**
 * True if a process runs on the instance or somebody holds it, or may: a process of a GPU in MIG mode whose instance the driver does not
 * tell may be on any.
 */
export function isBusy(gpu: GpuState, instance: GpuInstanceState, held: ReadonlySet<string> = new Set()): boolean {
  return (
    instance.processes.length > 0 ||
    gpu.processes.length > 0 ||
    held.has(gpu.uuid) ||
    instance.computeInstances.some(({ uuid }) => uuid !== undefined && held.has(uuid))
  );
}
