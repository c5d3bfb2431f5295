import type { GpuReport, GpuWish, Wish } from '../../api/types.ts';
import { canonicalJson, fingerprint, sameJson } from '../text/fingerprint.ts';
import { onceEach } from '../text/once-each.ts';
import { computeInstancesOf } from '../gpu/state/compute-instances.ts';
import { nameWhole } from '../gpu/geometry/profile-name.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';

type HashedWish = Pick<Wish, 'gpus' | 'replaceForeignInstances'>;

/**
 * Hash of a wish: it identifies the wish that the agent's plan was made for. Which entry chose a GPU changes no plan. Each decision
 * asks for that of a wish that rarely changes.
 */
export const wishHash = onceEach(({ gpus, replaceForeignInstances }: HashedWish): string => {
  const sorted = gpus.map(({ entry: _entry, ...rest }) => rest).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  return fingerprint(canonicalJson(replaceForeignInstances === true ? [sorted, 'replaceForeignInstances'] : sorted));
});

/** What is on the GPU, in a layout's terms: the compute instances that workloads can use, by profile. */
export function layoutOf(gpu: GpuReport): Layout {
  const counts: Record<string, number> = {};
  for (const instance of gpu.instances) {
    for (const { profile } of computeInstancesOf(instance)) {
      const name = nameWhole(profile, instance.profile);
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}

/** Whether the GPU matches the wish. A GPU without MIG support matches `mig: Disabled`. */
export function meetsWish(gpu: GpuReport, wish: GpuWish): boolean {
  if (gpu.error !== undefined) return false;
  const settled = gpu.migPending === undefined || gpu.migPending === gpu.mig;
  if (wish.mig === 'Disabled') return gpu.mig !== 'Enabled' && settled;
  if (gpu.mig !== 'Enabled' || !settled) return false;
  // A GPU instance without a compute instance takes up room and is of no use: the layout is not done.
  if (gpu.instances.some((instance) => computeInstancesOf(instance).length === 0)) return false;
  return sameJson(layoutOf(gpu), wish.profiles ?? {});
}

/** Whether every GPU that the wish names exists and matches. */
export function deviceMeets(gpus: readonly GpuReport[], wish: Wish['gpus']): boolean {
  return wish.every((one) => {
    const gpu = gpus.find(({ uuid }) => uuid === one.uuid);
    return gpu !== undefined && meetsWish(gpu, one);
  });
}
