import type { DeviceReport } from '../../api/types.ts';

/** Why an agent failed, as `GPU 1: DriverFailed: tried …`; without a GPU if it is about no known one. */
export function describeFault({ error, gpus = [] }: Pick<DeviceReport, 'error' | 'gpus'>): string | undefined {
  if (error === undefined) return undefined;
  const gpu = gpus.find(({ uuid }) => uuid === error.gpu);
  const isNamed = gpu === undefined || error.message.startsWith(`GPU ${gpu.index} `);
  return `${isNamed ? '' : `GPU ${gpu.index}: `}${error.code}: ${error.message}`;
}
