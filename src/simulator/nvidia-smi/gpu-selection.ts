import { exitWith } from './command-exit.ts';
import type { SimulatedGpu } from './nvml/gpu.ts';
import { attempt, NVML, type NvmlFailure } from './nvml/nvml-code.ts';
import type { Nvml } from './nvml/nvml.ts';

/**
 * Opens the GPUs that `-i` names, or all. One lost GPU breaks every command that does not name healthy ones by index or bus id.
 * `selector` is a comma-separated list of index, UUID or PCI bus id; members that match nothing are ignored if another matches.
 */
export function selectGpus(nvml: Nvml, selector: string | undefined): readonly SimulatedGpu[] {
  if (selector === '') exitWith(255, 'Failed to parse device string on command line');
  const wanted = selector?.split(',').filter((member) => member !== '');
  if (wanted?.some((member) => /^GPU-/i.test(member)) === true) {
    nvml.gpus.forEach((gpu) => openForComparison(nvml, gpu));
  }
  const chosen = nvml.gpus.filter((gpu) => wanted === undefined || wanted.some((member) => names(member, gpu)));
  if (chosen.length === 0) exitWith(NVML.notFound, 'No devices were found\n');
  for (const gpu of chosen) {
    const failure = attempt(() => nvml.open(gpu));
    if (failure !== undefined)
      exitWith(failure.exitCode, describeBadHandle(nvml.driver.isAfter470 ? 'GPU' : 'GPU ', gpu, failure));
  }
  return chosen;
}

/** The message for a GPU that cannot be opened; `-L` words it differently from all other commands. */
export function describeBadHandle(word: 'GPU' | 'GPU ' | 'gpu ', gpu: SimulatedGpu, failure: NvmlFailure): string {
  const busId = gpu.busId.slice('0000'.length);
  return `Unable to determine the device handle for ${word}${busId}: ${describeLoss(failure)}\n`;
}

/** To compare UUIDs nvidia-smi opens every GPU, and gives up at the first that it cannot open. */
function openForComparison(nvml: Nvml, gpu: SimulatedGpu): void {
  const failure = attempt(() => nvml.open(gpu));
  if (failure !== undefined) {
    exitWith(255, `Problem with GPU ${gpu.busId.slice('0000'.length)}: ${describeLoss(failure)}\n`);
  }
}

function describeLoss(failure: NvmlFailure): string {
  return failure.code === NVML.gpuIsLost
    ? `${failure.message}.  Reboot the system to recover this GPU\n\n`
    : failure.message;
}

function names(member: string, gpu: SimulatedGpu): boolean {
  const busId = gpu.busId.toLowerCase();
  const spellings = [busId, busId.slice('0000'.length), busId.slice('00000000:'.length)];
  return member === String(gpu.index) || member === gpu.uuid || spellings.includes(member.toLowerCase());
}
