import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from '../../src/simulator/rig/process.ts';
import type { NodeImage } from './image-archive.ts';
import { pauseImage } from './node-config.ts';
import type { NodePackages } from './packages.ts';

/** The simulated device plugin and DRA driver, and what test pods run. */
export const simulatorImage = 'docker.io/library/simulator:local';

const environment = ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/** All images that the node has besides ours. `folder` is for their own layers. */
export async function describeImages({ base, tools }: NodePackages, folder: string): Promise<readonly NodeImage[]> {
  const pause = join(folder, 'pause');
  await mkdir(join(pause, 'bin'), { recursive: true });
  await copyFile(join(tools, 'bin/busybox'), join(pause, 'bin/busybox'));
  const simulator = join(folder, 'simulator');
  await mkdir(join(simulator, 'app'), { recursive: true });
  await mkdir(join(simulator, 'usr/bin'), { recursive: true });
  await copyFile(join(projectRoot, 'dist/device-plugin-sim.mjs'), join(simulator, 'app/device-plugin.mjs'));
  await copyFile(join(projectRoot, 'dist/dra-driver-sim.mjs'), join(simulator, 'app/dra-driver.mjs'));
  // The agent knows their processes by these names.
  for (const name of ['nvidia-device-plugin', 'gpu-kubelet-plugin']) {
    await symlink('/usr/local/bin/node', join(simulator, 'usr/bin', name));
  }
  return [
    { name: pauseImage, config: { Cmd: ['/bin/busybox', 'sleep', '2147483647'], Env: environment }, layers: [pause] },
    { name: simulatorImage, config: { Env: environment }, layers: [base, simulator] },
  ];
}
