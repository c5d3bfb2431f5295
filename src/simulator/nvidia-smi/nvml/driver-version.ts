import { isOlderDriver } from '../../../core/gpu/geometry/model-lookup.ts';
import type { SimulatedGpu } from './gpu.ts';

export interface DriverVersions {
  readonly driver: string;
  readonly nvml: string;
  readonly cuda: string;
  /** Whether `-lgip` and `-lgipp` show a GPU whose MIG mode is off. */
  readonly listsWithMigOff: boolean;
}

/** The branches that a node can be given: those of which a public transcript shows something different. */
const versions = { '530': '530.30.02', '550': '550.163.01' } as const;

export type DriverBranch = keyof typeof versions;

/** The branch whose nvidia-smi was recorded; the default. */
export const recordedBranch: DriverBranch = '550';

/** What ships with each branch. */
const cudaOf: Readonly<Record<string, string>> = {
  '530': '12.1',
  '550': '12.4',
  '570': '12.8',
  '575': '12.9',
  '580': '13.0',
  '595': '13.2',
};

/** 530.30.02 answers `No MIG-enabled devices found.` */
const listsOnlyWithMigOn: ReadonlySet<string> = new Set(['530']);

/** @throws RangeError for a branch that is not simulated */
export function parseBranch(text: string): DriverBranch {
  if (isBranch(text)) return text;
  throw new RangeError(
    `NVIDIA_SMI_SIM_DRIVER is ${JSON.stringify(text)}, and these branches are simulated: ${Object.keys(versions).join(', ')}`,
  );
}

function isBranch(text: string): text is DriverBranch {
  return Object.hasOwn(versions, text);
}

/** The driver of a node: that of its branch, or the first that supports MIG on all of its GPUs if that is later. */
export function driverOf(gpus: readonly SimulatedGpu[], wanted: DriverBranch = recordedBranch): DriverVersions {
  const needed = gpus.flatMap(({ board }) => board.model?.minDriver ?? []);
  const driver = needed.reduce<string>((latest, one) => (isOlderDriver(latest, one) ? one : latest), versions[wanted]);
  const [branch = '', minor = ''] = driver.split('.');
  return {
    driver,
    nvml: `${branch}.${minor}`,
    cuda: cudaOf[branch] ?? '13.0',
    listsWithMigOff: !listsOnlyWithMigOn.has(branch),
  };
}
