import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { findFault, programFile, writeManifest } from './cache.ts';
import { ControlPlaneError } from './errors.ts';
import { buildArguments } from './go-module.ts';
import type { GoModule } from './go-module.ts';
import { goEnvironment } from './go-toolchain.ts';
import type { GoToolchain } from './go-toolchain.ts';
import { startGuard } from './guard.ts';
import { allPrograms } from './programs.ts';
import { runProgram } from './run.ts';
import { messageOf } from '../../core/text/message-of.ts';

/**
 * Builds into a folder beside the target and renames it into place, so that a cache folder is complete or absent.
 *
 * @throws ControlPlaneError `BuildFailed` with the end of Go's output; `BuildUnusable` if the program does not answer.
 */
export async function buildControlPlane(module: GoModule, go: GoToolchain, target: string): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const folder = await mkdtemp(`${target}.building-`);
  const guard = startGuard(folder);
  try {
    const startedAt = Date.now();
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    await runGo(module, join(folder, programFile), scratch, (pid) => guard.watch(-pid));
    await rm(scratch, { recursive: true, force: true });
    for (const name of allPrograms) await symlink(programFile, join(folder, name));
    const buildSeconds = Math.round((Date.now() - startedAt) / 1000);
    await writeManifest(folder, { kubernetes: module.kubernetes, go: go.version, buildSeconds });
    const fault = await findFault(folder);
    if (fault !== undefined) {
      throw new ControlPlaneError('BuildUnusable', `Go built the control plane and it is of no use: ${fault}.`);
    }
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    guard.release();
  }
}

/** @param scratch for Go's temporary files: if Go is killed it leaves them behind, but the guard removes them */
async function runGo(module: GoModule, output: string, scratch: string, onStart: (pid: number) => void): Promise<void> {
  const args = [...buildArguments(module.kubernetes), '-o', output, '.'];
  const env = { ...goEnvironment(), GOTMPDIR: scratch };
  const built = await runProgram('go', args, { cwd: module.folder, env, onStart, ownGroup: true }).catch(
    (cause: unknown) => {
      throw new ControlPlaneError('BuildFailed', `\`go build\` did not start: ${messageOf(cause)}`, { cause });
    },
  );
  if (built.code === 0) return;
  throw new ControlPlaneError(
    'BuildFailed',
    `\`go build\` of the control plane in ${module.folder} ended with ${built.code} (it needs the module proxy, ` +
      `5 GB of disk and 3 GB of memory):\n${built.stderr.trim().slice(-2000)}`,
  );
}
