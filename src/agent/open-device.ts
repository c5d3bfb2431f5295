import { DeviceError } from '../device/errors.ts';
import { openNvidiaSmi } from '../device/nvidia-smi.ts';
import type { Logger } from '../process/logger.ts';
import type { Device } from './device.ts';

export interface DeviceOptions {
  readonly nvidiaSmi?: string;
  readonly driverRoot?: string;
  readonly stateDir?: string;
}

export async function openDevice(options: DeviceOptions, logger: Logger, _signal: AbortSignal): Promise<Device> {
  logger.debug('opening', {});
  const smi = openNvidiaSmi({
    ...(options.nvidiaSmi === undefined ? {} : { path: options.nvidiaSmi }),
    ...(options.driverRoot === undefined ? {} : { driverRoot: options.driverRoot }),
  });
  return {
    read: () => smi.readDevice(),
    apply: async () => {
      throw new DeviceError('NotSupported', { tried: 'apply', found: 'nothing yet' });
    },
  };
}
