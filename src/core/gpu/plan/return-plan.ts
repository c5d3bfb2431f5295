import { computeInstanceSlices } from '../geometry/profile-name.ts';
import { placeOf } from '../search/instance.ts';
import type { ViewedInstance } from './gpu-view.ts';
import type { Step } from './step.ts';

/**
 * Steps from the current state back to an earlier one: the same profiles at the same starts with the same compute instances. An
 * instance that did not exist then is destroyed only if it may be.
 *
 * @param isMade whether an instance that did not exist before was created meanwhile by whoever returns
 */
export function planReturn(
  now: readonly ViewedInstance[],
  before: readonly ViewedInstance[],
  isMade: (instance: ViewedInstance) => boolean,
): readonly Step[] {
  const same = (a: ViewedInstance) => (b: ViewedInstance) => placeOf(a) === placeOf(b);
  const destroyed = now.filter((instance) => !before.some(same(instance)) && isMade(instance));
  const created = before
    .filter((instance) => !now.some(same(instance)))
    .toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const kept = before.flatMap((was) => now.filter(same(was)).map((is) => ({ was, is })));
  return [
    ...kept.flatMap(({ was, is }) => difference('DestroyComputeInstances', is, was)),
    ...destroyed.map((instance): Step => ({ action: 'DestroyInstance', ...describe(instance) })),
    ...created.map((instance): Step => ({ action: 'CreateInstance', ...describe(instance) })),
    ...kept.flatMap(({ was, is }) => difference('CreateComputeInstances', was, is)),
  ];
}

/** A step with the compute instances that `more` has beyond `less`. */
function difference(
  action: 'DestroyComputeInstances' | 'CreateComputeInstances',
  more: ViewedInstance,
  less: ViewedInstance,
): readonly Step[] {
  const rest = [...less.computeInstances];
  const computeInstances = describe(more).computeInstances.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
  return computeInstances.length === 0 ? [] : [{ action, ...describe(less), computeInstances }];
}

function describe({ profile, start, computeInstances }: ViewedInstance): Omit<Step, 'action'> {
  const largestFirst = computeInstances.toSorted((a, b) => computeInstanceSlices(b, 0) - computeInstanceSlices(a, 0));
  return { profile, start, computeInstances: largestFirst };
}
