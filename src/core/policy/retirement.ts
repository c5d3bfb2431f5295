import { cleanupFinalizer } from '../../api/names.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';

/** Whether a policy is being deleted, and makes its GPUs whole before it goes. */
export function isRetiring({ metadata, spec }: GpuPartitionPolicy): boolean {
  const isHeld = metadata.finalizers?.includes(cleanupFinalizer) === true;
  return metadata.deletionTimestamp !== undefined && spec.onDelete === 'DisableMig' && isHeld;
}

/**
 * A policy that is being deleted, as it is carried out: the GPUs that it decided over become whole again, within its budget. What would
 * keep it from ever ending does not count any more: windows, a pause, a budget of 0, a threshold.
 */
export function retire(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { sharing: _over, ...spec } = policy.spec;
  const { canary: _first, windows: _windows, maxUnavailable = 1, ...rollout } = spec.rollout ?? {};
  const isHold = maxUnavailable === 0 || maxUnavailable === '0%';
  const whole: PolicySpec = {
    ...spec,
    mode: 'Enforce',
    layouts: spec.layouts.map(({ gpus }) => ({ ...(gpus && { gpus }), mig: 'Disabled' })),
    rollout: { ...rollout, maxUnavailable: isHold ? 1 : maxUnavailable, failureThreshold: '100%', paused: false },
  };
  return { ...policy, spec: whole };
}

/** The finalizers that a policy shall have; undefined where it has them. */
export function wantedFinalizers(
  { metadata, spec }: GpuPartitionPolicy,
  isDone: boolean,
): readonly string[] | undefined {
  const { finalizers = [], deletionTimestamp } = metadata;
  const isWanted = spec.onDelete === 'DisableMig' && !isDone;
  const isThere = finalizers.includes(cleanupFinalizer);
  // None can be added to what is being deleted.
  if (isWanted === isThere || (isWanted && deletionTimestamp !== undefined)) return undefined;
  return isWanted ? [...finalizers, cleanupFinalizer] : finalizers.filter((one) => one !== cleanupFinalizer);
}
