import { join, resolve } from 'node:path';
import { Journal } from '../../device/host/journal.ts';
import { lockNode, type NodeLock } from '../../device/host/node-lock.ts';
import { reportAsync } from './host.ts';

export interface HostLockOptions {
  /** Folder of the lock and the journal. */
  readonly stateDir: string;
  /** How long to wait for another program, in seconds. */
  readonly lockTimeout: number;
}

/** What only the holder of the lock may use. */
export interface LockedHost {
  readonly lock: NodeLock;
  readonly journal: Journal;
  /** `stateDir` as an absolute path. */
  readonly folder: string;
}

/**
 * Works under the lock of this host, and releases it whatever happens.
 * @throws CliError with code 1 if the lock is not available
 */
export async function withHostLock<Result>(
  { stateDir, lockTimeout }: HostLockOptions,
  cwd: string,
  work: (host: LockedHost) => Promise<Result>,
): Promise<Result> {
  const folder = resolve(cwd, stateDir);
  const lock = await reportAsync(1, () => lockNode({ folder, waitMs: lockTimeout * 1000 }));
  try {
    return await work({ lock, journal: new Journal({ path: join(folder, 'journal.json') }), folder });
  } finally {
    await lock.release();
  }
}
