import { isOlderDriver } from '../../../core/gpu/geometry/model-lookup.ts';
import type { SimulatedGpu } from './gpu.ts';
import { describeTraits } from './driver-traits.ts';

export type DriverVersions = ReturnType<typeof driverOf>;

/** The branches that a node can be given, each with a release of it: the recorded one of 470, 525, 535, 550 and 555. */
const versions = {
  '470': '470.256.02',
  '525': '525.147.05',
  '530': '530.30.02',
  '535': '535.274.02',
  '550': '550.163.01',
  '555': '555.58.02',
  '565': '565.57.01',
  '580': '580.173.02',
  '595': '595.58.03',
} as const;

export type DriverBranch = keyof typeof versions;

export const driverBranches: readonly DriverBranch[] = Object.keys(versions).filter(isBranch);

/** The branch of which most was recorded; the default. */
export const recordedBranch: DriverBranch = '550';

/** What ships with each branch. */
const cudaOf: Readonly<Record<string, string>> = {
  '470': '11.4',
  '525': '12.0',
  '530': '12.1',
  '535': '12.2',
  '550': '12.4',
  '555': '12.5',
  '565': '12.7',
  '570': '12.8',
  '575': '12.9',
  '580': '13.0',
  '595': '13.2',
};

/** @throws RangeError for a branch that is not simulated */
export function parseBranch(text: string): DriverBranch {
  if (isBranch(text)) return text;
  throw new RangeError(
    `NVIDIA_SMI_SIM_DRIVER is ${JSON.stringify(text)}, and these branches are simulated: ${driverBranches.join(', ')}`,
  );
}

function isBranch(text: string): text is DriverBranch {
  return Object.hasOwn(versions, text);
}

/** The driver of a node: that of its branch, or the first that supports MIG on all of its GPUs if that is later. */
export function driverOf(gpus: readonly SimulatedGpu[], wanted: DriverBranch = recordedBranch) {
  // Of some models only the branch is published.
  const needed = gpus
    .flatMap(({ board }) => board.model?.minDriver ?? [])
    .map((driver) => (isBranch(driver) ? versions[driver] : driver));
  const driver = needed.reduce<string>((latest, one) => (isOlderDriver(latest, one) ? one : latest), versions[wanted]);
  const [branch = '', minor = ''] = driver.split('.');
  const cuda = cudaOf[branch] ?? '13.0';
  return { driver, nvml: `${branch}.${minor}`, cuda, ...describeTraits(Number(branch)) };
}
