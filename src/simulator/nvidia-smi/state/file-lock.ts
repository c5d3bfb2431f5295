import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** A holder needs a millisecond, or refreshes the time of its lock; after this long, it was stopped or its pid belongs to another process. */
const STALE_AFTER_MS = 15_000;

const RETRY_MS = 2;

/** Runs `body` while only this process holds `path`. Synchronous, so that no other work of this process can interleave. */
export function withFileLock<T>(path: string, body: () => T): T {
  while (!tryLock(path)) pause(RETRY_MS);
  try {
    return body();
  } finally {
    releaseLock(path);
  }
}

/** After a long stop, another process may have taken over: its lock is not ours to remove. */
export function releaseLock(path: string): void {
  if (readHolder(path)?.pid === process.pid) {
    rmSync(path, { force: true });
  }
}

/**
 * Takes a lock, a file with the pid of its holder and the time, unless a living process holds it. What a dead one (SIGKILL in the
 * middle) has left is removed for the next try.
 */
export function tryLock(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${Date.now()}`);
  try {
    // A link either appears complete, with the pid in it, or fails: nobody ever reads an empty lock.
    if (tryLink(own, path)) return true;
    if (isStale(path)) takeAway(path, own);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Of several processes that find a stale lock, one removes it, after checking again under a second lock. */
function takeAway(path: string, own: string): void {
  const guard = `${path}.takeover`;
  if (!tryLink(own, guard)) {
    if (isStale(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isStale(path)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  const holder = readHolder(path);
  const file = statSync(path, { throwIfNoEntry: false });
  if (holder === undefined || file === undefined) return false;
  return Date.now() - file.mtimeMs > STALE_AFTER_MS || !isAlive(holder.pid);
}

/** Undefined if nobody holds the lock. `since` in milliseconds of the epoch. */
export function readHolder(path: string): { readonly pid: number; readonly since: number } | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [pid = 0, since = 0] = text.split(' ').map(Number);
  return { pid, since };
}

/** Undefined if there is no such file. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** Blocks this thread. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
