import { exitWith } from './command-exit.ts';
import { selectGpus } from './gpu-selection.ts';
import { NVML, NvmlFailure } from './nvml/nvml-code.ts';
import type { Nvml } from './nvml/nvml.ts';
import type { World } from './state/world.ts';

const words: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['ENABLED', true],
  ['0', false],
  ['DISABLED', false],
]);

/** `-pm 0|1|DISABLED|ENABLED`: GPU by GPU, stops at the first error. The texts are those of public transcripts. */
export function changePersistence(world: World, nvml: Nvml, selector: string | undefined, wanted: string): number {
  const on = words.get(wanted.toUpperCase());
  if (on === undefined) {
    const complaint = `ERROR: Option ${wanted} is invalid for -pm. Please run 'nvidia-smi -h' for help.\n\n`;
    return exitWith(world, NVML.invalidArgument, complaint);
  }
  const word = on ? 'Enabled' : 'Disabled';
  for (const gpu of selectGpus(world, nvml, selector)) {
    if (nvml.isPersistent(gpu) === on) {
      world.print(`Persistence mode is already ${word} for GPU ${gpu.busId}.\n`);
      continue;
    }
    try {
      nvml.setPersistence(gpu, on);
      world.print(`${word} persistence mode for GPU ${gpu.busId}.\n`);
    } catch (error) {
      if (!(error instanceof NvmlFailure)) {
        throw error;
      }
      const complaint = `Unable to set persistence mode for GPU ${gpu.busId}: ${error.message}\n`;
      return exitWith(world, error.exitCode, `${complaint}Terminating early due to previous errors.\n`);
    }
  }
  world.print('All done.\n');
  return 0;
}
