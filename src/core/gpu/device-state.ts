// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for the shape of a reading, who is on a GPU, every way in which work on a device can fail, and what to do about it.
import type { InstanceReport } from '../../api/types.ts';
import type { Engines, Geometry } from './geometry.ts';
import { placeOf } from './grid.ts';

/** Why a reading has no such GPU. */
function explainAbsence(device: DeviceState, uuid: string): DeviceError {
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

export type MigMode = 'Enabled' | 'Disabled';

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
  /** Whether persistence mode keeps the GPU open; absent if the driver does not report it. */
  readonly isPersistent?: boolean;
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

/**
 * Every way in which a device operation can fail: what it means, what a person can do, and what it affects.
 * `scope: 'Node'` means that nothing more should be tried on the node for now, `'Gpu'` that the other GPUs can proceed.
 */
const table = {
  InUse: {
    scope: 'Gpu',
    advice:
      'end the processes or evict the pods that use it; if there are none, a monitoring client (DCGM exporter) may hold a handle: restart it',
  },
  NoRoom: { scope: 'Gpu', advice: 'something else took the place; read the GPU again and plan again' },
  Pending: {
    scope: 'Gpu',
    advice:
      'stop all clients of the GPU, then apply again; if there are none, host services (dcgm, nvsm, Fabric Manager, an X server) hold it, or ' +
      'the module nvidia_drm does (lsmod)',
  },
  ResetRequired: {
    scope: 'Gpu',
    advice: 'allow a reset of this GPU (allow.gpuReset) or reset it while nothing uses it',
  },
  RebootRequired: { scope: 'Gpu', advice: 'drain and reboot the node; resetting a single GPU does not help here' },
  Unhealthy: {
    scope: 'Gpu',
    advice: 'the GPU is left alone: drain the node and check the GPU (nvidia-smi -q), then reset or replace it',
  },
  VgpuHost: {
    scope: 'Gpu',
    advice: 'the GPU is left alone: take it out of the layout, or out of vGPU mode',
  },
  GpuLost: {
    scope: 'Gpu',
    advice: 'the GPU does not respond; drain and reboot the node, and look for Xid 79 in the kernel log',
  },
  GpuMissing: {
    scope: 'Gpu',
    advice: 'the node no longer has this GPU; it was replaced or its driver does not show it',
  },
  NotSupported: { scope: 'Gpu', advice: 'this GPU or its driver does not support it' },
  UnknownProfile: { scope: 'Gpu', advice: 'choose a profile of the live table (nvidia-smi mig -lgip)' },
  DoesNotFit: { scope: 'Gpu', advice: 'choose a layout that fits the GPU; nothing was touched' },
  ForeignInstance: { scope: 'Gpu', advice: 'set allow.replaceForeignInstances to replace it; nothing was touched' },
  NothingDone: {
    scope: 'Gpu',
    advice: 'the driver reported success and did nothing; try again later, then check the kernel log',
  },
  TimedOut: {
    scope: 'Node',
    advice: 'the driver is slow or hangs; if it is slow, raise the limit with the named option',
  },
  DriverFailed: { scope: 'Gpu', advice: 'check the kernel log (dmesg) for NVRM and Xid lines' },
  Stopped: { scope: 'Node', advice: 'the next grant continues; the device is as reported' },
  Unresponsive: {
    scope: 'Node',
    advice: 'an nvidia-smi process cannot be killed: the driver hangs; drain and reboot the node',
  },
  DriverMismatch: {
    scope: 'Node',
    advice: 'library and kernel module have different versions: reload the driver or reboot the node',
  },
  DriverUnavailable: { scope: 'Node', advice: 'wait until the driver is loaded, or install it' },
  NotPermitted: { scope: 'Node', advice: 'run as root, with /dev/nvidia-caps visible' },
  ToolMissing: {
    scope: 'Node',
    advice: 'install it or name its place; nvidia-smi comes with the driver (--nvidia-smi, --driver-root)',
  },
  ToolBlocked: {
    scope: 'Node',
    advice:
      'the file is there and may not be run: check its mode, whether its file system is mounted noexec, the security module (SELinux, ' +
      'AppArmor), and whether it is for this architecture',
  },
  HostExhausted: {
    scope: 'Node',
    advice:
      'free what the node or the pod is short of (limits of the pod, pids.max, ulimit -n, memory); it is tried again',
  },
  ParseError: {
    scope: 'Node',
    advice: 'nothing is changed based on output that is not understood; report this output with the driver version',
  },
  Unstable: {
    scope: 'Gpu',
    advice:
      'readings of the driver contradict each other: something else changes the GPUs at the same time, or part of an answer was lost; they are read again later',
  },
  JournalUnavailable: { scope: 'Node', advice: 'make the state directory of the agent writable and free space on it' },
  Locked: { scope: 'Node', advice: 'another agent is working on this node; waiting for it' },
} as const satisfies Record<string, { readonly scope: 'Gpu' | 'Node'; readonly advice: string }>;

export type DeviceErrorCode = keyof typeof table;

interface DeviceErrorDetails {
  /** The command, or a phrase, that was tried. */
  readonly tried: string;
  /** What was found instead, in the driver's words if there are any. */
  readonly found: string;
  /** PCI bus id, or UUID if no bus id is known. */
  readonly gpu?: string | undefined;
  /** `3g.20gb at 4 (GPU instance 2)` */
  readonly instance?: string | undefined;
  /** Processes or pods in the way: `pid 4242 (python3 train.py)`. */
  readonly holders?: readonly string[];
  readonly cause?: unknown;
}

/** A failed device operation, and what to do about it. */
export class DeviceError extends Error {
  static readonly codes: readonly DeviceErrorCode[] = Object.keys(table) as DeviceErrorCode[];
  override readonly name = 'DeviceError';
  readonly code: DeviceErrorCode;
  readonly tried: string;
  readonly found: string;
  readonly advice: string;
  /** The message without its code and GPU. */
  readonly explanation: string;
  readonly gpu: string | undefined;
  readonly instance: string | undefined;
  readonly holders: readonly string[];

  constructor(code: DeviceErrorCode, details: DeviceErrorDetails) {
    const explanation = describe(code, details);
    const where = [
      details.gpu === undefined ? '' : ` on GPU ${details.gpu}`,
      details.instance === undefined ? '' : `, ${details.instance}`,
    ];
    super(
      `${code}${where.join('')}: ${explanation}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.explanation = explanation;
    this.tried = details.tried;
    this.found = details.found;
    this.advice = table[code].advice;
    this.gpu = details.gpu;
    this.instance = details.instance;
    this.holders = details.holders ?? [];
  }

  /** True if nothing more should be tried on the whole node for now. */
  get stopsNode(): boolean {
    return table[this.code].scope === 'Node';
  }
}

function describe(code: DeviceErrorCode, { tried, found, holders = [] }: DeviceErrorDetails): string {
  const more = holders.length > 4 ? ` and ${holders.length - 4} more` : '';
  const who = holders.length === 0 ? '' : `; used by ${holders.slice(0, 4).join(', ')}${more}`;
  return `tried ${tried}; found ${found}${who}; ${table[code].advice}`;
}

/** A device error as shown by a program on the host. */
interface HostFault {
  readonly code: DeviceErrorCode;
  /** What was tried, what was found, who is in the way, what to do. */
  readonly message: string;
}

/** The driver's advice names a policy's fields where the command has options, or another meaning. */
const ADVICE: Partial<Readonly<Record<DeviceErrorCode, string>>> = {
  ResetRequired: 'allow a reset of this GPU with --allow-gpu-reset, or reset it while nothing uses it',
  RebootRequired: 'reboot this machine, then run this again; resetting a single GPU does not help here',
  ForeignInstance:
    'the GPU changed after the plan was printed, or has an instance that its driver lists no profile for; look at it and run this again',
  Stopped: 'run this again: it continues from the current state',
  Locked: 'wait until the other one is done; where an agent runs on this node, it holds the lock as long as it runs',
  JournalUnavailable: 'name a folder that this user may write with --state-dir, or free space on it',
};

export function explainFault(error: DeviceError): HostFault {
  const { code, message, advice } = error;
  return { code, message: message.replace(advice, ADVICE[code] ?? advice) };
}
