/** Where the operating system describes itself, and who asks. */
export interface HostView {
  readonly proc: string;
  readonly sys: string;
  /** Where the host's file system is, without a slash at its end: empty for this program's own. */
  readonly root: string;
  /** The kernel's log. */
  readonly kmsg: string;
  readonly pid: number;
  /** Whether this program runs in a pod's container. */
  readonly isPod: boolean;
}

const isPod = process.env['KUBERNETES_SERVICE_HOST'] !== undefined;

export const thisHost: HostView = {
  proc: '/proc',
  sys: '/sys',
  // A privileged pod in the host's process namespace.
  root: isPod ? '/proc/1/root' : '',
  kmsg: '/dev/kmsg',
  pid: process.pid,
  isPod,
};
