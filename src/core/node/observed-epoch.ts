import type { DeviceReport, GpuNodePartition, Grant } from '../../api/types.ts';

/**
 * The last grant that the agent has finished; 0 if there is none. No agent can finish what was never granted: a number above the
 * grant's own belongs to another object or was written by mistake or in bad faith, and is ignored.
 */
export function observedEpochOf(device: DeviceReport | undefined, granted: Grant | undefined): number {
  const { observedEpoch = 0 } = device ?? {};
  const highest = granted?.epoch ?? 0;
  return observedEpoch >= 0 && observedEpoch <= highest ? observedEpoch : 0;
}

/** The epoch of the next grant. */
export function nextEpoch({ spec }: GpuNodePartition): number {
  return (spec.granted?.epoch ?? 0) + 1;
}

/** Whether there is a grant that the agent has not finished. */
export function isUnanswered({ spec, status }: GpuNodePartition): boolean {
  return spec.granted !== undefined && observedEpochOf(status?.device, spec.granted) < spec.granted.epoch;
}
