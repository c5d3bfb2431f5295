import { ciProfilesOf, nameCi, type DriverVersions } from './board.ts';
import {
  endWith,
  exitWith,
  type Options,
  textOf,
  type OptionSpec,
  selectGpus,
  scanOptions,
  describeInvalid,
  switchWords,
} from './options.ts';
import type { SimulatedGpu } from './device.ts';
import {
  type ProfileTuple,
  findByIdOrName,
  parseProfileTuples,
  pad,
  type InstanceScope,
  findGpuInstances,
  tryList,
  findComputeInstances,
  parseIdFilter,
  listComputeInstances,
  listComputePlacements,
  listComputeProfiles,
  listGpuInstances,
  listPlacements,
  listProfiles,
} from './mig-tables.ts';
import type { GpuInstance } from './state.ts';
import { attempt, NVML, NvmlFailure, describeNvmlCode } from './nvml-code.ts';
import type { Nvml } from './nvml.ts';
import type { World } from './world.ts';
import { migHelp } from './help.ts';

const NO_GPU_INSTANCES = 'Failed to create GPU instances';
const NO_COMPUTE_INSTANCES = 'Failed to create compute instances';

type MigOptions = Options<MigOption>;

/** `-cgi`, perhaps with `-C`. Creates in order, stops at the first failure and keeps what it has created. */
function createGpuInstances(world: World, nvml: Nvml, { gpus }: InstanceScope, options: MigOptions): void {
  const tuples = parseProfileTuples(textOf(options, 'cgi') ?? '');
  for (const gpu of gpus) {
    for (const tuple of tuples) {
      const made = createGpuInstance(world, nvml, gpu, tuple);
      if (options.has('C')) createComputeInstance(world, nvml, gpu, made, DEFAULT_PROFILE, NO_GPU_INSTANCES);
    }
  }
}

/** `-cci`: in every GPU instance in scope, the default profile if none is given. */
function createComputeInstances(world: World, nvml: Nvml, scope: InstanceScope, options: MigOptions): void {
  const text = textOf(options, 'cci');
  // Where compute instances have no placements, a colon is part of the name.
  const parse = (given: string): readonly ProfileTuple[] =>
    parseProfileTuples(given).map((tuple) => (nvml.driver.isAfter470 ? tuple : { ...tuple, profile: tuple.text }));
  const tuples = text === undefined ? [DEFAULT_PROFILE] : parse(text);
  for (const { gpu, gi } of findGpuInstances(nvml, scope)) {
    for (const tuple of tuples) createComputeInstance(world, nvml, gpu, gi, tuple, NO_COMPUTE_INSTANCES);
  }
}

/** Stands for the profile marked `*` in -lcip; messages use its text. */
const DEFAULT_PROFILE: ProfileTuple = { text: 'default', profile: '' };

function createGpuInstance(world: World, nvml: Nvml, gpu: SimulatedGpu, tuple: ProfileTuple): GpuInstance {
  const where = `on GPU ${pad(gpu.index)}`;
  if (tuple.profile === '') {
    // The misspelling is nvidia-smi's.
    const complaint = `Unable to create a GPU instace ${where} using profile ${tuple.text}: invalid placement syntax\n`;
    exitWith(NVML.invalidArgument, `${complaint}${NO_GPU_INSTANCES}: Invalid Argument\n`);
  }
  const profile = findByIdOrName(nvml.findGiProfiles(gpu), tuple.profile);
  // With a start the placements are queried first, and that failure has no line of its own.
  if (tuple.start !== undefined) tryList(() => nvml.checkGiPlacements(gpu), NO_GPU_INSTANCES);
  const tried = `Unable to create a GPU instance ${where} using profile ${tuple.text}`;
  if (profile === undefined) endWith(new NvmlFailure(NVML.invalidArgument), tried, NO_GPU_INSTANCES);
  const made = attempt(() => nvml.createGpuInstance(gpu, profile, tuple.start));
  if (made instanceof NvmlFailure) endWith(made, tried, NO_GPU_INSTANCES);
  const used = `using profile MIG ${profile.name} (ID ${pad(profile.id)})`;
  world.print(`Successfully created GPU instance ID ${pad(made.id)} ${where} ${used}\n`);
  return made;
}

function createComputeInstance(
  world: World,
  nvml: Nvml,
  gpu: SimulatedGpu,
  gi: GpuInstance,
  tuple: ProfileTuple,
  summary: string,
): void {
  const where = `on GPU ${pad(gpu.index)} GPU instance ID ${pad(gi.id)}`;
  const profiles = ciProfilesOf(gpu, gi);
  const profile =
    tuple === DEFAULT_PROFILE ? profiles.find(({ isDefault }) => isDefault) : findByIdOrName(profiles, tuple.profile);
  const tried = `Unable to create a compute instance ${where} using profile ${tuple.text}`;
  if (profile === undefined) endWith(new NvmlFailure(NVML.invalidArgument), tried, summary);
  const made = attempt(() => nvml.createComputeInstance(gpu, gi.id, profile, tuple.start));
  if (made instanceof NvmlFailure) endWith(made, tried, summary);
  const used = `using profile MIG ${nameCi(profile, nvml.driver)} (ID ${pad(profile.id)})`;
  world.print(`Successfully created compute instance ID ${pad(made.id)} ${where} ${used}\n`);
}

/** `-dgi`: stops at the first failure; earlier ones are gone, later ones untouched. */
function destroyGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi } of findGpuInstances(nvml, scope)) {
    const what = `GPU instance ID ${pad(gi.id)} from GPU ${pad(gpu.index)}`;
    const failure = attempt(() => nvml.destroyGpuInstance(gpu, gi.id));
    if (failure !== undefined) endWith(failure, `Unable to destroy ${what}`, 'Failed to destroy GPU instances');
    world.print(`Successfully destroyed ${what}\n`);
  }
}

/** `-dci`: as {@link destroyGpuInstances}. */
function destroyComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi, ci } of findComputeInstances(nvml, scope)) {
    const what = `compute instance ID ${pad(ci.id)} from GPU ${pad(gpu.index)} GPU instance ID ${pad(gi.id)}`;
    const failure = attempt(() => nvml.destroyComputeInstance(gpu, gi.id, ci.id));
    if (failure !== undefined) endWith(failure, `Unable to destroy ${what}`, 'Failed to destroy compute instances');
    world.print(`Successfully destroyed ${what}\n`);
  }
}

const MIG_OPTIONS = [
  { name: 'help', spellings: ['-h', '--help'], value: 'none' },
  { name: 'id', spellings: ['-i', '--id'], value: 'required' },
  { name: 'gi', spellings: ['-gi', '--gpu-instance-id'], value: 'required' },
  { name: 'ci', spellings: ['-ci', '--compute-instance-id'], value: 'required' },
  { name: 'lgip', spellings: ['-lgip', '--list-gpu-instance-profiles'], value: 'none' },
  { name: 'lgipp', spellings: ['-lgipp', '--list-gpu-instance-possible-placements'], value: 'none' },
  { name: 'C', spellings: ['-C', '--default-compute-instance'], value: 'none' },
  { name: 'cgi', spellings: ['-cgi', '--create-gpu-instance'], value: 'required' },
  { name: 'dgi', spellings: ['-dgi', '--destroy-gpu-instance'], value: 'none' },
  { name: 'lgi', spellings: ['-lgi', '--list-gpu-instances'], value: 'none' },
  { name: 'lcip', spellings: ['-lcip', '--list-compute-instance-profiles'], value: 'none' },
  { name: 'lcipp', spellings: ['-lcipp', '--list-compute-instance-possible-placements'], value: 'none' },
  { name: 'cci', spellings: ['-cci', '--create-compute-instance'], value: 'optional' },
  { name: 'dci', spellings: ['-dci', '--destroy-compute-instance'], value: 'none' },
  { name: 'lci', spellings: ['-lci', '--list-compute-instances'], value: 'none' },
] as const satisfies readonly OptionSpec<string>[];

type MigOption = (typeof MIG_OPTIONS)[number]['name'];

/** Options that ask for an action; the others restrict it. */
type MigAction = Exclude<MigOption, 'help' | 'id' | 'gi' | 'ci' | 'C'>;

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
 * Actions in order: of several in one call only the first of this order runs, the others are silently dropped. Recorded: -lgi before -lci
 * and -dgi, -cgi before -dgi and -cci; the rest of the order is our choice.
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

/** Whether MIG mode is on; undefined if it cannot be read: `mig` treats such a GPU as one without MIG. */
function migModeOf(nvml: Nvml, gpu: SimulatedGpu): boolean | undefined {
  const mode = attempt(() => nvml.getMigMode(gpu));
  return mode instanceof NvmlFailure ? undefined : mode.current;
}

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
