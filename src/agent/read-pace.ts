import { doubledMs } from '../core/text/duration.ts';
import { retryMs } from '../core/report/report-fields.ts';

/** How often the device is read while somebody is in the way of the wish, in ms. */
const busyReadMs = 5_000;
/** The same during a drain. */
const drainReadMs = 1_000;
/** A kubelet that has not answered is asked again after this many ms, then after twice as many each time, and so often. */
const quickMs = 250;
const mostQuick = 5;

/** What decides how soon the device is read again. */
export interface ReadNeed {
  /** The usual time between two readings, in ms. */
  readonly intervalMs: number;
  /** Consecutive failed readings. */
  readonly failures: number;
  /** Whether there is an earlier reading, and the last one failed only for want of a kubelet, which may be restarting. */
  readonly isKubeletAway: boolean;
  /** The plan waits for somebody who uses a GPU. */
  readonly isInUse: boolean;
  /** Pods are told to go: the node is closed. */
  readonly isDraining: boolean;
}

/** Whether the kubelet has not been away for long: the last reading is worth keeping. */
export function mayBeBackSoon({ isKubeletAway, failures }: Pick<ReadNeed, 'isKubeletAway' | 'failures'>): boolean {
  return isKubeletAway && failures > 0 && failures <= mostQuick;
}

/** Time from one reading to the next, in ms. */
export function readPaceMs(need: ReadNeed): number {
  const { intervalMs, failures, isInUse, isDraining } = need;
  if (mayBeBackSoon(need)) return doubledMs({ baseMs: quickMs, maxMs: intervalMs }, failures);
  if (failures > 0) return Math.min(intervalMs, retryMs(failures));
  // Even when all known pods have gone: the controller waits to hear of a late pod.
  if (isDraining) return Math.min(drainReadMs, intervalMs);
  return isInUse ? Math.min(busyReadMs, intervalMs) : intervalMs;
}
