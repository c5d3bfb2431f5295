import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { startComponent, waitUntilReady, type Component } from '../../src/simulator/control-plane/components.ts';
import { type Guard, runProgram } from '../../src/simulator/control-plane/run.ts';
import { projectRoot } from '../../src/simulator/rig/process.ts';
import { writeImageArchive } from './image-archive.ts';
import { describeImages } from './images.ts';
import { containerdSocket, nodeFolder } from './node-config.ts';
import type { NodePackages } from './packages.ts';

/** Our image, as `make image` writes it, and the name that config/ has for it. */
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
export const imageArchive = join(projectRoot, `dist/image-linux-${architecture}.tar`);
const imageNames = (version: string) =>
  [version, 'dev'].map((tag) => `docker.io/library/gpu-partition-operator:${tag}`);

/** Gives the node's containerd the images of an archive. @throws Error with ctr's message */
export async function importImages(archive: string): Promise<void> {
  await runCtr('-n', 'k8s.io', 'images', 'import', archive);
}

async function runCtr(...words: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram('ctr', ['-a', containerdSocket, ...words]);
  if (code !== 0) throw new Error(`ctr ${words.join(' ')}: ${stderr}`);
}

/** Starts containerd and gives it all images. */
export async function startContainerd(guard: Guard, packages: NodePackages): Promise<Component> {
  const args = ['--config', join(nodeFolder, 'containerd.toml')];
  const log = join(nodeFolder, 'containerd.log');
  const containerd = await startComponent(join(packages.tools, 'usr/bin/containerd'), args, { log, guard });
  const folder = join(nodeFolder, 'images');
  const archive = await writeImageArchive(await describeImages(packages, folder), folder);
  const isThere = () =>
    runCtr('version').then(
      () => true,
      () => false,
    );
  await waitUntilReady(containerd, isThere);
  await importImages(archive);
  await importImages(imageArchive);
  const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  await runCtr('-n', 'k8s.io', 'images', 'tag', ...imageNames(version));
  await rm(folder, { recursive: true });
  return containerd;
}
