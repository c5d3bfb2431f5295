// Rejects bundles that differ when they are rebuilt: otherwise a hash that others can check proves nothing. Each build
// runs in its own process and into a folder of another name.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../', import.meta.url).pathname;
const scratch = await mkdtemp(join(tmpdir(), 'gpu-partition-build-'));

async function buildInto(name) {
  const folder = join(scratch, name);
  execFileSync(process.execPath, [join(root, 'build/bundle.mjs'), folder], { cwd: root, stdio: 'inherit' });
  const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs')).sort();
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(join(folder, file));
      if (bytes.includes(root)) {
        console.error(`${file} contains ${root}, the folder that it was built in`);
        process.exitCode = 1;
      }
      return `${createHash('sha256').update(bytes).digest('hex')}  ${file}`;
    }),
  );
}

try {
  const [first, second] = [await buildInto('one'), await buildInto('another-one')];
  for (const [index, line] of first.entries()) {
    if (line === second[index]) continue;
    console.error(`two builds of the same source differ: ${line} and ${second[index]}`);
    process.exitCode = 1;
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
