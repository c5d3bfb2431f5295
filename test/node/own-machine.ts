import { existsSync } from 'node:fs';
import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import { imageArchive } from './containerd.ts';
import { findLack, findObstacle, runOnNode } from './namespaces.ts';
import { findPackages, PackagesMissing } from './packages.ts';

/** What became of a command that wants a machine of its own. */
export type OwnRun = { readonly code: number } | { readonly skipped: string };

/**
 * Runs a command where it may start a real kubelet, with all that this needs in the cache.
 *
 * @returns why not, where this machine does not allow it
 */
export async function runOnOwnMachine(command: readonly string[]): Promise<OwnRun> {
  const obstacle = await findObstacle();
  if (obstacle !== undefined) return { skipped: obstacle };
  if (!existsSync(imageArchive)) return { skipped: `there is no ${imageArchive}: make image writes it` };
  try {
    const packages = await findPackages();
    const { kubelet, folder } = await findControlPlane({
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
    if (kubelet === undefined) return { skipped: `there is no kubelet in ${folder}` };
    const lack = await findLack(packages);
    return lack === undefined ? { code: await runOnNode(command, packages) } : { skipped: lack };
  } catch (error) {
    if (error instanceof PackagesMissing) return { skipped: error.message };
    throw error;
  }
}
