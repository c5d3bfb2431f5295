import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Kills the processes of the node whose command line has this word.
 *
 * @returns how many there were; a child that has just been forked has its parent's command line, and does not count
 */
export async function killPrograms(word: string, podUid = ''): Promise<number> {
  const found = new Map<string, string>();
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = (await readText(pid, 'cmdline')).split('\0');
    if (!words.includes(word) || !(await readText(pid, 'cgroup')).includes(podUid)) continue;
    found.set(pid, /^PPid:\s*(\d+)$/m.exec(await readText(pid, 'status'))?.[1] ?? '');
  }
  for (const pid of found.keys()) kill(Number(pid));
  return [...found.values()].filter((parent) => !found.has(parent)).length;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function readText(pid: string, file: string): Promise<string> {
  return readFile(join('/proc', pid, file), 'utf8').catch(() => '');
}
