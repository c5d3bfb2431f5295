import { isOlderDriver } from '../../../core/gpu/geometry/driver-support.ts';
import type { SimulatedGpu } from './gpu.ts';

export interface DriverVersions {
  readonly driver: string;
  readonly nvml: string;
  readonly cuda: string;
}

/** The recorded runs come from its nvidia-smi. */
const recorded = '550.163.01';

/** What ships with each branch. */
const cudaOf: Readonly<Record<string, string>> = {
  '550': '12.4',
  '570': '12.8',
  '575': '12.9',
  '580': '13.0',
  '595': '13.2',
};

/** The driver of a node: the recorded one, or the first that supports MIG on all of its GPUs if that is later. */
export function driverOf(gpus: readonly SimulatedGpu[]): DriverVersions {
  const needed = gpus.flatMap(({ board }) => board.model?.minDriver ?? []);
  const driver = needed.reduce((latest, one) => (isOlderDriver(latest, one) ? one : latest), recorded);
  const [branch = '', minor = ''] = driver.split('.');
  return { driver, nvml: `${branch}.${minor}`, cuda: cudaOf[branch] ?? '13.0' };
}
