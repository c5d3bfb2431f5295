import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** A holder needs a millisecond; after this long, it was stopped or its pid belongs to another process. */
const STALE_AFTER_MS = 10_000;
const RETRY_MS = 2;

/**
 * Runs `body` while only this process holds `path`, a file with its pid. Waits for a living holder, takes over from a dead one
 * (SIGKILL in the middle). Synchronous, so that no other work of this process can interleave.
 */
export function withFileLock<T>(path: string, body: () => T): T {
  acquire(path);
  try {
    return body();
  } finally {
    release(path);
  }
}

/** After a long stop, another process may have taken over: its lock is not ours to remove. */
function release(path: string): void {
  if (readHolder(path) === process.pid) {
    rmSync(path, { force: true });
  }
}

function acquire(path: string): void {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link either appears complete, with the pid in it, or fails: nobody ever reads an empty lock.
    while (!tryLink(own, path)) {
      if (isStale(path)) {
        takeAway(path, own);
      } else {
        pause(RETRY_MS);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Of several processes that find a stale lock, one removes it, after checking again under a second lock. */
function takeAway(path: string, own: string): void {
  const guard = `${path}.takeover`;
  if (!tryLink(own, guard)) {
    if (isStale(guard)) {
      rmSync(guard, { force: true });
    }
    pause(RETRY_MS);
    return;
  }
  try {
    if (isStale(path)) {
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(guard, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  }
}

function isStale(path: string): boolean {
  try {
    const pid = readHolder(path);
    const age = Date.now() - statSync(path).mtimeMs;
    return pid !== undefined && (age > STALE_AFTER_MS || !isAlive(pid));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return false;
    }
    throw error;
  }
}

/** Undefined if nobody holds the lock. */
function readHolder(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return undefined;
    }
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
