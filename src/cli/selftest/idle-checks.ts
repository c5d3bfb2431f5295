import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { holdersOf, listUnresolved } from '../../core/pods/slice-holders.ts';
import { countWords } from '../../core/text/count-words.ts';
import { explainHiddenProcesses } from '../../device/host/host-processes.ts';
import { reportDevice } from '../../core/gpu/state/report-device.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { DeviceState } from '../../core/gpu/state/device-state.ts';
import { PodResourcesClient } from '../../kubelet/pod-resources.ts';
import type { PodOptions } from '../node/host-pods.ts';
import type { SelftestCheck } from './check.ts';
import type { HostView } from './host-view.ts';

/** What can be shown of the proof that a GPU is idle: processes, their namespace, and the kubelet. */
export async function checkIdleProof(
  gpus: readonly ReportedGpu[],
  device: DeviceState | undefined,
  options: PodOptions,
  host: HostView,
): Promise<readonly SelftestCheck[]> {
  return [...checkNamespace(host), ...checkProcesses(gpus, host), ...(await checkKubelet(device, options))];
}

function checkNamespace({ proc, pid, isPod }: HostView): readonly SelftestCheck[] {
  const hidden = explainHiddenProcesses({ proc, pid, isPod });
  if (hidden !== undefined) return [{ area: 'Idle', verdict: 'Finding', message: hidden }];
  const message = isPod
    ? 'this pod sees the processes of the host (hostPID)'
    : 'this is no pod: nvidia-smi and this program see the processes of the machine';
  return [{ area: 'Idle', verdict: 'Good', message }];
}

function checkProcesses(gpus: readonly ReportedGpu[], { proc }: HostView): readonly SelftestCheck[] {
  const checks = gpus.flatMap(({ processes, mig }, index): readonly SelftestCheck[] => {
    const listed = processes.flatMap(({ pid }) => pid ?? []);
    const unlisted = processes.filter(({ pid }) => pid === undefined);
    const absent = listed.filter((pid) => !existsSync(join(proc, String(pid))));
    const untold = processes.filter(({ pid, instance }) => pid !== undefined && instance === undefined);
    return [
      ...(listed.length > absent.length
        ? [good(`GPU ${index}: ${countProcesses(listed.length - absent.length)} seen, in /proc too`)]
        : []),
      ...(absent.length > 0
        ? [
            unknown(
              `GPU ${index}: pid ${absent.join(', ')} of nvidia-smi is not in /proc: it has ended just now, or this program is in ` +
                'another process namespace; run this again',
            ),
          ]
        : []),
      ...unlisted.map(({ name, instance = '?' }) => finding(`GPU ${index}, GPU instance ${instance}: ${name}`)),
      ...(mig?.current === 'Enabled' && untold.length > 0
        ? [
            note(
              `GPU ${index}: of ${countProcesses(untold.length)} the instance is not told: every instance counts as busy`,
            ),
          ]
        : []),
    ];
  });
  if (checks.length > 0) return checks;
  const message =
    'no process runs on a GPU now, so that seeing one is not shown: start one (nvidia-smi -L names the devices) and run this again';
  return [note(message)];
}

async function checkKubelet(
  device: DeviceState | undefined,
  { podResourcesSocket: socket, ignorePods = false }: PodOptions,
): Promise<readonly SelftestCheck[]> {
  if (ignorePods) return [note('--ignore-pods: the kubelet was not asked who holds a GPU')];
  if (!existsSync(socket))
    return [
      note(
        `no socket ${socket}: without a kubelet processes alone tell who uses a GPU; an agent there destroys nothing`,
      ),
    ];
  try {
    const holdings = await new PodResourcesClient({ socket }).list();
    const holders = holdersOf(device === undefined ? { gpus: [] } : reportDevice(device), holdings);
    const unresolved = device === undefined ? [] : listUnresolved(holders);
    const pods = countWords(holdings.length, 'pod');
    return [
      good(`the kubelet answers: ${pods}, GPUs and slices that they hold: ${holders.ofDevice.size}`),
      ...unresolved.map((pod) =>
        finding(`pod ${pod} holds a slice that no GPU has: nothing is destroyed on this node until it has gone`),
      ),
      ...(device === undefined ? [] : holders.ofAny).map((pod) =>
        note(`pod ${pod} holds a device by claim; nobody can tell which: every GPU counts as held`),
      ),
    ];
  } catch (error) {
    return [
      unknown(`the kubelet does not tell who holds a GPU: ${error instanceof Error ? error.message : String(error)}`),
    ];
  }
}

function countProcesses(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}

function good(message: string): SelftestCheck {
  return { area: 'Idle', verdict: 'Good', message };
}

function note(message: string): SelftestCheck {
  return { area: 'Idle', verdict: 'Note', message };
}

function finding(message: string): SelftestCheck {
  return { area: 'Idle', verdict: 'Finding', message };
}

function unknown(message: string): SelftestCheck {
  return { area: 'Idle', verdict: 'Unknown', message };
}
