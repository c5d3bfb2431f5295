import type { GpuReport, GpuWish } from '../../src/api/types.ts';

/** Counted independently, so that the product is not judged by its own count. */
export function isAsWished(gpu: GpuReport, wish: GpuWish): boolean {
  if (gpu.error !== undefined) return false;
  if (wish.mig === 'Disabled') return gpu.mig !== 'Enabled';
  const counts = new Map<string, number>();
  for (const { profile } of gpu.instances) counts.set(profile, (counts.get(profile) ?? 0) + 1);
  const wanted = Object.entries(wish.profiles ?? {});
  return (
    gpu.mig === 'Enabled' &&
    counts.size === wanted.length &&
    wanted.every(([name, count]) => counts.get(name) === count)
  );
}

/** What NVIDIA's device plugin advertises for GPUs; nothing if it would not start. */
export function countOffer(gpus: readonly GpuReport[], strategy: 'none' | 'single' | 'mixed'): Record<string, number> {
  const offer: Record<string, number> = {};
  const add = (name: string): void => {
    offer[name] = (offer[name] ?? 0) + 1;
  };
  const there = gpus.filter(({ error }) => error === undefined);
  for (const { mig, instances } of there) {
    if (mig !== 'Enabled') add('nvidia.com/gpu');
    else for (const { profile } of instances) add(strategy === 'single' ? 'nvidia.com/gpu' : resourceOf(profile));
  }
  const profiles = new Set(there.flatMap(({ instances }) => instances.map(({ profile }) => profile)));
  const isMixedUp =
    strategy === 'single' &&
    (there.some(({ mig, instances }) => mig === 'Enabled' && instances.length === 0) ||
      profiles.size > 1 ||
      (profiles.size > 0 && there.some(({ mig }) => mig !== 'Enabled')));
  return isMixedUp ? {} : offer;
}

function resourceOf(profile: string): string {
  return `nvidia.com/mig-${profile.replaceAll('+', '.')}`;
}
