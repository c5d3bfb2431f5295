import { readFile } from 'node:fs/promises';

/** Memory of a process in MB (10^6 bytes), as /proc/PID/status tells it. */
export interface ProcessMemory {
  /** Resident, with the pages of node's own file, which all programs on a machine share. */
  readonly rss: number;
  /** Resident and the process's own. */
  readonly anonymous: number;
  /** Most that was ever resident. */
  readonly peak: number;
}

/** @throws the error of the operating system where there is no such process, or no /proc */
export async function readMemory(pid: number): Promise<ProcessMemory> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
    return (Number(kib) * 1024) / 1e6;
  };
  return { rss: field('VmRSS'), anonymous: field('RssAnon'), peak: field('VmHWM') };
}
