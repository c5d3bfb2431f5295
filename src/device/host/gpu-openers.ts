import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface HostFolders {
  /** `/proc` of the host. */
  readonly proc: string;
  /** `/sys/module` */
  readonly modules: string;
}

export const hostFolders: HostFolders = { proc: '/proc', modules: '/sys/module' };

/**
 * Who has a GPU open on this host: programs that no list of the driver shows, since they run nothing on it (DCGM, nvsm, Fabric
 * Manager, nvidia-persistenced, an X server), and a kernel module that does the same (mig-parted #181).
 *
 * @param minor of `/dev/nvidiaN`; undefined: of any GPU
 */
export function listGpuOpeners(
  minor: number | undefined,
  { proc, modules }: HostFolders = hostFolders,
): readonly string[] {
  // A driver's container has its own device files, below its root.
  const device = minor === undefined ? /\/dev\/nvidia\d+$/ : new RegExp(`/dev/nvidia${minor}$`);
  const programs = list(proc)
    .filter((name) => /^\d+$/.test(name))
    .toSorted((a, b) => Number(a) - Number(b))
    .filter((pid) => list(proc, pid, 'fd').some((fd) => device.test(readLink(proc, pid, 'fd', fd))))
    .map((pid) => `${readName(proc, pid)} (pid ${pid}${describeOwner(readText(proc, pid, 'cgroup'))})`);
  const module = existsSync(join(modules, 'nvidia_drm'))
    ? ['the module nvidia_drm (modprobe -r nvidia_drm unloads it)']
    : [];
  return [...programs, ...module];
}

function describeOwner(cgroup: string): string {
  const unit = /\/([\w@.:-]+\.service)(?:\/|$)/m.exec(cgroup)?.[1];
  if (/(?:^|[/-])pod[0-9a-f][0-9a-f_-]+/m.test(cgroup)) return ', a pod';
  return unit === undefined ? '' : `, ${unit}`;
}

function readName(proc: string, pid: string): string {
  return (
    readText(proc, pid, 'comm')
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, 64) || 'a process'
  );
}

function list(...path: readonly string[]): readonly string[] {
  try {
    return readdirSync(join(...path));
  } catch {
    // The process has ended since.
    return [];
  }
}

function readLink(...path: readonly string[]): string {
  try {
    return readlinkSync(join(...path));
  } catch {
    return '';
  }
}

function readText(...path: readonly string[]): string {
  try {
    return readFileSync(join(...path), 'utf8');
  } catch {
    return '';
  }
}
