import { readFileSync } from 'node:fs';
import type { Execution } from '../../src/core/smi/command.ts';
import type { DriverBranch } from '../../src/simulator/nvidia-smi/board.ts';

/** One run of the real nvidia-smi on a mock library: state before, command line, answer. */
export interface RecordedRun {
  readonly branch: RecordedBranch;
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

/** The branches of which there are recordings, with the release that was recorded. */
export const recordedBranches = {
  '470': '470.256.02',
  '525': '525.147.05',
  '535': '535.274.02',
  '550': '550.163.01',
  '555': '555.58.02',
} as const satisfies Partial<Record<DriverBranch, string>>;

export type RecordedBranch = keyof typeof recordedBranches;

/** Recordings by file. */
export const recordings: Readonly<Record<string, readonly RecordedRun[]>> = Object.fromEntries([
  ...['A100-SXM4-40GB', 'A30', 'H100-80GB-HBM3', 'forms'].map((file) => readRuns(`${file}.jsonl`, '550')),
  ...(['470', '525', '535', '555'] as const).flatMap((branch) =>
    ['A100-SXM4-40GB', 'A30'].map((model) => readRuns(`branches/${branch}-${model}.jsonl`, branch)),
  ),
  ...(['535', '550'] as const).map((branch) => readRuns(`branches/multi-${branch}.jsonl`, branch)),
]);

function readRuns(file: string, branch: RecordedBranch): readonly [string, readonly RecordedRun[]] {
  const lines = readFileSync(new URL(`../fixtures/nvidia-smi/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return [file, lines.map((line): RecordedRun => ({ ...JSON.parse(line), branch }))];
}

export const recordedRuns: readonly RecordedRun[] = Object.values(recordings).flat();

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
