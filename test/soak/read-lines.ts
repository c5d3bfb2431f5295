import { readFileSync } from 'node:fs';

/** Whole lines of a file that another process may be writing; none if it cannot be read. */
export function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
