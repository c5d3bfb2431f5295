import { DeviceError } from '../gpu/state/device-error.ts';

/**
 * What cannot be true at the same time: the GPU changed during the reading, or part of an answer was lost. The smaller part is never
 * trusted; everything is read again.
 */
export function contradict(tried: string, found: string, gpu?: string): DeviceError {
  return new DeviceError('Unstable', { tried, found, ...(gpu === undefined ? {} : { gpu }) });
}
