import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Kills the processes of the node whose command line has this word. @returns how many there were */
export async function killPrograms(word: string, podUid = ''): Promise<number> {
  let killed = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = (await readText(pid, 'cmdline')).split('\0');
    if (!words.includes(word) || !(await readText(pid, 'cgroup')).includes(podUid)) continue;
    process.kill(Number(pid), 'SIGKILL');
    killed += 1;
  }
  return killed;
}

async function readText(pid: string, file: string): Promise<string> {
  return readFile(join('/proc', pid, file), 'utf8').catch(() => '');
}
