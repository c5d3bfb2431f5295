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
