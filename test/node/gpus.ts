import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { writeNvidiaSmiWrapper } from '../../src/simulator/nvidia-smi/wrapper.ts';
import { projectRoot } from '../../src/simulator/rig/process.ts';

/** Where gpu-operator's driver container has its files. */
export const driverRoot = '/run/nvidia/driver';

/** Files of the simulator, as they are called inside the driver root. */
const inside = { folder: '/simulator', state: '/simulator/state', faults: '/simulator/faults', log: '/simulator/log' };

export const gpus = ['NVIDIA A100-SXM4-40GB', 'NVIDIA A100-SXM4-40GB'] as const;
const seed = 'real-node';

/** Folder of the state on the node, and the variables by which a pod that has it at the same path finds it. */
export const simulatorFolder = join(driverRoot, inside.folder);
export const simulatorVariables = {
  NVIDIA_SMI_SIM_GPUS: gpus.join(','),
  NVIDIA_SMI_SIM_SEED: seed,
  NVIDIA_SMI_SIM_STATE: join(simulatorFolder, 'state'),
} as const;
/** See the simulated device plugin. */
export const unhealthyFile = join(simulatorFolder, 'unhealthy');
export const faultsFile = join(simulatorFolder, 'faults');
/** One line for each command and for each change of the device. */
export const operationsFile = join(simulatorFolder, 'log');

/** A driver's container as gpu-operator's is seen on the node: a root file system in which `nvidia-smi` runs by chroot. */
export async function makeDriverRoot(base: string): Promise<void> {
  await mkdir(driverRoot, { recursive: true });
  const upper = '/run/driver-root';
  await mkdir(join(upper, 'files'), { recursive: true });
  await mkdir(join(upper, 'work'));
  const layers = `lowerdir=${base},upperdir=${upper}/files,workdir=${upper}/work`;
  const { code, stderr } = await runProgram('mount', ['-t', 'overlay', 'overlay', '-o', layers, driverRoot]);
  if (code !== 0) throw new Error(`the driver root cannot be mounted: ${stderr}`);
  await mkdir(simulatorFolder);
  const program = join(inside.folder, 'nvidia-smi-sim.mjs');
  await copyFile(join(projectRoot, 'dist/nvidia-smi-sim.mjs'), join(driverRoot, program));
  await writeFile(faultsFile, '');
  writeNvidiaSmiWrapper(join(driverRoot, 'usr/bin'), {
    gpus,
    seed,
    stateFile: inside.state,
    faultsFile: inside.faults,
    logFile: inside.log,
    program,
    node: '/usr/local/bin/node',
  });
}

/** Whole GPUs without MIG, as a new machine has them. */
export async function makeGpusWhole(): Promise<void> {
  await rm(join(simulatorFolder, 'state'), { force: true });
}
