import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { allPrograms, missingPrograms, probeKubectl } from './programs.ts';

/** The only file that is built; the six names are links to it. */
export const programFile = 'control-plane';
const manifestFile = 'manifest.json';

/** Seconds that a cold build with its downloads takes on two cores. */
export const coldBuildSeconds = 420;

/** Written last: a folder with a manifest was once complete. */
export interface BuildManifest {
  readonly kubernetes: string;
  readonly go: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly sha256: string;
  readonly buildSeconds: number;
}

/** Outside the work tree, so that checkouts share it and `git clean` keeps it. */
export function cacheRoot(): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(
    base !== undefined && base !== '' ? base : join(homedir(), '.cache'),
    'gpu-partition-operator/control-plane',
  );
}

export async function writeManifest(
  folder: string,
  about: Pick<BuildManifest, 'kubernetes' | 'go' | 'buildSeconds'>,
): Promise<void> {
  const program = join(folder, programFile);
  const { size, mtimeMs } = await stat(program);
  const manifest: BuildManifest = { ...about, size, modifiedMs: Math.round(mtimeMs), sha256: await hashFile(program) };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * What is wrong with a cache folder, as text; undefined if nothing is. The hash costs half a second: it is computed only
 * if the file's time differs from the manifest.
 */
export async function findFault(folder: string): Promise<string | undefined> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) return 'it has no readable manifest';
  const missing = await missingPrograms(folder, [programFile, ...allPrograms]);
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  const program = join(folder, programFile);
  const { size, mtimeMs } = await stat(program);
  if (size !== manifest.size) return `${programFile} has ${size} bytes and should have ${manifest.size}`;
  const untouched = Math.round(mtimeMs) === manifest.modifiedMs;
  if (!untouched && (await hashFile(program)) !== manifest.sha256)
    return `${programFile} has another hash than when built`;
  return probeKubectl(join(folder, 'kubectl'), manifest.kubernetes);
}

/** Seconds that the longest build took here; before the first build, those of a cold build. */
export async function expectBuildSeconds(root: string): Promise<number> {
  const names = await readdir(root).catch(() => []);
  const manifests = await Promise.all(names.map((name) => readManifest(join(root, name))));
  const measured = manifests.flatMap((manifest) => (manifest === undefined ? [] : [manifest.buildSeconds]));
  return measured.length === 0 ? coldBuildSeconds : Math.max(...measured);
}

async function readManifest(folder: string): Promise<BuildManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, manifestFile), 'utf8')) as BuildManifest;
  } catch {
    return undefined;
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
