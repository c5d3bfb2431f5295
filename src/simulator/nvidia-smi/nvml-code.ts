/** The calls that the simulator makes, without `nvml`; `Run` is the start of a command. */
export const nvmlCalls = [
  'Run',
  'Init',
  'DeviceGetHandleByIndex_v2',
  'DeviceGetMigMode',
  'DeviceSetMigMode',
  'DeviceGetMemoryInfo',
  'DeviceGetHealth',
  'DeviceGetComputeRunningProcesses',
  'DeviceGetPersistenceMode',
  'DeviceSetPersistenceMode',
  'DeviceGetVirtualizationMode',
  'DeviceGetGpuInstanceProfileInfo',
  'DeviceGetGpuInstancePossiblePlacements',
  'DeviceGetGpuInstances',
  'DeviceCreateGpuInstance',
  'DeviceCreateGpuInstanceWithPlacement',
  'GpuInstanceDestroy',
  'GpuInstanceCreateComputeInstance',
  'GpuInstanceCreateComputeInstanceWithPlacement',
  'ComputeInstanceDestroy',
  'GpuReset',
] as const;

export type NvmlCall = (typeof nvmlCalls)[number];

/** Return codes of NVML (nvml.h) that the simulator uses by name. */
export const NVML = {
  invalidArgument: 2,
  notSupported: 3,
  noPermission: 4,
  notFound: 6,
  driverNotLoaded: 9,
  libraryNotFound: 12,
  corruptedInfoRom: 14,
  gpuIsLost: 15,
  libraryMismatch: 18,
  inUse: 19,
  insufficientResources: 23,
  deprecated: 26,
} as const;

/** Texts of nvmlErrorString as nvidia-smi 550 prints them (recorded by making each code fail). */
const TEXTS: ReadonlyMap<number, string> = new Map([
  [1, 'Uninitialized'],
  [2, 'Invalid Argument'],
  [3, 'Not Supported'],
  [4, 'Insufficient Permissions'],
  [5, 'Already Initialized'],
  [6, 'Not Found'],
  [7, 'Insufficient Size'],
  [8, 'Insufficient External Power'],
  [9, 'Driver Not Loaded'],
  [10, 'Timeout'],
  [11, 'Interrupt Request Issue'],
  [12, 'NVML Shared Library Not Found'],
  [13, 'Function Not Found'],
  [14, 'Corrupted infoROM'],
  [15, 'GPU is lost'],
  [16, 'GPU requires reset'],
  [17, 'GPU access blocked by the operating system'],
  [18, 'Driver/library version mismatch'],
  [19, 'In use by another client'],
  [20, 'Insufficient Memory'],
  [21, 'No data'],
  [22, 'vGPU ECC not supported'],
  [23, 'Insufficient Resources'],
  [24, 'Invalid Frequency'],
  [25, 'Argument version mismatch'],
  [26, 'Requested functionality has been deprecated'],
  [27, 'System is not in ready state'],
  [28, 'No supported GPUs were found'],
  [29, 'Resource not in correct state to perform requested operation'],
]);

/** nvidia-smi exits with these codes unchanged, and with 255 for every other one (recorded, `forms.jsonl`). */
const EXIT_CODES: ReadonlySet<number> = new Set([2, 3, 4, 6, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 23]);

export function describeNvmlCode(code: number): string {
  return TEXTS.get(code) ?? 'Unknown Error';
}

/** A call to the simulated NVML that did not return NVML_SUCCESS. */
export class NvmlFailure extends Error {
  override readonly name = 'NvmlFailure';
  readonly code: number;

  constructor(code: number) {
    super(describeNvmlCode(code));
    this.code = code;
  }

  get exitCode(): number {
    return EXIT_CODES.has(this.code) ? this.code : 255;
  }
}

/** The result of a call, or its failure. */
export function attempt<Result>(call: () => Result): Result | NvmlFailure {
  try {
    return call();
  } catch (error) {
    if (error instanceof NvmlFailure) return error;
    throw error;
  }
}
