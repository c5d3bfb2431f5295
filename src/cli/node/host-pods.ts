import { existsSync } from 'node:fs';
import type { Command } from 'commander';

import { holdersOf, listHeldIds } from '../../core/pods/slice-holders.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { reportDevice } from '../../core/report/report-device.ts';
import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import { PodResourcesClient } from '../../kubelet/pod-resources.ts';
import { readPath } from '../path-option.ts';
import { messageOf } from '../../core/text/message-of.ts';

export interface PodOptions {
  readonly podResourcesSocket: string;
  readonly ignorePods?: boolean;
}

export function addPodOptions(command: Command): Command {
  return command
    .option(
      '--pod-resources-socket <file>',
      'PodResources socket of a kubelet, which tells which pod holds which device; used if it exists',
      readPath,
      '/var/lib/kubelet/pod-resources/kubelet.sock',
    )
    .option(
      '--ignore-pods',
      'rely on processes alone; a pod that holds an instance without running a process on it is not noticed',
    );
}

/**
 * What the pods of this host hold, as `DeviceApplyOptions.listHeld` defines it. A host without a kubelet has none; one that has it now
 * has it until the end, though the socket is missing while it restarts.
 *
 * @returns the question; it throws DeviceError Stopped if the kubelet does not answer: unknown does not mean nobody
 */
export function listHeldOnHost(
  { podResourcesSocket, ignorePods = false }: PodOptions,
  device: DeviceState,
): () => Promise<ReadonlySet<string>> {
  if (ignorePods || !existsSync(podResourcesSocket)) return () => Promise.resolve(new Set());
  const kubelet = new PodResourcesClient({ socket: podResourcesSocket });
  return async () => {
    try {
      return listHeldIds(holdersOf(reportDevice(device), await kubelet.list()));
    } catch (cause) {
      const found = `${messageOf(cause)}; --ignore-pods proceeds without`;
      throw new DeviceError('Stopped', { tried: 'to ask the kubelet who holds a GPU', found, cause });
    }
  };
}
