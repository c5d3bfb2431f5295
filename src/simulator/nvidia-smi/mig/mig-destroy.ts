import { endWith } from '../command-exit.ts';
import { pad } from './mig-tables.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances, findGpuInstances } from './mig-scope.ts';
import { attempt } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { World } from '../state/world.ts';

/** `-dgi`: stops at the first failure; earlier ones are gone, later ones untouched. */
export function destroyGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi } of findGpuInstances(nvml, scope)) {
    const what = `GPU instance ID ${pad(gi.id)} from GPU ${pad(gpu.index)}`;
    const failure = attempt(() => nvml.destroyGpuInstance(gpu, gi.id));
    if (failure !== undefined) endWith(failure, `Unable to destroy ${what}`, 'Failed to destroy GPU instances');
    world.print(`Successfully destroyed ${what}\n`);
  }
}

/** `-dci`: as {@link destroyGpuInstances}. */
export function destroyComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi, ci } of findComputeInstances(nvml, scope)) {
    const what = `compute instance ID ${pad(ci.id)} from GPU ${pad(gpu.index)} GPU instance ID ${pad(gi.id)}`;
    const failure = attempt(() => nvml.destroyComputeInstance(gpu, gi.id, ci.id));
    if (failure !== undefined) endWith(failure, `Unable to destroy ${what}`, 'Failed to destroy compute instances');
    world.print(`Successfully destroyed ${what}\n`);
  }
}
