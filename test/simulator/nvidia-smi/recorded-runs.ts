import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { runNvidiaSmi } from '../../../src/simulator/nvidia-smi/memory-world.ts';
import type { RecordedRun } from '../../device/recorded-runs.ts';

/** Of what a run depends on, the recording left this out of `before` and `fault`. */
function faultsOf(run: Replayed): string {
  if (run.name.includes('no-library')) {
    return 'nolibrary';
  }
  const isReset = run.argv.includes('--gpu-reset') && run.rc === 0;
  return isReset || run.name.includes('pm-off') ? 'persistence off' : (run.fault ?? '');
}

/** A recording, or a line of a self-test's bundle, which tells no branch. */
type Replayed = Omit<RecordedRun, 'branch' | 'uid'> &
  Partial<Pick<RecordedRun, 'branch'>> & { readonly uid: number | string };

/** Where the mock puts the GPUs of a node. */
const recordedBusIds = ['00000000:07:00.0', '00000000:0F:00.0', '00000000:17:00.0', '00000000:1F:00.0'];

export function replay(run: Replayed) {
  return runNvidiaSmi({
    gpus: assembleGpus(run.gpus.split(',')).map((gpu, at) => ({ ...gpu, busId: recordedBusIds[at] ?? gpu.busId })),
    ...(run.branch !== undefined && { driver: run.branch }),
    state: run.before,
    argv: run.argv,
    uid: Number(run.uid),
    faults: faultsOf(run),
  });
}

/** What differs when the simulator does the same: any of `rc`, `stdout`, `after`. */
export function compareRun(run: Replayed): readonly ('rc' | 'stdout' | 'after')[] {
  const result = replay(run);
  return [
    ...(result.rc === run.rc ? [] : (['rc'] as const)),
    ...(normalize(result.stdout) === normalize(run.stdout, run.branch) ? [] : (['stdout'] as const)),
    ...(result.state === run.after ? [] : (['after'] as const)),
  ];
}

/**
 * What in a recording is the mock library's: versions, that of its CUDA and of its firmware, which a real driver has for itself, and
 * calls of 555 that it does not know.
 */
const mockAnswers: readonly (readonly [RegExp, string])[] = [
  [/(CUDA Version *: |<cuda_version>)\d+\.\d/g, '$1xx.x'],
  [/(GSP Firmware Version *: |<gsp_firmware_version>)\d[\d.]*/g, '$1<firmware>'],
  [/NVML library version: [\d.]+/g, 'NVML library version: <nvml>'],
  [/NVML version {8}: [\d.]+/g, 'NVML version        : <nvml>'],
];
const mockAnswers555: readonly (readonly [RegExp, string])[] = [
  [/Function Not Found(?=$|<\/(?:current|pending)_dm>)/gm, 'N/A'],
  [/((?:Reset Required|Drain and Reset Recommended) *: )N\/A/g, '$1No'],
  [/(<(?:reset_required|drain_and_reset_recommended)>)N\/A/g, '$1No'],
];

/** Masks what a recording cannot fix: the time of day, MIG UUIDs, whose rule in the mock is not known, and the mock's own answers. */
export function normalize(output: string, branch?: string): string {
  const answers = [...mockAnswers, ...(branch === '555' ? mockAnswers555 : [])];
  return answers
    .reduce((text, [pattern, mask]) => text.replaceAll(pattern, mask), output)
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\b/g, '<time>')
    .replaceAll(/\bMIG-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'MIG-<uuid>');
}
