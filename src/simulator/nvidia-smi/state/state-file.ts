import { renameSync, writeFileSync } from 'node:fs';
import { readIfThere, withFileLock } from './file-lock.ts';
import type { NodeState } from './node-state.ts';
import { parseState, renderState } from './state-text.ts';

/** Reads a state file; a missing one means a node with MIG off everywhere. */
export function readStateFile(path: string, gpuCount: number): NodeState {
  return parseState(readIfThere(path) ?? '', gpuCount);
}

/**
 * Changes a state file under its lock: reads it, writes the new text beside it and renames, so that a reader sees the old or the
 * new state and no update of another process is lost. If `change` throws, the file is unchanged. `onChange` runs under the lock.
 */
export function updateStateFile(
  path: string,
  gpuCount: number,
  change: (state: NodeState) => NodeState,
  onChange?: (before: NodeState, after: NodeState) => void,
): void {
  withFileLock(`${path}.lock`, () => {
    const before = readStateFile(path, gpuCount);
    const after = change(before);
    replaceFile(path, renderState(after));
    onChange?.(before, after);
  });
}

/** Counts one more match of a fault line and returns the count; stored beside the state file. */
export function countFaultMatch(path: string, line: string): number {
  const file = `${path}.counts`;
  return withFileLock(`${file}.lock`, () => {
    const counts = new Map(readCounts(file));
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    replaceFile(file, [...counts].map(([key, value]) => `${value} ${key}\n`).join(''));
    return count;
  });
}

function readCounts(file: string): readonly (readonly [string, number])[] {
  return (readIfThere(file) ?? '')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => [text.slice(text.indexOf(' ') + 1), Number.parseInt(text, 10)]);
}

function replaceFile(path: string, text: string): void {
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, text);
  renameSync(next, path);
}
