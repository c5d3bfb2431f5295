import { DeviceError } from './device-error.ts';
import type { DeviceState, GpuState } from './device-state.ts';

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
