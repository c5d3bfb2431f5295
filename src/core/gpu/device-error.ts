// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for every way in which work on a device can fail, and what to do about it.
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

export const deviceErrorCodes: readonly DeviceErrorCode[] = Object.keys(table) as DeviceErrorCode[];

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
