import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { makeCached } from './cached.ts';

const sources = ['package.json', 'package-lock.json'].map((name) =>
  fileURLToPath(new URL(`../nodes/${name}`, import.meta.url)),
);

/**
 * Paths of Node.js as users have it: the oldest version that package.json promises, and an outdated one. They are in the cache,
 * from the lockfile in test/nodes: in our own node_modules each would compete for the name `node`.
 */
export async function findOldNodes(): Promise<{ readonly oldest: string; readonly outdated: string }> {
  const folder = await makeCached({ name: 'nodes', sources, make: install });
  const pathOf = (name: string): string =>
    join(folder, 'node_modules', `${name}-${process.platform}-${process.arch}`, 'bin/node');
  return { oldest: pathOf('oldest'), outdated: pathOf('outdated') };
}

async function install(folder: string): Promise<void> {
  await mkdir(folder);
  for (const source of sources) await copyFile(source, join(folder, basename(source)));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, stderr } = await runProgram('npm', args, { cwd: folder });
  if (code !== 0) throw new Error(`npm ci of the packages in test/nodes failed: ${stderr.slice(-2000)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${JSON.stringify(await findOldNodes())}\n`);
