import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import type { SelftestCheck } from '../../core/selftest/selftest.ts';
import { checkResetClients } from '../../core/selftest/health-checks.ts';
import { checkKubelet, checkNamespace, checkProcesses, type KubeletAnswer } from '../../core/selftest/idle-checks.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import { listGpuOpeners } from '../../device/host/gpu-openers.ts';
import { explainHiddenProcesses } from '../../device/host/host-processes.ts';
import { PodResourcesClient } from '../../kubelet/pod-resources.ts';
import type { PodOptions } from '../node/host-pods.ts';
import type { HostView } from './host-view.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** What can be shown of the proof that a GPU is idle: processes, their namespace, and the kubelet. */
export async function checkIdleProof(
  gpus: readonly ReportedGpu[],
  device: DeviceState | undefined,
  options: PodOptions,
  { proc, pid, isPod }: HostView,
): Promise<readonly SelftestCheck[]> {
  const listed = gpus.flatMap(({ processes }) => processes.flatMap((process) => process.pid ?? []));
  const ended = new Set(listed.filter((one) => !existsSync(join(proc, String(one)))));
  return [
    ...checkNamespace(explainHiddenProcesses({ proc, pid, isPod }), isPod),
    ...checkProcesses(gpus, ended),
    ...checkKubelet(device, await askKubelet(options)),
  ];
}

/** Who of this host would keep a GPU from being reset. */
export function checkOpeners(gpus: readonly ReportedGpu[], { proc, sys }: HostView): readonly SelftestCheck[] {
  return checkResetClients(gpus, listGpuOpeners(undefined, { proc, modules: join(sys, 'module') }));
}

async function askKubelet({ podResourcesSocket: socket, ignorePods = false }: PodOptions): Promise<KubeletAnswer> {
  if (ignorePods) return { state: 'Ignored' };
  if (!existsSync(socket)) return { state: 'NoSocket', socket };
  try {
    return { state: 'Told', holdings: await new PodResourcesClient({ socket }).list() };
  } catch (error) {
    return { state: 'Silent', why: messageOf(error) };
  }
}
