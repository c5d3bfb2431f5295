import { DeviceError } from '../errors.ts';

/**
 * What cannot be true at one moment: the GPU changed while it was read, or part of an answer was lost. Never the smaller of the two;
 * it is read again.
 */
export function contradict(tried: string, found: string, gpu?: string): DeviceError {
  return new DeviceError('Unstable', { tried, found, ...(gpu === undefined ? {} : { gpu }) });
}
