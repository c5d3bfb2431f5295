import type { DeviceReport } from '../../api/types.ts';
import { advertisedResources, advertises, resourcesText } from '../nvidia/resources/advertised.ts';
import { timeText } from '../text/duration.ts';
import { nameBackend } from './backend.ts';
import { type FenceSituation, isExact, standingMs } from './fence.ts';
import type { FenceStep, WaitCause } from './fence-step.ts';
import type { Verdict } from './outcome.ts';

/** A node that waits for its device plugin is checked again periodically: pods are not watched. */
type FenceVerdict = Verdict & { readonly requeueAfterMs: number };

/** How the GPUs are that the plugin is to offer: those of a node that failed are not as its policy says. */
export type Applied = 'the layout is applied' | 'no GPU changes now';

/** @param trouble what keeps the plugin's pods from starting */
export function fenceVerdict(
  step: FenceStep,
  situation: FenceSituation,
  strategy: string,
  applied: Applied,
  trouble: readonly string[] = [],
): FenceVerdict {
  const { allocatable, wanted, slices, differsMs = 0, patienceMs } = situation;
  const gap =
    slices === undefined
      ? `the node still advertises ${resourcesText(advertisedResources(allocatable))} instead of ${resourcesText(wanted)}`
      : `the node’s ResourceSlices still ${slices.gap}`;
  const state = isExact(situation) ? applied : `${applied}, but ${gap}`;
  return {
    phase: 'Updating',
    reason: 'AdvertisePending',
    message: [
      `${state}: ${slices === undefined ? describeStep(step, strategy) : describeDraStep(step)}`,
      ...trouble,
    ].join('. '),
    transient: true,
    requeueAfterMs: againMs(step, differsMs, patienceMs),
  };
}

/**
 * Why the kubelet does not offer the layout although the counts in the API may be right: counts do not identify devices.
 *
 * @param advertised what the kubelet offers, as the agent reports; undefined if it cannot be asked
 */
export function staleOffer(
  advertised: DeviceReport['advertised'],
  wanted: Readonly<Record<string, number>>,
  applied: Applied = 'the layout is applied',
): FenceVerdict | undefined {
  if (advertised === undefined) return undefined;
  const offered = Object.fromEntries(
    Object.entries(advertised.resources ?? {}).map(([name, count]) => [name, String(count)]),
  );
  const { stale } = advertised;
  if (stale === 0 && advertises(offered, wanted)) return undefined;
  const found =
    stale > 0
      ? `${stale} of the devices that it offers no longer ${stale === 1 ? 'exists' : 'exist'}`
      : `it offers ${resourcesText(advertised.resources ?? {})} instead of ${resourcesText(wanted)}`;
  return {
    phase: 'Updating',
    reason: 'AdvertisePending',
    message: `${applied}, but the device plugin has not told the kubelet: ${found}`,
    transient: true,
    requeueAfterMs: 5000,
  };
}

/**
 * The same when it lasts too long: a person has to look.
 *
 * @param since when it began, in ms since the epoch; not how long ago, which would change the message every minute
 */
export function fenceOverdue(
  { reason, message, requeueAfterMs = 5000 }: Verdict,
  since: number,
  pods: readonly string[],
): FenceVerdict {
  // What keeps the plugin's pods from starting is in the message already.
  const untold = pods.filter((pod) => !message.includes(pod));
  const state = untold.length > 0 ? `. ${untold.join('; ')}` : '';
  return { phase: 'Failed', reason, requeueAfterMs, message: `since ${timeText(since)}: ${message}${state}` };
}

/** @param refusal the pod, and the API server's message @param who has to read the devices again */
export function evictionRefused(refusal: string, who: string, applied: Applied): FenceVerdict {
  return {
    phase: 'Updating',
    reason: 'RefreshBlocked',
    message:
      `${applied}, but the ${who} still advertises the previous one, and its pod cannot be evicted: ` +
      `${refusal}. The node stays closed, and the eviction is retried. Allow it in the PodDisruptionBudget, or delete the pod`,
    requeueAfterMs: 5000,
  };
}

// Soon at first, then less and less often: a fleet that waits for a plugin must not list pods all the time.
function againMs(step: FenceStep, differsMs: number, patienceMs: number): number {
  if (step.next === 'Advertise' || step.next === 'Close') return 500;
  if (step.next === 'Wait' && step.why === 'Patience' && differsMs < patienceMs) return patienceMs - differsMs + 10;
  if (step.next === 'Wait' && step.why === 'Standing') return standingMs;
  // The moment between the old pod and the new one must not be missed.
  if (step.next === 'Wait' && step.why === 'OldPlugin' && differsMs < 60_000) return 500;
  return Math.min(30_000, Math.max(500, differsMs / 2));
}

const driver = `its ${nameBackend('DRA')}`;
const driverStarts = `waiting for ${driver} to start and publish them`;

const driverWaits: Readonly<Record<WaitCause, string>> = {
  Signalled: `${driver} was told to restart; its pod is replaced if it does not publish the layout`,
  OldPlugin: `waiting for the previous pod of ${driver} to end`,
  NoPlugin: `no pod of ${driver} is on the node: is its DaemonSet installed, and does it select this node?`,
  NewPlugin: driverStarts,
  Patience: driverStarts,
  Standing: driverStarts,
  Registering: `${driver} publishes them; waiting until the kubelet has registered it again`,
  StalePlugin: 'a device plugin offers devices that are not there',
};

function describeDraStep(step: FenceStep): string {
  if (step.next === 'Evict') return `${driver} is restarting (it reads the devices only at start)`;
  if (step.next === 'TakeTaintsOff')
    return `open for the pod of ${driver}, which does not tolerate our taint; pods can run once it publishes the layout`;
  return step.next === 'Wait' ? driverWaits[step.why] : `checking ${driver}`;
}

const staysAdvertised = 'checking that it stays advertised';

const pluginWaits: Readonly<Record<WaitCause, (strategy: string) => string>> = {
  Patience: () => 'waiting for the device plugin',
  Standing: () => staysAdvertised,
  Registering: () => staysAdvertised,
  StalePlugin: () => staysAdvertised,
  Signalled: () => 'its device plugin was signalled to read the devices again; its pod is replaced if it does not',
  OldPlugin: () => 'waiting for the device plugin’s previous pod to end',
  NewPlugin: (strategy) => `waiting for the device plugin’s new pod: it must run with strategy ${strategy}`,
  NoPlugin: (strategy) =>
    'no pod of a known device plugin is on the node, so this controller cannot restart it. The device plugin must run with ' +
    `strategy ${strategy} and be restarted after a change; the controller knows it by its labels with --device-plugin-selector`,
};

function describeStep(step: FenceStep, strategy: string): string {
  switch (step.next) {
    case 'Evict':
      return 'its device plugin is restarting (it reads the devices only at start)';
    case 'Advertise':
      return 'the kubelet offers it already';
    case 'Unregister':
      return (
        `the kubelet offers ${step.resources.join(', ')} of a device plugin that is gone, and its agent takes them off. If that does not ` +
        'help, restart the kubelet'
      );
    case 'Close':
      return 'closed until the kubelet’s status no longer claims what is gone';
    case 'TakeTaintsOff':
      return 'open for the device plugin’s pod, which does not tolerate our taint; pods can run once it advertises the layout';
    case 'Wait':
      return pluginWaits[step.why](strategy);
    case 'Open':
    case 'ReadPods':
      return 'checking the device plugin';
  }
}
