import { setTimeout as sleep } from 'node:timers/promises';

/** @returns false if the signal aborted first */
export function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
