import { endWith } from '../command-exit.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances, findGpuInstances } from './mig-scope.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { World } from '../state/world.ts';

/** `-dgi`: stops at the first failure; earlier ones are gone, later ones untouched. */
export function destroyGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  for (const { gpu, gi } of findGpuInstances(world, nvml, scope)) {
    const what = `GPU instance ID ${pad(gi.id)} from GPU ${pad(gpu.index)}`;
    try {
      nvml.destroyGpuInstance(gpu, gi.id);
    } catch (error) {
      endWith(world, error, `Unable to destroy ${what}`, 'Failed to destroy GPU instances');
    }
    world.print(`Successfully destroyed ${what}\n`);
  }
  return 0;
}

/** `-dci`: as {@link destroyGpuInstances}. */
export function destroyComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  for (const { gpu, gi, ci } of findComputeInstances(world, nvml, scope)) {
    const what = `compute instance ID ${pad(ci.id)} from GPU ${pad(gpu.index)} GPU instance ID ${pad(gi.id)}`;
    try {
      nvml.destroyComputeInstance(gpu, gi.id, ci.id);
    } catch (error) {
      endWith(world, error, `Unable to destroy ${what}`, 'Failed to destroy compute instances');
    }
    world.print(`Successfully destroyed ${what}\n`);
  }
  return 0;
}

function pad(id: number): string {
  return String(id).padStart(2);
}
