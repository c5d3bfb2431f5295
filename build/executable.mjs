// Writes the command as one file that needs nothing but the machine's C library: Node.js with the bundles in it, for each architecture.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { architectures, readNode } from './node-binaries.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Node.js looks for this text in itself; what follows it says whether there is a program. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const scratch = await mkdtemp(join(tmpdir(), 'gpu-partition-executable-'));

/** Runs a program of Node.js. What it prints counts only if it fails: postject wonders at names of sections. */
function run(...args) {
  execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' });
}

/** Writes what Node.js starts, for every architecture: without a code cache nothing in it is of one. */
async function writeBlob(output) {
  const partOf = (name) => join(root, `dist/executable/${name}.cjs`);
  const configuration = {
    // The blob has this path as it is written here: not the folder that it was built in.
    main: 'build/executable-main.cjs',
    output,
    disableExperimentalSEAWarning: true,
    assets: { 'gpu-partition': partOf('gpu-partition'), 'demand-solver': partOf('demand-solver') },
  };
  const file = join(scratch, 'sea.json');
  await writeFile(file, JSON.stringify(configuration));
  run('--experimental-sea-config', file);
}

try {
  const blob = join(scratch, 'blob');
  await writeBlob(blob);
  const postject = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
  for (const architecture of architectures) {
    const unfinished = join(scratch, architecture);
    await writeFile(unfinished, (await readNode(architecture)).node, { mode: 0o755 });
    run(postject, unfinished, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', sentinelFuse);
    await copyFile(unfinished, join(root, `dist/gpu-partition-linux-${architecture}`));
  }
} finally {
  await rm(scratch, { recursive: true });
}
