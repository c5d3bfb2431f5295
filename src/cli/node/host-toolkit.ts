import { resolve } from 'node:path';

import { refreshDeviceNodes } from '../../device/host/device-nodes.ts';
import { readTimeouts } from '../../device/command/timeout-options.ts';
import type { HostOptions } from './host.ts';

export interface ToolkitOptions extends HostOptions {
  readonly toolkitRoot?: string;
}

/** Updates this machine's device nodes and CDI specs to match its GPUs. @returns what does not match, and what to do */
export async function refreshHost(
  { toolkitRoot, driverRoot, nvidiaSmi, ...timeouts }: ToolkitOptions,
  cwd: string,
): Promise<readonly string[]> {
  // A named nvidia-smi may be for any machine: its devices are not known to be this machine's.
  const root = toolkitRoot ?? driverRoot ?? (nvidiaSmi === undefined ? '/' : undefined);
  const { changeMs } = readTimeouts(timeouts);
  const { problems } = await refreshDeviceNodes({
    roots: root === undefined ? [] : [resolve(cwd, root)],
    ...(driverRoot === undefined ? {} : { driverRoots: [resolve(cwd, driverRoot)] }),
    ...(changeMs === undefined ? {} : { timeoutMs: changeMs }),
  });
  return problems;
}
