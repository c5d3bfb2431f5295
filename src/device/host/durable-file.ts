import { constants, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { makeOwnFolder } from './state-folder.ts';
import { messageOf } from '../../core/text/message-of.ts';

/**
 * Writes a file of the state folder: on disk when it returns, and never half of it.
 * @throws DeviceError JournalUnavailable
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  try {
    makeOwnFolder(dirname(path));
    rmSync(next, { force: true });
    await writeThrough(next, text);
    renameSync(next, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    const found = messageOf(cause);
    throw new DeviceError('JournalUnavailable', { tried: `to write ${path}`, found, cause });
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  // Anybody who may write to the folder could have left a link there, to a file of the host.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
