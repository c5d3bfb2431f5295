import { exitWith } from '../command-exit.ts';
import { selectGpus } from '../gpu-selection.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { migHelp } from '../help/mig.ts';
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
import { MIG_OPTIONS, type MigAction, type MigOption } from './mig-options.ts';
import { findComputeInstances, type InstanceScope } from './mig-scope.ts';
import { attempt, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { type Options, scanOptions, textOf } from '../option.ts';
import type { World } from '../state/world.ts';

/** `nvidia-smi mig …`: `argv` is what follows `mig`. */
export function runMigCommand(world: World, nvml: Nvml, argv: readonly string[]): void {
  const { isAfter470 } = nvml.driver;
  const known = MIG_OPTIONS.filter(({ name }) => isAfter470 || name !== 'lcipp');
  const scanned = scanOptions<MigOption>(argv, known);
  switch (scanned.kind) {
    case 'unknown':
      return exitWith(NVML.invalidArgument, `Option "${scanned.word}" is not recognized.\n`);
    case 'missingValue':
      return exitWith(NVML.invalidArgument, `Option "${scanned.word}" is missing its value.\n`);
    case 'options':
      return runAction(world, nvml, scanned.options);
  }
}

type Act = (world: World, nvml: Nvml, scope: InstanceScope, options: Options<MigOption>) => void;

/**
 * Of several actions in one call only the first of this order runs, the others are silently dropped. Recorded: -lgi before -lci and
 * -dgi, -cgi before -dgi and -cci; the rest of the order is our choice.
 */
const ACTIONS: Readonly<Record<MigAction, Act>> = {
  lgip: listProfiles,
  lgipp: listPlacements,
  lgi: listGpuInstances,
  cgi: createGpuInstances,
  dgi: destroyGpuInstances,
  lcip: listComputeProfiles,
  lcipp: listComputePlacements,
  lci: listComputeInstances,
  cci: createComputeInstances,
  dci: destroyComputeInstances,
};

/** `-C` alone looks up compute instances and then does nothing. */
const lookUp: Act = (_world, nvml, scope) => void findComputeInstances(nvml, scope);

function runAction(world: World, nvml: Nvml, options: Options<MigOption>): void {
  const action = (Object.keys(ACTIONS) as readonly MigAction[]).find((candidate) => options.has(candidate));
  const { driver } = nvml;
  if (options.has('help') || (action === undefined && !options.has('C'))) return world.print(migHelp(driver));
  nvml.init();
  const supported = selectGpus(nvml, textOf(options, 'id')).flatMap((gpu) => {
    const isOn = migModeOf(nvml, gpu);
    return isOn === undefined ? [] : [{ gpu, isOn }];
  });
  if (supported.length === 0 && driver.listsWithMigOff) exitWith(NVML.notFound, 'No MIG-supported devices found.\n');
  const listsAll = (action === 'lgip' || action === 'lgipp') && driver.listsWithMigOff;
  const gpus = supported.filter(({ isOn }) => isOn || listsAll).map(({ gpu }) => gpu);
  if (gpus.length === 0) exitWith(driver.migOffCode, 'No MIG-enabled devices found.\n');
  const act = action === undefined ? lookUp : ACTIONS[action];
  const [gi, ci] = [parseIdFilter(textOf(options, 'gi')), parseIdFilter(textOf(options, 'ci'))];
  act(world, nvml, { gpus, gi, ci }, options);
}

/** Undefined if the mode cannot be read: `mig` treats such a GPU as one without MIG. */
function migModeOf(nvml: Nvml, gpu: SimulatedGpu): boolean | undefined {
  const mode = attempt(() => nvml.getMigMode(gpu));
  return mode instanceof NvmlFailure ? undefined : mode.current;
}
