import { statusBounds } from '../../api/generated/gpu-node-partition.bounds.ts';
import { retryAnnotation } from '../../api/names.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { fitWithin } from '../text/cut-text.ts';
import { sameJson } from '../text/fingerprint.ts';
import { isSameLoad, loadIdOf } from '../wish/load-id.ts';
import type { NodeView } from './node-view.ts';
import { isUnanswered } from './observed-epoch.ts';

/** A layout that something else keeps changing is repaired at most this often within this many ms. */
export const mostRepairs = 3;
const repairWindowMs = 3600_000;

/**
 * Whether a grant now would restore a finished layout that a person or another program has changed since. Not after a failure, which
 * has its own pace, nor in a new boot or load of the driver, in which no instance is left.
 */
export function isRepair(partition: GpuNodePartition): boolean {
  const { granted, wish } = partition.spec;
  const { step, lastGood, ...device } = partition.status?.device ?? {};
  return (
    granted !== undefined &&
    !isUnanswered(partition) &&
    step === 'Idle' &&
    lastGood !== undefined &&
    isSameLoad(lastGood.bootID, loadIdOf(device)) &&
    sameJson(granted.gpus, wish?.gpus)
  );
}

const waitBounds = statusBounds.properties.waits.items.properties.of;

/** With which text somebody has last asked for a retry, as much of it as a wait can remember. */
export function retryAskedWith({ metadata }: NodeView): string | undefined {
  const text = metadata.annotations?.[retryAnnotation];
  return text === undefined ? undefined : fitWithin(text, waitBounds);
}

/** RFC 3339 times of the repairs that count, the oldest first. */
export function recentRepairs({ spec }: GpuNodePartition, now: number): readonly string[] {
  return (spec.repairs ?? []).filter((time) => Date.parse(time) > now - repairWindowMs).slice(-7);
}

/** Whether something else keeps changing the device, so that it is not repaired for now. */
export function isDrifting(partition: GpuNodePartition, now: number): boolean {
  return driftEndsAt(partition, now) !== undefined;
}

/** When a drifting device is repaired again, in ms since the epoch; undefined if it does not drift. */
export function driftEndsAt(partition: GpuNodePartition, now: number): number | undefined {
  const repairs = recentRepairs(partition, now);
  const [oldest] = repairs.slice(-mostRepairs);
  if (oldest === undefined || repairs.length < mostRepairs || !isRepair(partition)) return undefined;
  return Date.parse(oldest) + repairWindowMs;
}
