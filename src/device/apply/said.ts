import type { Execution } from '../command/output.ts';

/** Exit code 0 alone says nothing: it comes with `No MIG-enabled devices found.` too. */
export function saysDone(execution: Execution, ...words: readonly string[]): boolean {
  return words.every((said) => countSaid(execution, said) > 0) && execution.rc === 0 && execution.end === 'Exited';
}

/** How often an output says so. */
export function countSaid({ stdout }: Execution, words: string): number {
  return stdout.split(words).length - 1;
}
