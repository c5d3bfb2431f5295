import { utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { readHolder, releaseLock, tryLock } from '../nvidia-smi/state/file-lock.ts';

/** How often a holder refreshes its lock, so that its age shows that it lives. */
const beatMs = 2_000;
const pollMs = 500;

/**
 * Takes a lock file for work of minutes, waiting while another live process holds it.
 *
 * @param onWait called on each look at a lock that somebody else holds; `since` in milliseconds of the epoch
 */
export async function takeLock(file: string, onWait?: (since: number) => void): Promise<AsyncDisposable> {
  while (!tryLock(file)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    onWait?.(holder.since);
    await sleep(pollMs);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, beatMs).unref();
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(beat);
      releaseLock(file);
      return Promise.resolve();
    },
  };
}
