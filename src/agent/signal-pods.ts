import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Programs that read the devices at their start and on SIGHUP, by the name of their file (NVIDIA/k8s-device-plugin). */
const programs: readonly string[] = ['nvidia-device-plugin', 'gpu-feature-discovery'];

export interface ProcessTable {
  /** `/proc` of the host: the agent is running in its process namespace. */
  readonly proc: string;
  readonly kill: (pid: number) => void;
}

export const hostProcesses: ProcessTable = { proc: '/proc', kill: (pid) => void process.kill(pid, 'SIGHUP') };

/**
 * Has the device plugin in these pods look at the devices again, as NVIDIA's own config-manager does: SIGHUP to its process. Its pod
 * stays. A process is known by its file's name and by the uid of its pod in its cgroup, both: nothing else is ever signalled.
 *
 * @returns uids of the pods of which a process was signalled
 */
export async function signalPods(
  uids: readonly string[],
  { proc, kill }: ProcessTable = hostProcesses,
): Promise<readonly string[]> {
  if (uids.length === 0) return [];
  const signalled = new Set<string>();
  for (const name of await readdir(proc).catch((): string[] => [])) {
    if (!/^\d+$/.test(name)) continue;
    const [program = ''] = (await readText(proc, name, 'cmdline')).split('\0');
    if (!programs.includes(basename(program))) continue;
    const cgroup = await readText(proc, name, 'cgroup');
    const uid = uids.find((candidate) => isOfPod(cgroup, candidate));
    if (uid === undefined) continue;
    try {
      kill(Number(name));
      signalled.add(uid);
    } catch {
      // It has ended since; whatever comes in its place looks at the devices when it starts.
    }
  }
  return uids.filter((uid) => signalled.has(uid));
}

/** `…/kubepods-burstable-pod1234_abcd.slice/…` (systemd) or `…/burstable/pod1234-abcd/…` (cgroupfs). */
function isOfPod(cgroup: string, uid: string): boolean {
  return [uid, uid.replaceAll('-', '_')].some((name) =>
    cgroup.split(/[/\n]/).some((part) => part.replace(/\.slice$/, '').endsWith(`pod${name}`)),
  );
}

async function readText(...path: readonly string[]): Promise<string> {
  return readFile(join(...path), 'utf8').catch(() => '');
}
