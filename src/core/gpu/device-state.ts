// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for the shape of a reading, and who is on a GPU.
import { DeviceError, type DeviceErrorCode } from './device-error.ts';
import type { InstanceReport } from '../../api/types.ts';
import type { Engines, Geometry } from './geometry.ts';
import { nameWhole } from './profiles.ts';
import type { MigMode, ViewedInstance } from './plan.ts';
import { placeOf } from './grid.ts';

/** Why a reading has no such GPU. */
export function explainAbsence(device: DeviceState, uuid: string): DeviceError {
  const lost = device.lost.find((gpu) => gpu.uuid === uuid);
  const tried = 'to find the GPU';
  if (lost !== undefined)
    return new DeviceError(lost.fault.code, { tried, found: lost.fault.message, gpu: lost.pciBusId });
  // After a restart, it is unknown which GPU a lost one was.
  const [other] = device.lost.filter((gpu) => gpu.uuid === undefined);
  if (other !== undefined) {
    const found = `not among those that answer; ${other.pciBusId} does not: ${other.fault.message}`;
    return new DeviceError('GpuLost', { tried, found, gpu: uuid });
  }
  return new DeviceError('GpuMissing', { tried, found: `${device.gpus.length} other GPUs`, gpu: uuid });
}

/** @throws DeviceError if a reading has no such GPU */
export function demandGpu(device: DeviceState, uuid: string): GpuState {
  const gpu = device.gpus.find((one) => one.uuid === uuid);
  if (gpu !== undefined) return gpu;
  throw explainAbsence(device, uuid);
}

type ComputeInstanceReport = NonNullable<InstanceReport['computeInstances']>[number];

/** The compute instances of a reported GPU instance: a report lists them only where they are not one that takes all of it. */
export function computeInstancesOf(
  instance: Pick<InstanceReport, 'profile' | 'uuid' | 'computeInstances'>,
): readonly ComputeInstanceReport[] {
  const { profile, uuid, computeInstances } = instance;
  return computeInstances ?? [{ profile, ...(uuid !== undefined && { uuid }) }];
}

export type { MigMode };

/** The state that the driver of one node shows. GPUs that do not answer are in `lost`: unknown is not empty. */
export interface DeviceState {
  readonly driverVersion: string;
  /** CUDA version as `nvidia-smi -q` prints it (`12.4`); undefined if the driver does not print it. */
  readonly cudaVersion: string | undefined;
  /** GPUs by index. */
  readonly gpus: readonly GpuState[];
  readonly lost: readonly LostGpu[];
}

export interface GpuState {
  readonly index: number;
  /** Number of its device file, `/dev/nvidiaN`; absent where it is the index, or not reported. */
  readonly minor?: number;
  /** `GPU-...`; names the GPU for people and objects, never in a command. */
  readonly uuid: string;
  /** `00000000:07:00.0`; addresses the GPU in every command. */
  readonly pciBusId: string;
  /** Vendor and device as `0x20B010DE`; undefined if the driver does not report them. */
  readonly pciDeviceId: string | undefined;
  /** `0x030200` (3D controller) or `0x030000` (display); undefined if the driver does not report it. */
  readonly pciClass: string | undefined;
  /** Product as nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`. */
  readonly product: string;
  /** 0 if the GPU has no memory of its own (Thor). */
  readonly memoryMiB: number;
  /** `8.0`; undefined if the driver does not report it. */
  readonly computeCapability: string | undefined;
  readonly migCapable: boolean;
  /** MIG mode; undefined if the GPU does not support MIG, or does not report the mode (then `fault` is set). */
  readonly mig: { readonly current: MigMode; readonly pending: MigMode } | undefined;
  /** Instances by start. */
  readonly instances: readonly GpuInstanceState[];
  /** The driver's own table (`-lgip`, `-lgipp`); undefined if the GPU does not support MIG. The same object while the table is the same. */
  readonly geometry: Geometry | undefined;
  readonly tableSource: TableSource;
  /** Processes that run on the GPU but on no instance. */
  readonly processes: readonly ProcessState[];
  /** The problem that the driver reports; undefined if there is none. */
  readonly health: GpuHealth | undefined;
  /**
   * Set if the GPU serves virtual machines, whose processes this node cannot see, or is one of a virtual machine, whose slices its host
   * makes: the driver's own description.
   */
  readonly vgpuHost: string | undefined;
  /** Why the reading of the GPU cannot be trusted; undefined if it can. */
  readonly fault: GpuFault | undefined;
}

/**
 * The source of a GPU's table of profiles. Drivers up to 535 may show a GPU's own only while its MIG mode is on. Until then that of a GPU
 * of the same model on the node serves, or else the built-in one, and the own one decides before anything is created.
 */
type TableSource = 'Own' | 'SameModel' | 'BuiltIn';

/** A GPU instance. */
export interface GpuInstanceState {
  /** `3g.20gb` */
  readonly profile: string;
  readonly profileId: number;
  /** GPU instance id. Which id belongs to which start differs between GPUs: it does not tell the placement. */
  readonly id: number;
  /** First placement unit. */
  readonly start: number;
  readonly size: number;
  /** Compute instances by id; empty if the instance is not usable yet. */
  readonly computeInstances: readonly ComputeInstanceState[];
  readonly processes: readonly ProcessState[];
}

/** A compute instance: what CUDA and the device plugin call a MIG device. */
export interface ComputeInstanceState {
  readonly id: number;
  /** `3g.20gb`, or `1c.3g.20gb` if it is a part of its GPU instance. */
  readonly profile: string;
  /** `MIG-...`; the same again after destroy and create at the same placement. Undefined if only one GPU was read. */
  readonly uuid: string | undefined;
  /** The source of GPU Feature Discovery's labels; undefined if only instances were read. */
  readonly attributes: ComputeInstanceAttributes | undefined;
}

interface ComputeInstanceAttributes {
  readonly memoryMiB: number;
  readonly multiprocessors: number;
  readonly engines: Engines;
  readonly slices: { readonly gpuInstance: number; readonly computeInstance: number };
}

export interface ProcessState {
  /** Process id; undefined for an unlisted user, which only memory in use reveals, and for one that cannot be ruled out. */
  readonly pid: number | undefined;
  readonly name: string;
  /** The compute instance that it runs on; undefined if the driver does not report it. */
  readonly computeInstance?: number;
}

/** A GPU that the driver lists but cannot open. Earlier knowledge about it is kept. */
export interface LostGpu {
  readonly pciBusId: string;
  readonly uuid: string | undefined;
  readonly index: number | undefined;
  readonly product: string | undefined;
  /** Instances as last read: whoever holds one of them holds nothing else. */
  readonly instances: readonly GpuInstanceState[];
  readonly fault: GpuFault;
}

interface GpuHealth {
  /** The remedy; `Unknown` for an unknown word of the driver. */
  readonly action: 'Drain' | 'Reset' | 'Reboot' | 'Replace' | 'Unknown';
  /** The finding in the driver's words if there are any. */
  readonly message: string;
}

export interface GpuFault {
  readonly code: DeviceErrorCode;
  /** The fault in the driver's words. */
  readonly message: string;
}

/** Why a GPU of vGPU is left alone, from the driver's description of it. */
export function describeVgpu(words: string): string {
  if (/^vgpu/i.test(words)) return `is a virtual GPU (${words})`;
  return /^(?:host v|sr-iov|non)/i.test(words)
    ? `serves virtual machines (${words})`
    : `may serve virtual machines (${words}, a virtualization mode that this version does not know)`;
}

/**
 * The instances of a GPU, as input for the planner.
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
 * True if a process runs on the instance or somebody holds it, or may: on a GPU in MIG mode, a process whose instance the driver
 * does not report may be on any.
 */
export function isBusy(gpu: GpuState, instance: GpuInstanceState, held: ReadonlySet<string> = new Set()): boolean {
  return (
    instance.processes.length > 0 ||
    gpu.processes.length > 0 ||
    held.has(gpu.uuid) ||
    instance.computeInstances.some(({ uuid }) => uuid !== undefined && held.has(uuid))
  );
}

/** UUIDs of all GPUs of a node, and of the MIG devices on them. */
export function listUuids({ gpus, lost }: DeviceState): ReadonlySet<string> {
  const all = [...gpus, ...lost];
  const parts = all.flatMap(({ instances }) => instances.flatMap(({ computeInstances }) => computeInstances));
  return new Set([...all, ...parts].flatMap(({ uuid }) => uuid ?? []));
}

/** The key of the users of a GPU outside of its instances, or of one instance. */
export function userKey(gpuUuid: string, instance?: Pick<InstanceReport, 'profile' | 'start'>): string {
  return instance ? `${gpuUuid} ${placeOf(instance)}` : gpuUuid;
}

const longestName = 64;

/** A process in a message. A process chooses its own name: characters that would move a terminal's cursor are removed. */
export function describeProcess({ pid, name }: { readonly pid: number | undefined; readonly name: string }): string {
  const plain = name.replaceAll(/\p{C}+/gu, ' ').trim();
  if (pid === undefined) return plain;
  return `pid ${pid} (${plain.length > longestName ? `${plain.slice(0, longestName - 1)}…` : plain})`;
}
