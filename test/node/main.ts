/**
 * Runs a program on a machine of its own: `main.ts COMMAND…`, for `make test-node` and the benchmark of the refresh. Where this
 * machine does not allow it, one line says so, and that is no failure.
 */
import { findControlPlane } from '../../src/simulator/control-plane/binaries.ts';
import { findObstacle, runOnNode } from './namespaces.ts';
import { findPackages, PackagesMissing } from './packages.ts';

async function main(command: readonly string[]): Promise<number> {
  const obstacle = await findObstacle();
  if (obstacle !== undefined) return skip(obstacle);
  try {
    const packages = await findPackages();
    if ((await runOnNode(['true'], packages)) !== 0) return skip('its namespaces are not as free as a node needs them');
    await findControlPlane();
    return await runOnNode(command, packages);
  } catch (error) {
    if (error instanceof PackagesMissing) return skip(error.message);
    throw error;
  }
}

function skip(why: string): number {
  console.log(`real kubelet: skipped: ${why}`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
