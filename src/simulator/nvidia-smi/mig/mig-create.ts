import { ciProfilesOf, nameCi } from '../nvml/ci-profile.ts';
import { endWith, exitWith } from '../command-exit.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import type { ProfileTuple } from './mig-argument.ts';
import { findByIdOrName, parseProfileTuples } from './mig-argument.ts';
import type { MigOption } from './mig-options.ts';
import { pad } from './mig-tables.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findGpuInstances, tryList } from './mig-scope.ts';
import type { GpuInstance } from '../state/node-state.ts';
import { attempt, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { type Options, textOf } from '../option.ts';
import type { World } from '../state/world.ts';

const NO_GPU_INSTANCES = 'Failed to create GPU instances';
const NO_COMPUTE_INSTANCES = 'Failed to create compute instances';

type MigOptions = Options<MigOption>;

/** `-cgi`, perhaps with `-C`. Creates in order, stops at the first failure and keeps what it has created. */
export function createGpuInstances(world: World, nvml: Nvml, { gpus }: InstanceScope, options: MigOptions): void {
  const tuples = parseProfileTuples(textOf(options, 'cgi') ?? '');
  for (const gpu of gpus) {
    for (const tuple of tuples) {
      const made = createGpuInstance(world, nvml, gpu, tuple);
      if (options.has('C')) createComputeInstance(world, nvml, gpu, made, DEFAULT_PROFILE, NO_GPU_INSTANCES);
    }
  }
}

/** `-cci`: in every GPU instance in scope, the default profile if none is given. */
export function createComputeInstances(world: World, nvml: Nvml, scope: InstanceScope, options: MigOptions): void {
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
