import { ciProfilesOf } from '../nvml/ci-profile.ts';
import { exitWith } from '../command-exit.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { attempt, NVML, NvmlFailure } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';

/** What an action is restricted to: MIG-enabled GPUs, GPU instance ids, compute instance ids. */
export interface InstanceScope {
  readonly gpus: readonly SimulatedGpu[];
  readonly gi: (id: number) => boolean;
  readonly ci: (id: number) => boolean;
}

/** GPU instances in scope, GPU by GPU. Ends the command if there are none or they cannot be listed. */
export function findGpuInstances(nvml: Nvml, scope: InstanceScope) {
  const found = scope.gpus.flatMap((gpu) =>
    tryList(() => nvml.getGpuInstances(gpu), 'No GPU instances found')
      .filter((gi) => scope.gi(gi.id))
      .map((gi) => ({ gpu, gi })),
  );
  return found.length > 0 ? found : exitWith(NVML.notFound, 'No GPU instances found: Not Found\n');
}

/** Compute instances in scope, in the order of -lcip within a GPU instance. Ends the command if there are none. */
export function findComputeInstances(nvml: Nvml, scope: InstanceScope) {
  const found = findGpuInstances(nvml, scope).flatMap(({ gpu, gi }) =>
    ciProfilesOf(gpu, gi)
      .flatMap(({ id }) => gi.computeInstances.filter(({ profileId }) => profileId === id))
      .filter((ci) => scope.ci(ci.id))
      .map((ci) => ({ gpu, gi, ci })),
  );
  return found.length > 0 ? found : exitWith(NVML.notFound, 'No compute instances found: Not Found\n');
}

/** Runs a call; if it fails, prints `what: reason` and ends the command. */
export function tryList<T>(call: () => T, what: string): T {
  const result = attempt(call);
  return result instanceof NvmlFailure ? exitWith(result.exitCode, `${what}: ${result.message}\n`) : result;
}
