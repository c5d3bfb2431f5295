import type { DeviceReport, GpuNodePartition, Grant } from '../../api/types.ts';

/**
 * The last grant that the agent is done with; 0 where there is none. Nobody can be done with what was never granted: a number
 * above the grant's own is of another object, or written by mistake or in bad faith, and says nothing.
 */
export function observedEpochOf(device: DeviceReport | undefined, granted: Grant | undefined): number {
  const { observedEpoch = 0 } = device ?? {};
  const highest = granted?.epoch ?? 0;
  return observedEpoch >= 0 && observedEpoch <= highest ? observedEpoch : 0;
}

/** Whether a grant stands that the agent is not done with. */
export function isUnanswered({ spec, status }: GpuNodePartition): boolean {
  return spec.granted !== undefined && observedEpochOf(status?.device, spec.granted) < spec.granted.epoch;
}
