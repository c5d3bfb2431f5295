import type { Layout } from '../geometry/geometry.ts';
import { placeOf } from '../search/instance.ts';
import { type GpuChangeResult, planGpuChange } from './gpu-change.ts';
import type { GpuView, ViewedInstance } from './gpu-view.ts';

/**
 * Plans what makes a GPU what it shall be with a reset on the way, which nothing survives: all that is there goes, and all that is
 * wanted is made anew.
 *
 * @param mayTouch as for {@link planGpuChange}
 */
export function planGpuReset(
  view: GpuView,
  want: Layout,
  mayTouch: (place: Pick<ViewedInstance, 'profile' | 'start'>) => boolean,
): GpuChangeResult {
  const mig = view.mig && ({ current: 'Enabled', pending: 'Enabled' } as const);
  // As MIG mode off does, a reset needs that nobody has anything of the GPU.
  const emptied = planGpuChange({ ...view, mig }, 'Disabled', mayTouch);
  if ('refusal' in emptied) {
    const { code, inTheWay } = emptied.refusal;
    if (code !== 'InUse' || inTheWay.length === 0) return emptied;
    const message = `${inTheWay.map(placeOf).join(', ')} in use; the GPU is reset with its next change, when that has ended`;
    return { refusal: { code, inTheWay, message } };
  }
  const made = planGpuChange({ ...view, instances: [], mig, use: 'None' }, want, mayTouch);
  if ('refusal' in made) return made;
  return {
    change: {
      ...emptied.change,
      resets: true,
      mode: view.mig?.current === 'Enabled' ? undefined : 'Enable',
      steps: [...emptied.change.steps, ...made.change.steps],
      create: made.change.create,
    },
  };
}
