import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot } from '../../src/simulator/control-plane/build.ts';
import { takeLock } from '../../src/simulator/control-plane/run.ts';

/** A file or folder in the cache beside the control plane, made once for each content of its sources. */
export interface Cached {
  readonly name: string;
  /** Files that decide what is made. */
  readonly sources: readonly string[];
  /** Makes it at this path, which is free. @throws Error if it cannot be made */
  readonly make: (path: string) => Promise<void>;
}

/** @returns the path of what is in the cache by now */
export async function makeCached({ name, sources, make }: Cached): Promise<string> {
  const texts = await Promise.all(sources.map((source) => readFile(source)));
  const hash = texts
    .reduce((sum, text) => sum.update(text), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);
  const root = join(cacheRoot(), '..', name);
  const path = join(root, `${name}-${hash}-${process.platform}-${process.arch}`);
  await mkdir(root, { recursive: true });
  await using _lock = await takeLock(`${path}.lock`);
  if (await isThere(path)) return path;
  const unfinished = `${path}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await make(unfinished);
  await rename(unfinished, path);
  return path;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
