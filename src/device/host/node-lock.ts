import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeviceError } from '../../core/gpu/device-state.ts';
import { isListening } from '../../process/health.ts';
import { makeOwnFolder } from './journal.ts';
import { messageOf } from '../../core/text/words.ts';

/** The lock of a host: while it is held, no other program that takes it changes GPUs. */
export interface NodeLock {
  /** Why the lock is no longer ours (somebody emptied the folder), and nothing may be started; undefined as long as it is. */
  explainLoss(): string | undefined;
  release(): Promise<void>;
}

interface NodeLockOptions {
  /** A folder of the host, created if missing; all programs that change the GPUs of this host must name the same one. */
  readonly folder: string;
  /** How long to wait for another holder; 0 answers at once; absent, it waits until the signal aborts. */
  readonly waitMs?: number;
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes the lock of this host: a listening Unix socket under a well-known name. Node has no flock; a pid file lies after a
 * crash; a socket without a listener does not, since the kernel refuses connections to it. (An abstract socket would need no
 * clean-up, but belongs to a network namespace: the pods of two agents would not see each other's.)
 *
 * The names are numbered, `lock.1`, `lock.2` and so on; the highest is the lock. See {@link takeName}.
 *
 * @throws DeviceError Locked; JournalUnavailable if the folder cannot be written
 */
export async function lockNode(options: NodeLockOptions): Promise<NodeLock> {
  const { folder, waitMs = Infinity, retryMs = 250, signal } = options;
  const own = join(folder, `socket.${randomBytes(6).toString('hex')}`);
  const server = await listen(folder, own);
  const inode = statSync(own).ino;
  let name: string | undefined;
  try {
    for (let waited = 0; (name = await takeName(folder, own)) === undefined; waited += retryMs) {
      if (waited >= waitMs || signal?.aborted === true) throw refuse(folder);
      await wait(retryMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const path = name;
  await removeLeftovers(folder);
  const descriptor = findDescriptor(server);
  if (descriptor !== undefined) descriptors.add(descriptor);
  return {
    explainLoss: () => explainLoss(path, inode),
    // The name stays: a name without a listener is free, and only a higher name may remove a number.
    release: () => {
      if (descriptor !== undefined) descriptors.delete(descriptor);
      return server[Symbol.asyncDispose]();
    },
  };
}

/** Older than any moment between making such a socket and listening on it, in ms. */
const leftoverMs = 60_000;

/** Removes sockets of programs that were killed while they waited for the lock. A socket on which somebody listens stays. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((one) => /^socket\.[0-9a-f]{12}$/.test(one))) {
    const path = join(folder, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - madeAt > leftoverMs && !(await isListening(path))) rmSync(path, { force: true });
  }
}

function explainLoss(path: string, inode: number): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })?.ino;
  if (found === inode) return undefined;
  const change = found === undefined ? 'is gone' : 'is another file now';
  return `the lock ${path} ${change}: somebody emptied or restored its folder, and others may change the GPUs`;
}

/**
 * Open sockets of the locks that this process holds. A child that changes GPUs inherits them: it outlives this process if that is
 * killed, and nobody may begin before the child has finished what it was told to do, at worst a GPU reset.
 */
export function listLockDescriptors(): readonly number[] {
  return [...descriptors];
}

const descriptors = new Set<number>();

/** Node has no public name for it. */
function findDescriptor(server: Server): number | undefined {
  const handle: unknown = '_handle' in server ? server._handle : undefined;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}

/**
 * Takes the next number if nobody listens on the highest. Creating a link is atomic: of two who try, one gets it.
 *
 * The name of a live holder is never moved or removed, so two never hold the lock at once, however slow anybody is between two lines:
 * - a number is taken above a name only if that name refuses a connection, and a socket that refused once refuses forever;
 * - a name is removed only by the holder of a higher one, which stays until a yet higher one exists;
 * - so whoever links a number that others had already passed finds a higher name afterwards, and withdraws.
 *
 * @returns the name; undefined if somebody else holds the lock or was faster
 */
async function takeName(folder: string, own: string): Promise<string | undefined> {
  const highest = Math.max(0, ...listNumbers(folder));
  if (highest > 0 && (await isListening(nameOf(folder, highest)))) return undefined;
  const name = nameOf(folder, highest + 1);
  if (!makeLink(own, name)) return undefined;
  const numbers = listNumbers(folder);
  if (numbers.some((number) => number > highest + 1)) {
    rmSync(name, { force: true });
    return undefined;
  }
  for (const number of numbers) if (number <= highest) rmSync(nameOf(folder, number), { force: true });
  return name;
}

function listNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder).flatMap((name) => (/^lock\.\d{1,15}$/.test(name) ? [Number(name.slice(5))] : []));
  } catch (error) {
    throw unusable(folder, error);
  }
}

function nameOf(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

function makeLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw unusable(to, error);
  }
}

/** The longest path of a Unix socket, in bytes (unix(7)). */
const longestPath = 107;

function listen(folder: string, path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    try {
      makeOwnFolder(folder);
      const bytes = Buffer.byteLength(path);
      // The system's own word for it would be `invalid argument`.
      if (bytes > longestPath)
        throw new Error(`a socket in it would have a path of ${bytes} bytes, and Linux takes ${longestPath}`);
    } catch (error) {
      reject(unusable(folder, error));
      return;
    }
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => reject(unusable(path, error)));
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function unusable(path: string, cause: unknown): DeviceError {
  const found = messageOf(cause);
  return new DeviceError('JournalUnavailable', { tried: `to lock ${path}`, found, cause });
}

function refuse(folder: string): DeviceError {
  return new DeviceError('Locked', { tried: `to take the lock in ${folder}`, found: 'another process holds it' });
}
