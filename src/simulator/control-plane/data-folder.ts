import { accessSync, constants, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** etcd alone preallocates 64 MB for its log, which is all that /dev/shm has in a container. */
const neededBytes = 1 << 30;

/** Creates a folder that only we can read: in memory if there is enough, since disks of test machines are slow. */
export async function makeDataFolder(memory = '/dev/shm', needed: number = neededBytes): Promise<string> {
  return mkdtemp(join(hasRoom(memory, needed) ? memory : tmpdir(), 'control-plane-'));
}

function hasRoom(folder: string, needed: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= needed;
  } catch {
    return false;
  }
}
