import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { startComponent, waitUntilReady, type Component } from '../../src/simulator/control-plane/components.ts';
import { type Guard, runProgram } from '../../src/simulator/control-plane/run.ts';
import { writeImageArchive } from './image-archive.ts';
import { describeImages } from './images.ts';
import { containerdSocket, nodeFolder } from './node-config.ts';
import type { NodePackages } from './packages.ts';

/** Starts containerd and gives it all images. */
export async function startContainerd(guard: Guard, packages: NodePackages): Promise<Component> {
  const args = ['--config', join(nodeFolder, 'containerd.toml')];
  const log = join(nodeFolder, 'containerd.log');
  const containerd = await startComponent(join(packages.tools, 'usr/bin/containerd'), args, { log, guard });
  const ctr = async (...words: readonly string[]): Promise<string | undefined> => {
    const { code, stderr } = await runProgram('ctr', ['-a', containerdSocket, ...words]);
    return code === 0 ? undefined : stderr;
  };
  const folder = join(nodeFolder, 'images');
  const archive = await writeImageArchive(await describeImages(packages, folder), folder);
  await waitUntilReady(containerd, async () => (await ctr('version')) === undefined);
  const failure = await ctr('-n', 'k8s.io', 'images', 'import', archive);
  if (failure !== undefined) throw new Error(`the images cannot be imported: ${failure}`);
  await rm(folder, { recursive: true });
  return containerd;
}
