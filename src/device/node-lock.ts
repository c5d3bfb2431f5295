import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeviceError } from './errors.ts';
import { makeFolder } from './state-folder.ts';

/** As long as it is held nobody else who takes the lock of this host changes GPUs. */
export interface NodeLock {
  /** False if the name of the lock is not ours any more (somebody emptied the folder): nothing may be started then. */
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface LockOptions {
  /** A folder of the host, made if it is missing; all programs that change the GPUs of this host must name the same one. */
  readonly folder: string;
  /** How long to wait for another holder; 0 answers at once, absent waits until the signal aborts. */
  readonly waitMs?: number;
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes the lock of this host: a listening Unix socket under a well-known name. Node has no flock; a file with a pid lies after a
 * crash, a socket without a listener does not, the kernel refuses to connect to it. (An abstract socket would need no clean-up,
 * but belongs to a network namespace: the pods of two agents would not see each other's.)
 *
 * @throws DeviceError Locked; JournalUnavailable if the folder cannot be written
 */
export async function lockNode(options: LockOptions): Promise<NodeLock> {
  const { folder, waitMs = Infinity, retryMs = 250, signal } = options;
  const own = join(folder, `lock.${randomBytes(6).toString('hex')}`);
  const name = join(folder, 'lock');
  const server = await listen(folder, own);
  const inode = statSync(own).ino;
  try {
    for (let waited = 0; !(await takeName(own, name)); waited += retryMs) {
      if (waited >= waitMs || signal?.aborted === true) throw refuse(name);
      await wait(retryMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  } catch (error) {
    await close(server);
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const isHeld = (): boolean => statSync(name, { throwIfNoEntry: false })?.ino === inode;
  return {
    isHeld,
    async release() {
      if (isHeld()) rmSync(name, { force: true });
      await close(server);
    },
  };
}

/** A link is made or refused in one step: of two who try, one has it. */
async function takeName(own: string, name: string): Promise<boolean> {
  if (makeLink(own, name)) return true;
  if (await isListening(name)) return false;
  // The holder died. Whoever moves its name away looks once more at what was moved: another may have been faster.
  const aside = `${own}.stale`;
  if (!move(name, aside)) return makeLink(own, name);
  if (await isListening(aside)) makeLink(aside, name);
  rmSync(aside, { force: true });
  return makeLink(own, name);
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

function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw unusable(from, error);
  }
}

/** Only a refusal proves that nobody listens: a stopped holder, or one with a full queue, still holds. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!hasCode(error, 'ECONNREFUSED') && !hasCode(error, 'ENOENT')));
  });
}

function listen(folder: string, path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    try {
      makeFolder(folder);
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function unusable(path: string, cause: unknown): DeviceError {
  const found = cause instanceof Error ? cause.message : String(cause);
  return new DeviceError('JournalUnavailable', { tried: `to lock ${path}`, found, cause });
}

function refuse(name: string): DeviceError {
  return new DeviceError('Locked', { tried: `to take ${name}`, found: 'another process holds it' });
}
