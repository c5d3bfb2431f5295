import { cleanupFinalizer } from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuSelector, PolicySpec } from '../../api/types.ts';
import { sameJson } from '../text/fingerprint.ts';
import { variantsOf } from './schedules.ts';

/** Whether a policy is being deleted and first makes its GPUs whole. */
export function isRetiring({ metadata, spec }: GpuPartitionPolicy): boolean {
  const isHeld = metadata.finalizers?.includes(cleanupFinalizer) === true;
  return metadata.deletionTimestamp !== undefined && spec.onDelete === 'DisableMig' && isHeld;
}

/**
 * A policy that is being deleted, as it is carried out: the GPUs that it decided over become whole again, within its budget.
 * Whatever could keep it from ever finishing no longer applies: windows, a pause, a budget of 0, a threshold.
 */
export function retire(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { sharing: _over, demand: _served, schedules: _switched, ...spec } = policy.spec;
  const { canary: _first, windows: _windows, maxUnavailable = 1, ...rollout } = spec.rollout ?? {};
  const isHold = maxUnavailable === 0 || maxUnavailable === '0%';
  const whole: PolicySpec = {
    ...spec,
    mode: 'Enforce',
    layouts: selectorsOf(policy.spec).map((gpus) => ({ ...(gpus && { gpus }), mig: 'Disabled' })),
    rollout: { ...rollout, maxUnavailable: isHold ? 1 : maxUnavailable, failureThreshold: '100%', paused: false },
  };
  return { ...policy, spec: whole };
}

/** All GPUs over which any of its schedules decided; of equal selectors the one that takes the most. */
function selectorsOf(spec: PolicySpec): readonly (GpuSelector | undefined)[] {
  const [own, ...others] = variantsOf(spec).map(({ spec: { layouts = [{}] } }) => layouts.map(({ gpus }) => gpus));
  const found = [...(own ?? [])];
  for (const gpus of others.flat()) {
    const same = found.findIndex((one) => sameJson(withoutCount(one), withoutCount(gpus)));
    if (same === -1) found.push(gpus);
    else if ((gpus?.count ?? Infinity) > (found[same]?.count ?? Infinity)) found[same] = gpus;
  }
  return found;
}

function withoutCount({ count: _count, ...gpus }: GpuSelector = {}): GpuSelector {
  return gpus;
}

/** The finalizers that a policy should have; undefined if it already has them. */
export function wantedFinalizers(
  { metadata, spec }: GpuPartitionPolicy,
  isDone: boolean,
): readonly string[] | undefined {
  const { finalizers = [], deletionTimestamp } = metadata;
  const isWanted = spec.onDelete === 'DisableMig' && !isDone;
  const isThere = finalizers.includes(cleanupFinalizer);
  // No finalizer can be added to an object that is being deleted.
  if (isWanted === isThere || (isWanted && deletionTimestamp !== undefined)) return undefined;
  return isWanted ? [...finalizers, cleanupFinalizer] : finalizers.filter((one) => one !== cleanupFinalizer);
}
