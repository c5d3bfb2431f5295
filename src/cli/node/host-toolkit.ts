import { resolve } from 'node:path';

import { askToolkit, type DeviceNodeOptions, refreshDeviceNodes } from '../../device/host/device-nodes.ts';
import { readTimeouts } from '../../device/command/timeout-options.ts';
import type { HostOptions } from './host.ts';

export interface ToolkitOptions extends HostOptions {
  readonly toolkitRoot?: string;
}

/** Updates this machine's device nodes and CDI specs to match its GPUs. @returns what does not match, and what to do */
export async function refreshHost(options: ToolkitOptions, cwd: string): Promise<readonly string[]> {
  const timeoutMs = readTimeouts(options).changeMs;
  return (await refreshDeviceNodes({ ...findRoots(options, cwd), timeoutMs })).problems;
}

/** What the toolkit of this machine says of itself. */
export function askHostToolkit(options: ToolkitOptions, cwd: string): ReturnType<typeof askToolkit> {
  return askToolkit(findRoots(options, cwd));
}

function findRoots(
  { toolkitRoot, driverRoot, nvidiaSmi }: ToolkitOptions,
  cwd: string,
): Pick<DeviceNodeOptions, 'roots' | 'driverRoots'> {
  // A named nvidia-smi may be for any machine: its devices are not known to be this machine's.
  const root = toolkitRoot ?? driverRoot ?? (nvidiaSmi === undefined ? '/' : undefined);
  return {
    roots: root === undefined ? [] : [resolve(cwd, root)],
    driverRoots: driverRoot === undefined ? undefined : [resolve(cwd, driverRoot)],
  };
}
