import type { DeviceReport, GpuNodePartition, Grant } from '../../api/types.ts';

/** An object that lost grants (a restored backup, a client that dropped one) is not further behind its agent than this. */
const mostAhead = 1_000_000;

/**
 * The last grant that the agent has finished; 0 if there is none. For an agent that remembers none itself: a number above the
 * grant's own was written by mistake, in bad faith or for an object that lost grants, and is ignored.
 */
export function observedEpochOf(device: DeviceReport | undefined, granted: Grant | undefined): number {
  return upTo(granted?.epoch ?? 0, device);
}

/** The epoch of the next grant: above the one that stands, and above the one that the agent says it has finished. */
export function nextEpoch({ spec, status }: GpuNodePartition): number {
  const granted = spec.granted?.epoch ?? 0;
  return Math.max(granted, upTo(granted + mostAhead, status?.device)) + 1;
}

/** Whether there is a grant that the agent has not finished. It acts on none below the one that it has finished. */
export function isUnanswered({ spec, status }: GpuNodePartition): boolean {
  const { granted } = spec;
  return granted !== undefined && upTo(granted.epoch + mostAhead, status?.device) < granted.epoch;
}

function upTo(highest: number, { observedEpoch = 0 }: DeviceReport = {}): number {
  return observedEpoch >= 0 && observedEpoch <= highest ? observedEpoch : 0;
}
