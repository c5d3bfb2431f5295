import {
  exitWith,
  selectGpus,
  describeInvalid,
  switchWords,
  CommandExit,
  type Options,
  scanOptions,
  textOf,
  type TopOption,
  NOT_SIMULATED,
  TOP_OPTIONS,
} from './options.ts';
import { EARLY_END, runMigCommand, changeMigMode, resetGpus } from './mig-command.ts';
import { attempt, NVML, NvmlFailure } from './nvml-code.ts';
import { Nvml } from './nvml.ts';
import type { World } from './world.ts';
import { type DriverVersions, recordedBranch } from './board.ts';
import { printGpuList, queryComputeApps, queryGpus } from './query.ts';
import { OVERVIEW_HELP, QUERY_COMPUTE_APPS_HELP, QUERY_GPU_HELP } from './help.ts';
import { printReport, printSummary } from './report.ts';
import { rebootNode } from './device.ts';
import { type FaultEffect, strike, damageOutput } from './faults.ts';

/** `-pm 0|1|DISABLED|ENABLED`: GPU by GPU, stops at the first error. The texts are those of public transcripts. */
function changePersistence(world: World, nvml: Nvml, selector: string | undefined, wanted: string): void {
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

/** Runs one nvidia-smi command line in `world`, printing everything to standard output. Returns the exit code. */
function runCommand(world: World): number {
  const nvml = new Nvml(world);
  const [first, ...rest] = world.argv;
  try {
    if (first === 'mig') runMigCommand(world, nvml, rest);
    else runTopCommand(world, nvml);
    return 0;
  } catch (error) {
    if (error instanceof CommandExit) {
      world.print(error.output);
      return error.exitCode;
    }
    if (error instanceof NvmlFailure) {
      // Only initialization errors are not caught closer to the call.
      world.print(describeInitFailure(error, nvml.driver));
      return error.code === NVML.libraryMismatch && !nvml.driver.explainsMismatch ? 255 : error.exitCode;
    }
    throw error;
  }
}

function runTopCommand(world: World, nvml: Nvml): void {
  const [first = ''] = world.argv;
  if (NOT_SIMULATED.some((word) => first === word || first.startsWith(`${word}=`))) {
    exitWith(255, `ERROR: ${first} is an option of nvidia-smi that this simulator does not have.\n`);
  }
  const { isAfter470, hasVersionOption, namesBadWords } = nvml.driver;
  const known = TOP_OPTIONS.filter(({ name }) => hasVersionOption || name !== 'version');
  const scanned = scanOptions<TopOption>(world.argv, known);
  switch (scanned.kind) {
    case 'unknown':
      return namesBadWords
        ? exitWith(255, `ERROR: Option ${scanned.word} is not recognized. Please run 'nvidia-smi -h'.\n\n`)
        : exitWith(isAfter470 ? 255 : 2, BAD_COMBINATION);
    case 'missingValue':
      return exitWith(
        255,
        `ERROR: Option ${scanned.word} is missing its value. Please run 'nvidia-smi -h' for help.\n\n`,
      );
    case 'options':
      return runOptions(world, nvml, scanned.options);
  }
}

const BAD_COMBINATION = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n";

function runOptions(world: World, nvml: Nvml, options: Options<TopOption>): void {
  const page = HELP_PAGES.find(([option]) => options.has(option));
  if (page !== undefined) {
    if (world.driver === recordedBranch) return world.print(page[1]);
    exitWith(
      255,
      `ERROR: of driver ${nvml.driver.driver} no help page was recorded: this simulator does not have it.\n`,
    );
  }
  nvml.init();
  if (options.has('version')) return world.print(describeVersions(nvml.driver));
  const id = textOf(options, 'id');
  if (options.has('list')) {
    if (id === undefined) return printGpuList(world, nvml);
    const complaint = "ERROR: Option -i is not valid for this command. Please run 'nvidia-smi -h' for help.\n\n";
    exitWith(2, nvml.driver.namesBadWords ? complaint : BAD_COMBINATION);
  }
  const format = textOf(options, 'format');
  const gpuFields = textOf(options, 'queryGpu');
  if (gpuFields !== undefined) return queryGpus(world, nvml, id, gpuFields, format);
  const appFields = textOf(options, 'queryComputeApps');
  if (appFields !== undefined) return queryComputeApps(world, nvml, id, appFields, format);
  const mode = textOf(options, 'mig');
  if (mode !== undefined) return changeMigMode(world, nvml, id, mode);
  const persistence = textOf(options, 'persistence');
  if (persistence !== undefined) return changePersistence(world, nvml, id, persistence);
  if (options.has('reset')) return resetGpus(world, nvml, id);
  const asXml = options.has('xml');
  return options.has('query') || asXml ? printReport(world, nvml, id, asXml) : printSummary(world, nvml, id);
}

const HELP_PAGES = [
  ['help', OVERVIEW_HELP],
  ['helpQueryGpu', QUERY_GPU_HELP],
  ['helpQueryComputeApps', QUERY_COMPUTE_APPS_HELP],
] as const;

function describeVersions({ driver, nvml, cuda }: DriverVersions): string {
  return [
    `NVIDIA-SMI version  : ${driver}`,
    `NVML version        : ${nvml}`,
    `DRIVER version      : ${driver}`,
    `CUDA Version        : ${cuda}`,
    '',
  ].join('\n');
}

function describeInitFailure(failure: NvmlFailure, { nvml, explainsMismatch }: DriverVersions): string {
  switch (failure.code) {
    case NVML.driverNotLoaded:
      return (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. " +
        'Make sure that the latest NVIDIA driver is installed and running.\n\n'
      );
    case NVML.libraryNotFound:
      return (
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. " +
        'Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\n' +
        'Please also try adding directory that contains libnvidia-ml.so to your system PATH.\n'
      );
    case NVML.libraryMismatch:
      return `Failed to initialize NVML: ${failure.message}\n${explainsMismatch ? `NVML library version: ${nvml}\n` : ''}`;
    default:
      return `Failed to initialize NVML: ${failure.message}\n`;
  }
}

/** Runs a command once: faults of the `Run` itself, then the command. */
export function runInWorld(world: World) {
  const effects = strike(world, 'Run', {});
  effects.forEach((effect) => suffer(world, effect));
  const exitCode = runCommand(world);
  const corrupted = world.gpus.filter(({ index }) =>
    effects.some((effect) => effect.kind === 'infoRom' && effect.gpu === index),
  );
  for (const { busId } of corrupted) world.print(`WARNING: infoROM is corrupted at gpu ${busId.slice(4)}\n`);
  return {
    exitCode: exitCode === 0 && corrupted.length > 0 ? NVML.corruptedInfoRom : exitCode,
    /** Damages the output before anybody reads it. */
    damage: (output: string) => effects.reduce(damageOutput, output),
  };
}

function suffer(world: World, effect: FaultEffect): void {
  if (effect.kind === 'reboot') world.changeState('Reboot', (state) => rebootNode(world.gpus, state));
  if (effect.kind === 'sleep') world.sleep(effect.milliseconds);
  if (effect.kind === 'hang') world.hang(effect.dies);
}
