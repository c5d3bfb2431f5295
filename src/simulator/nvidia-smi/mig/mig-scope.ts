import { ciProfilesOf } from '../nvml/ci-profile.ts';
import { exitWith } from '../command-exit.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import type { ComputeInstance, GpuInstance } from '../state/node-state.ts';
import { attempt, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { World } from '../state/world.ts';

/** What an action is restricted to: MIG-enabled GPUs, GPU instance ids, compute instance ids. */
export interface InstanceScope {
  readonly gpus: readonly SimulatedGpu[];
  readonly gi: (id: number) => boolean;
  readonly ci: (id: number) => boolean;
}

export interface FoundGpuInstance {
  readonly gpu: SimulatedGpu;
  readonly gi: GpuInstance;
}

export interface FoundComputeInstance extends FoundGpuInstance {
  readonly ci: ComputeInstance;
}

/** GPU instances in scope, GPU by GPU. Ends the command if there are none or they cannot be listed. */
export function findGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): readonly FoundGpuInstance[] {
  const found = scope.gpus.flatMap((gpu) =>
    tryList(world, () => nvml.getGpuInstances(gpu), 'No GPU instances found')
      .filter((gi) => scope.gi(gi.id))
      .map((gi) => ({ gpu, gi })),
  );
  return found.length > 0 ? found : exitWith(world, NVML.notFound, 'No GPU instances found: Not Found\n');
}

/** Compute instances in scope, in the order of -lcip within a GPU instance. Ends the command if there are none. */
export function findComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): readonly FoundComputeInstance[] {
  const found = findGpuInstances(world, nvml, scope).flatMap(({ gpu, gi }) =>
    ciProfilesOf(gpu, gi)
      .flatMap(({ id }) => gi.computeInstances.filter(({ profileId }) => profileId === id))
      .filter((ci) => scope.ci(ci.id))
      .map((ci) => ({ gpu, gi, ci })),
  );
  return found.length > 0 ? found : exitWith(world, NVML.notFound, 'No compute instances found: Not Found\n');
}

/** Runs a call; if it fails, prints `what: reason` and ends the command. */
export function tryList<T>(world: World, call: () => T, what: string): T {
  const result = attempt(call);
  return result instanceof NvmlFailure ? exitWith(world, result.exitCode, `${what}: ${result.message}\n`) : result;
}
