import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from './durable-file.ts';

export interface HostFolders {
  /** `/proc` of the host. */
  readonly proc: string;
  /** `/sys/module` */
  readonly modules: string;
}

export const hostFolders: HostFolders = { proc: '/proc', modules: '/sys/module' };

/**
 * Who has a GPU open on this host: programs that the driver does not list, since they run nothing on it (DCGM, nvsm, Fabric
 * Manager, nvidia-persistenced, an X server), and a kernel module that does the same (mig-parted #181).
 *
 * @param minor of `/dev/nvidiaN`; undefined: of any GPU
 */
export function listGpuOpeners(
  minor: number | undefined,
  { proc, modules }: HostFolders = hostFolders,
): readonly string[] {
  const majors = readMajors(proc);
  const isMeant = (device: Device | undefined): boolean =>
    device !== undefined &&
    majors.has(device.major) &&
    (minor === undefined ? device.minor < firstOtherMinor : device.minor === minor);
  const programs = list(proc)
    .filter((name) => /^\d+$/.test(name))
    .toSorted((a, b) => Number(a) - Number(b))
    .filter((pid) => list(proc, pid, 'fd').some((fd) => isMeant(deviceAt(proc, pid, 'fd', fd))))
    .map((pid) => `${readName(proc, pid)} (pid ${pid}${describeOwner(readText(proc, pid, 'cgroup'))})`);
  const module = existsSync(join(modules, 'nvidia_drm'))
    ? ['the module nvidia_drm (modprobe -r nvidia_drm unloads it)']
    : [];
  return [...programs, ...module];
}

/** The number under which the driver registers its devices. */
const usualMajor = 195;
/** From here on the minor numbers are those of `nvidia-modeset` and `nvidiactl`, which are not a GPU's. */
const firstOtherMinor = 254;

function readMajors(proc: string): ReadonlySet<number> {
  const [characters = ''] = readText(proc, 'devices').split('Block devices:', 1);
  const majors = [...characters.matchAll(/^ *(\d+) nvidia(?:-frontend)?$/gm)].map(([, major]) => Number(major));
  return new Set(majors.length > 0 ? majors : [usualMajor]);
}

interface Device {
  readonly major: number;
  readonly minor: number;
  /** Permissions. */
  readonly mode: number;
}

/**
 * The device that an open file is, if it is one, whatever its path is called: a container has device files of its own, under any name. The
 * numbers are packed as in Linux' `dev_t`.
 */
export function deviceAt(...path: readonly string[]): Device | undefined {
  try {
    const { mode, rdev } = statSync(join(...path), { bigint: true });
    if ((mode & BigInt(constants.S_IFMT)) !== BigInt(constants.S_IFCHR)) return undefined;
    const major = Number(((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & ~0xfffn));
    const minor = Number((rdev & 0xffn) | ((rdev >> 12n) & ~0xffn));
    return { major, minor, mode: Number(mode & 0o7777n) };
  } catch {
    // It was closed since.
    return undefined;
  }
}

/** The systemd service of a process, by its `/proc/PID/cgroup`. */
export function unitOf(cgroup: string): string | undefined {
  return /\/([\w@.:-]+\.service)(?:\/|$)/m.exec(cgroup)?.[1];
}

function describeOwner(cgroup: string): string {
  const unit = unitOf(cgroup);
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

function readText(...path: readonly string[]): string {
  return readIfThere(join(...path)) ?? '';
}
