// Room device: one node's GPUs as its agent reads, reports, claims and plans them.
// Ask here which grant is live, answered or taken back, and for how long one is confirmed, in ms.
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

/**
 * A grant that was not answered in time is taken back by the next one, which names no plan. Any agent refuses a grant whose plan
 * is not the one that it makes itself, also one of an earlier version. What may become of the GPUs stays in it: what the agent has
 * made is recognised by that.
 */
export function revoke(partition: GpuNodePartition): Pick<Grant, 'epoch' | 'planHash'> {
  return { epoch: nextEpoch(partition), planHash: '' };
}

/** Whether this takes the grant before it back. */
export function isRevocation({ planHash }: Grant): boolean {
  return planHash === '';
}

/** Whether there is a grant that the agent may act on. */
export function isGrantLive(partition: GpuNodePartition): boolean {
  const { granted } = partition.spec;
  return granted !== undefined && !isRevocation(granted) && isUnanswered(partition);
}

const longestConfirmedMs = 30_000;
/** Grants of an earlier version do not say how long they are valid. */
const usualSeconds = 600;

/** Milliseconds after the API server's confirmation of a grant in which the agent may begin to destroy because of it. */
export function confirmedMs({ seconds = usualSeconds }: Grant): number {
  return Math.min(longestConfirmedMs, (seconds * 1000) / 3);
}
