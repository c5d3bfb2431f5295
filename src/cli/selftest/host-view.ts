/** Where the operating system describes itself, and who asks. */
export interface HostView {
  readonly proc: string;
  readonly sys: string;
  readonly pid: number;
  /** Whether this program runs in a pod's container. */
  readonly isPod: boolean;
}

export const thisHost: HostView = {
  proc: '/proc',
  sys: '/sys',
  pid: process.pid,
  isPod: process.env['KUBERNETES_SERVICE_HOST'] !== undefined,
};
