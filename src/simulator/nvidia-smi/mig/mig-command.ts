import { exitWith } from '../command-exit.ts';
import { selectGpus } from '../gpu-selection.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { MIG_HELP } from '../help/mig.ts';
import { createComputeInstances, createGpuInstances } from './mig-create.ts';
import { destroyComputeInstances, destroyGpuInstances } from './mig-destroy.ts';
import { parseIdFilter } from './mig-argument.ts';
import {
  listComputeInstances,
  listComputePlacements,
  listComputeProfiles,
  listGpuInstances,
  listPlacements,
  listProfiles,
} from './mig-list.ts';
import type { MigAction, MigOption } from './mig-options.ts';
import { ACTION_ORDER, MIG_OPTIONS } from './mig-options.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances } from './mig-scope.ts';
import { attempt, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { Options } from '../option.ts';
import { scanOptions, textOf } from '../option.ts';
import type { World } from '../state/world.ts';

/** `nvidia-smi mig …`: `argv` is what follows `mig`. Returns the exit code. */
export function runMigCommand(world: World, nvml: Nvml, argv: readonly string[]): number {
  const scanned = scanOptions(argv, MIG_OPTIONS);
  switch (scanned.kind) {
    case 'unknown':
      return exitWith(world, NVML.invalidArgument, `Option "${scanned.word}" is not recognized.\n`);
    case 'missingValue':
      return exitWith(world, NVML.invalidArgument, `Option "${scanned.word}" is missing its value.\n`);
    case 'options':
      return runAction(world, nvml, scanned.options);
  }
}

function runAction(world: World, nvml: Nvml, options: Options<MigOption>): number {
  const action = ACTION_ORDER.find((candidate) => options.has(candidate));
  if (options.has('help') || (action === undefined && !options.has('C'))) {
    world.print(MIG_HELP);
    return 0;
  }
  nvml.init();
  const supported = selectGpus(world, nvml, textOf(options, 'id')).flatMap((gpu) => {
    const isOn = migModeOf(nvml, gpu);
    return isOn === undefined ? [] : [{ gpu, isOn }];
  });
  if (supported.length === 0) {
    return exitWith(world, NVML.notFound, 'No MIG-supported devices found.\n');
  }
  const isOfModels = action === 'lgip' || action === 'lgipp';
  const listsAll = isOfModels && nvml.driver.listsWithMigOff;
  const enabled = supported.filter(({ isOn }) => isOn || listsAll).map(({ gpu }) => gpu);
  if (enabled.length === 0) {
    world.print('No MIG-enabled devices found.\n');
    return 0;
  }
  if (isOfModels) {
    return action === 'lgip' ? listProfiles(world, nvml, enabled) : listPlacements(world, nvml, enabled);
  }
  const scope: InstanceScope = {
    gpus: enabled,
    gi: parseIdFilter(textOf(options, 'gi')),
    ci: parseIdFilter(textOf(options, 'ci')),
  };
  return action === undefined ? checkOnly(world, nvml, scope) : act(world, nvml, action, scope, options);
}

function act(
  world: World,
  nvml: Nvml,
  action: Exclude<MigAction, 'lgip' | 'lgipp'>,
  scope: InstanceScope,
  options: Options<MigOption>,
): number {
  switch (action) {
    case 'lgi':
      return listGpuInstances(world, nvml, scope);
    case 'lcip':
      return listComputeProfiles(world, nvml, scope);
    case 'lcipp':
      return listComputePlacements(world, nvml, scope);
    case 'lci':
      return listComputeInstances(world, nvml, scope);
    case 'cgi':
      return createGpuInstances(world, nvml, scope, textOf(options, 'cgi') ?? '', options.has('C'));
    case 'cci':
      return createComputeInstances(world, nvml, scope, textOf(options, 'cci'));
    case 'dgi':
      return destroyGpuInstances(world, nvml, scope);
    case 'dci':
      return destroyComputeInstances(world, nvml, scope);
  }
}

/** `-C` alone looks up compute instances and then does nothing. */
function checkOnly(world: World, nvml: Nvml, scope: InstanceScope): number {
  findComputeInstances(world, nvml, scope);
  return 0;
}

/** Undefined if the mode cannot be read: `mig` treats such a GPU as one without MIG. */
function migModeOf(nvml: Nvml, gpu: SimulatedGpu): boolean | undefined {
  const mode = attempt(() => nvml.getMigMode(gpu));
  return mode instanceof NvmlFailure ? undefined : mode.current;
}
