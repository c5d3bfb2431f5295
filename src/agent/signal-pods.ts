import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Programs that read the devices at start, by their file name. On SIGHUP the first two do so again (NVIDIA/k8s-device-plugin); the DRA
 * driver exits, and its container starts again (kubernetes-sigs/dra-driver-nvidia-gpu).
 */
const programs: readonly string[] = ['nvidia-device-plugin', 'gpu-feature-discovery', 'gpu-kubelet-plugin'];

export interface ProcessTable {
  /** The host's `/proc`: the agent runs in the host's process namespace. */
  readonly proc: string;
  readonly kill: (pid: number) => void;
}

export const hostProcesses: ProcessTable = { proc: '/proc', kill: (pid) => void process.kill(pid, 'SIGHUP') };

/**
 * Makes what hands out the devices in these pods read them again, as NVIDIA's own config-manager does: SIGHUP to its process. Its pod
 * stays. A process must match both the file name and the pod's uid in its cgroup: nothing else is ever signalled.
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
      // It has ended since; its successor reads the devices at its start.
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
