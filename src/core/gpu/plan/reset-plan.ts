import type { Layout } from '../geometry/geometry.ts';
import { placeOf } from '../search/instance.ts';
import { type GpuChangeResult, type MayTouch, planGpuChange } from './gpu-change.ts';
import type { GpuView } from './gpu-view.ts';

/**
 * Plans the change of a GPU with a reset, which nothing survives: everything is destroyed, and all that is wanted is recreated.
 *
 * @param mayTouch as for {@link planGpuChange}
 */
export function planGpuReset(view: GpuView, want: Layout, mayTouch: MayTouch): GpuChangeResult {
  const mig = view.mig && ({ current: 'Enabled', pending: 'Enabled' } as const);
  // Like disabling MIG mode, a reset requires that nothing on the GPU is in use.
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
