import { findControlPlane } from '../../src/simulator/control-plane/binaries.ts';
import { describeProgress } from '../../src/simulator/control-plane/progress.ts';
import { findObstacle, runOnNode } from './namespaces.ts';
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
  try {
    const packages = await findPackages();
    const { kubelet, folder } = await findControlPlane({
      onProgress: (progress) => process.stderr.write(`${describeProgress(progress)}\n`),
    });
    if (kubelet === undefined) return { skipped: `there is no kubelet in ${folder}` };
    const unable = await findLack(packages);
    return unable === undefined ? { code: await runOnNode(command, packages) } : { skipped: unable };
  } catch (error) {
    if (error instanceof PackagesMissing) return { skipped: error.message };
    throw error;
  }
}

/** Whether the namespaces are as free as a node needs them: tried, since too many things have a say. */
async function findLack(packages: Parameters<typeof runOnNode>[1]): Promise<string | undefined> {
  const code = await runOnNode(['true'], packages);
  return code === 0 ? undefined : 'mounts, cgroups or network of a namespace cannot be set up, see above';
}
