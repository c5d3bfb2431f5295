import type { GpuReport, GpuWish, PolicySpec } from '../../src/api/types.ts';
import { computeInstancesOf } from '../../src/core/gpu/device-state.ts';
import { resourceOf } from './plugin.ts';

/** Counted independently, so that the product is not judged by its own count. */
export function isAsWished(gpu: GpuReport, wish: GpuWish): boolean {
  if (gpu.error !== undefined || gpu.migPending !== undefined) return false;
  if (wish.mig === 'Disabled') return gpu.mig !== 'Enabled';
  const counts = new Map<string, number>();
  for (const { profile } of gpu.instances) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  const wanted = Object.entries(wish.profiles ?? {});
  return (
    gpu.mig === 'Enabled' &&
    gpu.instances.every((one) => computeInstancesOf(one).length > 0) &&
    counts.size === wanted.length &&
    wanted.every(([name, count]) => counts.get(name) === count)
  );
}

/** How a device plugin offers devices. */
export interface ExpectedSettings {
  readonly strategy: 'none' | 'single' | 'mixed';
  readonly sharing?:
    | { readonly resources: readonly { readonly name: string; readonly replicas: number }[] }
    | undefined;
}

/** How the plugin is to offer devices under a policy. */
export function offeringOf({ strategy, sharing }: Pick<PolicySpec, 'strategy' | 'sharing'>): ExpectedSettings {
  const resources = (sharing?.timeSlicing ?? []).map(({ resource, replicas }) => ({ name: resource, replicas }));
  return { strategy, sharing: { resources } };
}

/** What NVIDIA's device plugin advertises for GPUs; nothing if it would not start. */
export function countOffer(
  gpus: readonly GpuReport[],
  { strategy, sharing }: ExpectedSettings,
): Record<string, number> {
  const offer: Record<string, number> = {};
  const add = (name: string): void => {
    offer[name] = (offer[name] ?? 0) + (sharing?.resources.find((one) => one.name === name)?.replicas ?? 1);
  };
  const there = gpus.filter(({ error }) => error === undefined);
  for (const { mig, instances } of there) {
    if (mig !== 'Enabled' || strategy === 'none') add('nvidia.com/gpu');
    // A GPU instance without a compute instance, as a stopped change may leave it, is not offered.
    else
      for (const { profile } of instances.filter((one) => computeInstancesOf(one).length > 0))
        add(strategy === 'single' ? 'nvidia.com/gpu' : resourceOf(profile));
  }
  return isMixedUp(gpus, strategy) ? {} : offer;
}

/** Whether NVIDIA's device plugin would not start. One that runs keeps what it offers, as far as that exists. */
export function isMixedUp(gpus: readonly GpuReport[], strategy: ExpectedSettings['strategy']): boolean {
  const there = gpus.filter(({ error }) => error === undefined);
  const profiles = new Set(there.flatMap(({ instances }) => instances.map(({ profile }) => profile)));
  return (
    strategy === 'single' &&
    (there.some(({ mig, instances }) => mig === 'Enabled' && instances.length === 0) ||
      profiles.size > 1 ||
      (profiles.size > 0 && there.some(({ mig }) => mig !== 'Enabled')))
  );
}
