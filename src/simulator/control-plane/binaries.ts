import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { buildControlPlane } from './build.ts';
import { cacheRoot, expectBuildSeconds, findFault } from './cache.ts';
import { readGoModule } from './go-module.ts';
import type { GoModule } from './go-module.ts';
import { findGo, goMissing } from './go-toolchain.ts';
import type { GoToolchain } from './go-toolchain.ts';
import { takeLock } from './lock.ts';
import { binariesIn, findAssets } from './programs.ts';
import type { Binaries } from './programs.ts';
import { reportProgress } from './progress.ts';
import type { OnProgress } from './progress.ts';

/**
 * Kubernetes' own programs: from `KUBEBUILDER_ASSETS` if that is set, else from the cache, which builds them first
 * if they are missing or broken.
 *
 * @throws ControlPlaneError that says in one sentence what is missing and how to get it.
 */
export async function findControlPlane({ onProgress }: { readonly onProgress?: OnProgress } = {}): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && assets !== '') return findAssets(assets);
  const module = await readGoModule();
  const root = cacheRoot();
  const go = await findGo(module);
  if (go === undefined) return findBuilt(module, root);
  const folder = join(root, folderName(module, go));
  if ((await findFault(folder)) !== undefined) await buildOnce(module, go, folder, onProgress);
  return binariesIn(folder);
}

function folderName(module: GoModule, go: GoToolchain): string {
  return `${module.kubernetes}-${module.hash}-${go.version}-${go.platform}`;
}

/** Concurrent callers, in this process or another, wait for the first and use its build. */
async function buildOnce(
  module: GoModule,
  go: GoToolchain,
  folder: string,
  onProgress: OnProgress | undefined,
): Promise<void> {
  const root = join(folder, '..');
  await mkdir(root, { recursive: true });
  const expectedSeconds = await expectBuildSeconds(root);
  let waiting: Disposable | undefined;
  await using _lock = await takeLock(`${folder}.lock`, (startedAt) => {
    waiting ??= reportProgress(onProgress, 'waiting', startedAt, expectedSeconds);
  });
  waiting?.[Symbol.dispose]();
  if ((await findFault(folder)) === undefined) return;
  using _building = reportProgress(onProgress, 'building', Date.now(), expectedSeconds);
  await buildControlPlane(module, go, folder);
}

/** A machine without Go can still have a cache (a CI runner that restored it): a build by any Go version will do. */
async function findBuilt(module: GoModule, root: string): Promise<Binaries> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const isOurs = name.startsWith(`${module.kubernetes}-${module.hash}-`) && !name.includes('.building-');
    const folder = join(root, name);
    if (isOurs && (await findFault(folder)) === undefined) return binariesIn(folder);
  }
  throw goMissing(module);
}
