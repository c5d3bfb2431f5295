import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A program of the host that has a GPU's device file open: a reset is refused as long as it does. */
export interface GpuClient {
  readonly pid: number;
  readonly name: string;
  /** `/dev/nvidia0`, sorted. */
  readonly devices: readonly string[];
}

/** Files that are not of one GPU say nothing of who holds it, but for what runs on all of them. */
const deviceFile = /^\/dev\/(?:nvidia\d+|nvidiactl|nvidia-nvswitch\S*)$/;

/**
 * Programs of the host that have a device file of the driver open, by pid. A process that may not be looked into, or has ended
 * meanwhile, is passed over: without root these are all of other users.
 *
 * @param proc `/proc`
 */
export function listGpuClients(proc: string, own: number): readonly GpuClient[] {
  return listNumbers(proc).flatMap((pid): readonly GpuClient[] => {
    const folder = join(proc, String(pid), 'fd');
    const files = listNumbers(folder).flatMap(
      (descriptor) => tryRead(() => readlinkSync(join(folder, String(descriptor)))) ?? [],
    );
    const devices = [...new Set(files.filter((file) => deviceFile.test(file)))].toSorted();
    if (devices.length === 0 || pid === own) return [];
    return [
      { pid, name: tryRead(() => readFileSync(join(proc, String(pid), 'comm'), 'utf8').trim()) ?? 'unknown', devices },
    ];
  });
}

/** Modules of the kernel that keep a GPU open without a process (mig-parted #181). */
export function listHoldingModules(sys: string): readonly string[] {
  return ['nvidia_drm'].filter((name) => existsSync(join(sys, 'module', name)));
}

function listNumbers(folder: string): readonly number[] {
  const names = tryRead(() => readdirSync(folder)) ?? [];
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
