import { isCompleted, type Execution } from './output.ts';

/** Exit code 0 alone proves nothing: `No MIG-enabled devices found.` has it too. */
export function saysDone(execution: Execution, ...words: readonly string[]): boolean {
  return words.every((said) => countSaid(execution, said) > 0) && isCompleted(execution);
}

/** How many times an output contains these words. */
export function countSaid({ stdout }: Execution, words: string): number {
  return stdout.split(words).length - 1;
}
