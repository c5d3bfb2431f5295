import { exitWith } from '../command-exit.ts';
import { selectGpus } from '../gpu-selection.ts';
import type { DriverVersions } from '../nvml/driver-version.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { attempt, describeNvmlCode, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { describeInvalid, switchWords } from '../option.ts';
import type { World } from '../state/world.ts';

export const EARLY_END = 'Terminating early due to previous errors.\n';

/** `-mig 0|1|DISABLED|ENABLED`: GPU by GPU, stops at the first error. Exit code 0 even if the mode is only pending. */
export function changeMigMode(world: World, nvml: Nvml, selector: string | undefined, wanted: string): void {
  const enable = parseMode(wanted, nvml.driver);
  for (const gpu of selectGpus(nvml, selector)) {
    world.print(changeOne(nvml, gpu, enable));
    if (!nvml.isPersistent(gpu)) {
      world.print(
        `\nWarning: persistence mode is disabled on device ${gpu.busId}. See the Known Issues section of the nvidia-smi(1) man page ` +
          'for more information. Run with [--help | -h] switch to get more information on how to enable persistence mode.\n',
      );
    }
  }
  world.print('All done.\n');
}

function parseMode(wanted: string, { isAfter470, namesBadWords }: DriverVersions): boolean {
  const mode = switchWords.get(wanted);
  if (mode !== undefined) return mode;
  if (/^\d+$/.test(wanted)) {
    // 470 takes any number but 0 for 1.
    return !isAfter470 || exitWith(NVML.invalidArgument, `Invalid MIG Mode: ${wanted}\n${EARLY_END}`);
  }
  if (namesBadWords) exitWith(NVML.invalidArgument, describeInvalid('-mig', wanted));
  if (isAfter470) exitWith(255, 'Internal nvidia-smi error. Unexpected modification operation.\n\n');
  const complaint = `Provided [-mig | --multi-instance-gpu=] value is not a valid or is out of range: ${wanted}.`;
  exitWith(NVML.invalidArgument, `${complaint} Please run 'nvidia-smi -h' for help.\n\n`);
}

function changeOne(nvml: Nvml, gpu: SimulatedGpu, enable: boolean): string {
  const verb = enable ? 'enable' : 'disable';
  const status = attempt(() => nvml.setMigMode(gpu, enable));
  if (!(status instanceof NvmlFailure)) {
    return status === 0
      ? `${enable ? 'Enabled' : 'Disabled'} MIG Mode for GPU ${gpu.busId}\n`
      : describePending(gpu, verb, status);
  }
  const complaint = `Unable to ${verb} MIG Mode for GPU ${gpu.busId}: ${status.message}\n`;
  return status.code === NVML.notSupported
    ? `${complaint}Treating as warning and moving on.\n`
    : exitWith(status.exitCode, complaint + EARLY_END);
}

function describePending(gpu: SimulatedGpu, verb: string, status: number): string {
  // nvidia-smi prints no blank after the colon.
  const warning = `Warning: MIG mode is in pending ${verb} state for GPU ${gpu.busId}:${describeNvmlCode(status)}\n`;
  return status === NVML.inUse
    ? `${warning}${gpu.busId} is currently being used by one or more other processes (e.g. CUDA application or a monitoring application ` +
        'such as another instance of nvidia-smi). Please first kill all processes using the device and retry the command or reboot ' +
        'the system to make MIG mode effective.\n'
    : `${warning}Reboot the system or try nvidia-smi --gpu-reset to make MIG mode effective on GPU ${gpu.busId}\n`;
}

/** `--gpu-reset`: resets the GPUs that it can and then names the others. */
export function resetGpus(world: World, nvml: Nvml, selector: string | undefined): void {
  const refused: { readonly gpu: SimulatedGpu; readonly error: NvmlFailure }[] = [];
  for (const gpu of selectGpus(nvml, selector)) {
    const error = attempt(() => nvml.resetGpu(gpu));
    if (error === undefined) {
      world.print(`GPU ${gpu.busId} was successfully reset.\n`);
    } else {
      refused.push({ gpu, error });
    }
  }
  if (refused.length === 0) return world.print('All done.\n');
  const [count, these] =
    refused.length === 1 ? ['1 device is', 'this device'] : [`${refused.length} devices are`, 'these devices'];
  // Old drivers have a sentence for GPUs in use; how they name other reasons is not known.
  const isSentence = nvml.driver.refusesInSentence && refused.every(({ error: { code } }) => code === NVML.inUse);
  const lines = refused.map(({ gpu, error }) =>
    isSentence
      ? `GPU ${gpu.busId} is currently in use by another process.\n`
      : `  GPU ${gpu.busId}: ${error.message}\n`,
  );
  const heading = isSentence ? '' : 'The following GPUs could not be reset:\n';
  exitWith(
    255,
    `${heading}${lines.join('')}\n${count} currently being used by one or more other processes ` +
      '(e.g., Fabric Manager, CUDA application, graphics application such as an X server, or a monitoring application such as another ' +
      `instance of nvidia-smi). Please first kill all processes using ${these} and all compute applications running in the system.\n`,
  );
}
