import { readFileSync } from 'node:fs';
import { assembleGpus } from '../../../src/simulator/nvidia-smi/nvml/gpu.ts';
import { runNvidiaSmi } from '../../../src/simulator/nvidia-smi/state/memory-world.ts';

/** One run of the real nvidia-smi 550.163.01 on a mock of its library. */
export interface ReplayedRun {
  readonly name: string;
  readonly gpus: string;
  readonly before: string;
  readonly argv: readonly string[];
  readonly uid: string;
  readonly fault: string | null;
  readonly rc: number;
  readonly stdout: string;
  readonly after: string;
}

const FIXTURES = new URL('../../fixtures/nvidia-smi/', import.meta.url);

export function readRecordedRuns(file: string): readonly ReplayedRun[] {
  const lines = readFileSync(new URL(file, FIXTURES), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ReplayedRun);
}

/** Of what a run depends on, the recording left this out of `before` and `fault`. */
function faultsOf(run: ReplayedRun): string {
  if (run.name.includes('no-library')) {
    return 'nolibrary';
  }
  const isReset = run.argv.includes('--gpu-reset') && run.rc === 0;
  return isReset || run.name.includes('pm-off') ? 'persistence off' : (run.fault ?? '');
}

/** What differs when the simulator does the same: any of `rc`, `stdout`, `after`. */
export function compareRun(run: ReplayedRun): readonly ('rc' | 'stdout' | 'after')[] {
  const result = runNvidiaSmi({
    gpus: assembleGpus(run.gpus.split(',')),
    state: run.before,
    argv: run.argv,
    uid: Number(run.uid),
    faults: faultsOf(run),
  });
  return [
    ...(result.rc === run.rc ? [] : (['rc'] as const)),
    ...(normalize(result.stdout) === normalize(run.stdout) ? [] : (['stdout'] as const)),
    ...(result.state === run.after ? [] : (['after'] as const)),
  ];
}

/** Masks the two things that a recording cannot fix: the time of day, and MIG UUIDs, whose rule in the mock is not known. */
export function normalize(output: string): string {
  return output
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\b/g, '<time>')
    .replaceAll(/\bMIG-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'MIG-<uuid>');
}
