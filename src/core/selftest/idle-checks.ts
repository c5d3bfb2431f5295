import type { PodHolding } from '../pods/holding.ts';
import { holdersOf, listUnidentified, listUnresolved } from '../pods/slice-holders.ts';
import { countWords } from '../text/cut-text.ts';
import { reportDevice } from '../report/report-device.ts';
import type { DeviceState } from '../gpu/state/device-state.ts';
import type { ReportedGpu } from '../smi/report-parser.ts';
import type { CheckVerdict, SelftestCheck } from './selftest.ts';

/** What the node's kubelet tells of who holds a GPU. `NoSocket`: there is no kubelet. */
export type KubeletAnswer =
  | { readonly state: 'Ignored' }
  | { readonly state: 'NoSocket'; readonly socket: string }
  | { readonly state: 'Silent'; readonly why: string }
  | { readonly state: 'Told'; readonly holdings: readonly PodHolding[] };

const check =
  (verdict: CheckVerdict) =>
  (message: string): SelftestCheck => ({ area: 'Idle', verdict, message });

const good = check('Good');
const note = check('Note');
const finding = check('Finding');
const unknown = check('Unknown');

/** @param hidden why this program may not see the processes of the host; undefined if it does */
export function checkNamespace(hidden: string | undefined, isPod: boolean): readonly SelftestCheck[] {
  if (hidden !== undefined) return [finding(hidden)];
  const message = isPod
    ? 'this pod sees the processes of the host (hostPID)'
    : 'this is not a pod: nvidia-smi and this program see the processes of the machine';
  return [good(message)];
}

/** @param ended pids of the report that are not in /proc */
export function checkProcesses(gpus: readonly ReportedGpu[], ended: ReadonlySet<number>): readonly SelftestCheck[] {
  const checks = gpus.flatMap(({ processes, mig }, index): readonly SelftestCheck[] => {
    const listed = processes.flatMap(({ pid }) => pid ?? []);
    const unlisted = processes.filter(({ pid }) => pid === undefined);
    const absent = listed.filter((pid) => ended.has(pid));
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
    'no process runs on a GPU now, so it is untested whether one would be seen: start one (nvidia-smi -L names the devices) and run this again';
  return [note(message)];
}

export function checkKubelet(device: DeviceState | undefined, answer: KubeletAnswer): readonly SelftestCheck[] {
  switch (answer.state) {
    case 'Ignored':
      return [note('--ignore-pods: the kubelet was not asked who holds a GPU')];
    case 'NoSocket':
      return [
        note(
          `no socket ${answer.socket}: without a kubelet processes alone tell who uses a GPU; an agent there destroys nothing`,
        ),
      ];
    case 'Silent':
      return [unknown(`the kubelet does not tell who holds a GPU: ${answer.why}`)];
    case 'Told':
      return checkHoldings(device, answer.holdings);
  }
}

function checkHoldings(device: DeviceState | undefined, holdings: readonly PodHolding[]): readonly SelftestCheck[] {
  const holders = holdersOf(device === undefined ? { gpus: [] } : reportDevice(device), holdings);
  const unresolved = device === undefined ? [] : listUnresolved(holders);
  const pods = countWords(holdings.length, 'pod');
  return [
    good(`the kubelet answers: ${pods}, GPUs and slices that they hold: ${holders.ofDevice.size}`),
    ...unresolved.map((pod) =>
      finding(`pod ${pod} holds a slice that no GPU has: nothing is destroyed on this node until it has gone`),
    ),
    ...(device === undefined ? [] : listUnidentified(holders)).map((held) =>
      finding(
        `${held}, which this node does not have and which may be any device: nothing is destroyed until the pod has gone`,
      ),
    ),
    ...(device === undefined ? [] : holders.ofAny).map((pod) =>
      note(`pod ${pod} holds a device by claim, and which one is unknown: every GPU counts as held`),
    ),
  ];
}

function countProcesses(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}
