import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone after the tests of this suite; call inside `describe`. */
export function useScratchFolder(): { readonly path: (...parts: readonly string[]) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-partition-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return { path: (...parts) => join(folder, ...parts) };
}

/** A new folder for each test of this suite; call inside `describe`. */
export function useFreshFolder(): ReturnType<typeof useScratchFolder> {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gpu-partition-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return { path: (...parts) => join(folder, ...parts) };
}

/** Writes a shell script that stands in for nvidia-smi. */
export function writeScript(path: string, ...lines: readonly string[]): string {
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}
