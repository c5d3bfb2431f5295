import { exitWith } from './command-exit.ts';
import { selectGpus } from './gpu-selection.ts';
import { EARLY_END } from './mig/mode-command.ts';
import { attempt, NVML } from './nvml/nvml-code.ts';
import type { Nvml } from './nvml/nvml.ts';
import { describeInvalid, switchWords } from './option.ts';
import type { World } from './state/world.ts';

/** `-pm 0|1|DISABLED|ENABLED`: GPU by GPU, stops at the first error. The texts are those of public transcripts. */
export function changePersistence(world: World, nvml: Nvml, selector: string | undefined, wanted: string): void {
  const on = switchWords.get(wanted.toUpperCase());
  if (on === undefined) exitWith(NVML.invalidArgument, describeInvalid('-pm', wanted));
  const word = on ? 'Enabled' : 'Disabled';
  for (const gpu of selectGpus(nvml, selector)) {
    if (nvml.isPersistent(gpu) === on) {
      world.print(`Persistence mode is already ${word} for GPU ${gpu.busId}.\n`);
      continue;
    }
    const error = attempt(() => nvml.setPersistence(gpu, on));
    if (error !== undefined) {
      const complaint = `Unable to set persistence mode for GPU ${gpu.busId}: ${error.message}\n`;
      exitWith(error.exitCode, complaint + EARLY_END);
    }
    world.print(`${word} persistence mode for GPU ${gpu.busId}.\n`);
  }
  world.print('All done.\n');
}
