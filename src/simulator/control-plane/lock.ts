import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often a holder refreshes its lock, and after how long without a refresh anybody may take it. */
const beatMs = 2_000;
const staleMs = 15_000;

export interface LockOptions {
  /** Called on each look at a lock that somebody else holds; `since` in milliseconds of the epoch. */
  readonly onWait?: (since: number) => void;
  readonly pollMs?: number;
  readonly staleAfterMs?: number;
}

/**
 * Takes a lock file, waiting while another live process holds it. A dead process does not hold it: its pid is gone, or
 * (pid reused by another process, or a file from another machine) the file's time stands still.
 *
 * Two processes that find the same dead lock at the same instant could both take it; what the lock guards must then stay
 * correct, only slower (each build ends in an atomic rename).
 */
export async function takeLock(
  file: string,
  { onWait, pollMs = 500, staleAfterMs = staleMs }: LockOptions = {},
): Promise<AsyncDisposable> {
  const token = randomUUID();
  while (!(await createLock(file, token))) {
    const held = await readLock(file);
    if (held === undefined) continue;
    if (held.silentMs > staleAfterMs || !isAlive(held.pid)) {
      await removeStale(file, held.token);
      continue;
    }
    onWait?.(held.since);
    await sleep(pollMs);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, beatMs).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      if ((await readLock(file))?.token === token) await rm(file, { force: true });
    },
  };
}

async function createLock(file: string, token: string): Promise<boolean> {
  try {
    await writeFile(file, `${process.pid} ${Date.now()} ${token}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

interface HeldLock {
  readonly pid: number;
  readonly since: number;
  readonly token: string;
  readonly silentMs: number;
}

/** Undefined if the file is gone. A file that is still being written counts as held by an unknown, live process. */
async function readLock(file: string): Promise<HeldLock | undefined> {
  try {
    const [text, { mtimeMs }] = [await readFile(file, 'utf8'), await stat(file)];
    const [pid = '', since = '', token = ''] = text.trim().split(' ');
    return { pid: Number(pid), since: Number(since) || mtimeMs, token, silentMs: Date.now() - mtimeMs };
  } catch {
    return undefined;
  }
}

/** Moves the file before removing it, so that only one of two processes that do this removes it. */
async function removeStale(file: string, token: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  await rename(file, aside).catch(() => undefined);
  const moved = await readLock(aside);
  // Somebody took the lock between our look and our move: give it back.
  if (moved !== undefined && moved.token !== token) await rename(aside, file).catch(() => undefined);
  else await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
