import { readFileSync } from 'node:fs';
import type { Execution } from '../../src/core/smi/output.ts';

/** One run of the real nvidia-smi on a mock library: state before, command line, answer. */
export interface RecordedRun {
  readonly name: string;
  readonly gpus: string;
  readonly before: string;
  readonly argv: readonly string[];
  readonly fault: string | null;
  readonly uid: number;
  readonly rc: number;
  readonly stdout: string;
  readonly after: string;
}

const files = ['A100-SXM4-40GB', 'A30', 'H100-80GB-HBM3', 'forms'];

export const recordedRuns: readonly RecordedRun[] = files.flatMap((file) =>
  readFileSync(new URL(`../fixtures/nvidia-smi/${file}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): RecordedRun => JSON.parse(line)),
);

/** Runs that end with this argument and hold no second action. */
export function runsOf(...args: readonly string[]): readonly RecordedRun[] {
  return recordedRuns.filter(({ argv }) => argv.join(' ').endsWith(args.join(' ')));
}

export function executionOf({ rc, stdout }: RecordedRun): Execution {
  return { rc, stdout, end: 'Exited' };
}

/** Lines of a recorded state as numbers: `gi 0 13 profile 19 place 6:1` gives [0, 13, 19, 6, 1]. */
export function readStateLines(state: string, kind: 'gi' | 'ci' | 'gpu'): readonly (readonly number[])[] {
  return state
    .split('\n')
    .filter((line) => line.startsWith(`${kind} `))
    .map((line) => [...line.matchAll(/\d+/g)].map(([number]) => Number(number)));
}
