import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from './durable-file.ts';

/** Inode of the machine's own process namespace (the kernel's PROC_PID_INIT_INO). */
const initial = 'pid:[4026531836]';

export interface ProcessView {
  readonly proc: string;
  readonly pid: number;
  /** Whether this is a container of a pod. */
  readonly isPod: boolean;
}

/**
 * Why this process may not see the host's processes; undefined if it does. nvidia-smi lists no processes of another namespace, so a
 * busy instance would look idle. In a pod without `hostPID`, process 1 belongs to the pod itself: it is this container's first, or
 * the pause container if the pod shares its namespace.
 */
export function explainHiddenProcesses({ proc, pid, isPod }: ProcessView): string | undefined {
  if (!isPod || readNamespace(proc) === initial) return undefined;
  const read = (path: string): string | undefined => readIfThere(join(proc, path))?.trim();
  const first = read('1/cgroup');
  // A node that is itself a container (kind) has its own namespace, and an init that belongs to no pod.
  const isOwn = pid === 1 || first === undefined || first === read('self/cgroup') || read('1/comm') === 'pause';
  if (!isOwn) return undefined;
  return (
    'the agent’s pod does not see the host’s processes, so a GPU in use would look idle: ' +
    'set hostPID: true in its DaemonSet, as config/agent has it'
  );
}

function readNamespace(proc: string): string | undefined {
  try {
    return readlinkSync(join(proc, 'self/ns/pid'));
  } catch {
    return undefined;
  }
}
