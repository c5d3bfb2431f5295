import { advertisedResources, advertises, isExact, isNothing, resourcesText, type SliceOffer } from './offer.ts';
import type { RefreshMark } from './marks.ts';
import type { DeviceReport } from '../../api/types.ts';
import { timeText } from '../text/syntax.ts';
import { nameBackend } from './snapshot.ts';
import type { Verdict } from './commands.ts';

/** What the fence needs to know of a device plugin's pod. */
export interface FencePod {
  readonly uid: string;
  /** True while the pod terminates; it may still advertise. */
  readonly leaving: boolean;
}

/** A node whose device is verified but that is not open for pods yet. */
export interface OfferGateState {
  /** What the device plugin makes of the current device. */
  readonly wanted: Readonly<Record<string, number>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** What the node offers by claims; absent: it offers resources. A slice names its device, so that what is exact needs no other proof. */
  readonly slices?: SliceOffer | undefined;
  /** True if a device plugin, beside the DRA driver, offers devices that do not exist. */
  readonly hasStalePlugin: boolean;
  /** Our taint is on the node: no pod that does not tolerate it is bound. */
  readonly closed: boolean;
  /** The node was closed for a change of its device: it may still advertise the previous devices. */
  readonly changed: boolean;
  /** The mark of this change; absent until a pod has been evicted for it. */
  readonly mark: RefreshMark | undefined;
  /** How long ago, in ms, the node was first seen to advertise something else since the change; undefined: never. */
  readonly differsMs: number | undefined;
  /** How long, in ms, a pod that started after the change has been ready; undefined if there is none. */
  readonly readyMs: number | undefined;
  /**
   * True if the agent has reported since the change that the kubelet offered devices that are gone, and that it now offers exactly those that
   * exist. False even if the kubelet cannot be asked, or if the new devices have the same ids as the previous ones.
   */
  readonly followed: boolean;
  /** The agent has signalled the plugin's processes, which may still follow: no pod is replaced until then. */
  readonly isSignalled: boolean;
  /** The agent has signalled the plugin's processes since the change, however long ago. */
  readonly wasSignalled: boolean;
  /** What the kubelet offers, by the agent's report. The API server's view of it may be up to a status period (10 s) older. */
  readonly offering: Offering;
  /** The resources of it. */
  readonly offered: readonly string[];
  /** How long, in ms, the agent has reported `Other`: since the old pods are gone, where some were replaced; undefined if it has not. */
  readonly otherMs: number | undefined;
  /** The node is in the middle of a change, and the controller may write into its status what the kubelet offers. */
  readonly mayAdvertise: boolean;
  /** How long ago, in ms, the controller wrote into the node's status what the kubelet offers; undefined if it did not for this change. */
  readonly earlyMs: number | undefined;
  /** How long, in ms, the API server has shown exactly the layout since the change, and since the old pods are gone. */
  readonly standsMs: number;
  /** How long, in ms, the node has been closed as far as this controller has seen. */
  readonly closedMs: number;
  /** How long, in ms, to wait for a plugin that follows by itself, and for one that has started to inform the kubelet. */
  readonly patienceMs: number;
  /** Pods of the device plugin on the node now; undefined if they have not been listed. */
  readonly pods: readonly FencePod[] | undefined;
}

/** `Exact`: the devices that exist, each by its id. `Unknown`: the kubelet cannot be asked. */
type Offering = 'Exact' | 'Nothing' | 'Other' | 'Unknown';

/**
 * How long the layout must stand in the node's status before the node is opened, in ms. The kubelet writes only what differs from the
 * status that it read before it worked out the new one; only a write that was delayed on its way can bring old numbers back.
 */
const standingMs = 250;

/**
 * How long, in ms, the node must have been closed for an offer that this controller has written to need no such time. A status with old numbers
 * differs from what the kubelet has read only if it was on its way when the node was closed: it has had that long.
 */
const latestOnItsWayMs = 1_250;

/**
 * How long the slices of a restarted DRA driver must be exact before the node is opened, in ms. The kubelet looks for drivers once a second,
 * forgets the previous registration first, and starts a pod that is bound before the new one only a minute later (v1.36,
 * `pluginmanager/reconciler`; seen on a real kubelet).
 */
const registeringMs = 2_500;

/** A status of before the change that arrives later than two status periods of the kubelet is none. */
const latestStatusMs = 20_000;

// On an open node the plugin may just be being updated by its owner: allow for that before restarting it.
const openNodePatienceMs = 30_000;

/** How long, in ms, a plugin that is ready may take until the kubelet offers what is there: it registers within seconds. */
const latePluginMs = 60_000;

/** How long a plugin that this controller does not know has to follow a change before its registrations count as those of a dead one, in ms. */
const unknownPluginMs = 30_000;

/**
 * What to do next so that no pod is ever bound to a previous device. NVIDIA's plugin reads the devices only when its pod starts, so
 * after a change each of its pods that existed before is replaced once. A layout can change without its counts changing, so correct
 * counts prove nothing while such a pod lives.
 */
export function decideFence(situation: OfferGateState): FenceStep {
  const step = isExact(situation) ? decideEqual(situation) : decideDifferent(situation);
  const opens = step.next === 'Open' || step.next === 'TakeTaintsOff';
  return opens && situation.hasStalePlugin ? { next: 'Wait', why: 'StalePlugin' } : step;
}

function decideEqual(situation: OfferGateState): FenceStep {
  const { slices, changed, mark, pods, differsMs, readyMs, patienceMs, followed, isSignalled, earlyMs, closedMs } =
    situation;
  if (!changed) return { next: 'Open' };
  if (slices !== undefined) return decideEqualSlices(situation);
  // What our own write rested on still holds: the kubelet offers exactly these devices.
  if (mark === undefined && earlyMs !== undefined && followed)
    return closedMs >= latestOnItsWayMs ? { next: 'Open' } : openStanding(situation);
  if (pods === undefined) return { next: 'ReadPods' };
  const orphans = endOrphans(situation, pods);
  if (orphans) return orphans;
  if (mark === undefined) {
    // It advertised something else after the device was done, and now this: it has followed by itself.
    if (pods.length === 0 || differsMs !== undefined || followed) return openStanding(situation);
    if (isSignalled) return { next: 'Wait', why: 'Signalled' };
    return evictAll(pods);
  }
  const step = replaceMarked(pods, mark);
  if (step) return step;
  // There is nothing to bind to, and a plugin that does not tolerate our taint cannot come back until it is removed.
  if (isNothing(situation)) return { next: 'Open' };
  // Counts or devices that differed and now match come from the new plugin. Counts that never differed may be the old plugin's.
  if (mark.sawNothing || followed || differsMs !== undefined || (readyMs !== undefined && readyMs >= patienceMs))
    return openStanding(situation);
  return endLeftBehind(situation, pods) ?? { next: 'Wait', why: 'NewPlugin' };
}

/**
 * An instance that is made again at the same place may have the same UUID: then the slices have been exact all the time, and prove that the
 * driver has started since only if they differed before.
 */
function decideEqualSlices(situation: OfferGateState): FenceStep {
  const { mark, pods, differsMs, readyMs, wasSignalled, standsMs } = situation;
  const registering: FenceStep = { next: 'Wait', why: 'Registering' };
  if (differsMs === undefined && !wasSignalled) {
    if (pods === undefined) return { next: 'ReadPods' };
    if (mark === undefined && pods.length > 0) return evictAll(pods);
    const step = mark && replaceMarked(pods, mark);
    if (step) return step;
    // As with a device plugin: there is nothing to bind to, and a driver that does not tolerate our taint waits for it to go.
    if (mark && isNothing(situation)) return { next: 'Open' };
    if (mark && readyMs === undefined) return { next: 'Wait', why: 'NewPlugin' };
    if (mark && readyMs !== undefined && readyMs < registeringMs) return registering;
  }
  return standsMs < registeringMs ? registering : { next: 'Open' };
}

function openStanding({ mayAdvertise, standsMs }: OfferGateState): FenceStep {
  return mayAdvertise && standsMs < standingMs ? { next: 'Wait', why: 'Standing' } : { next: 'Open' };
}

function decideDifferent(situation: OfferGateState): FenceStep {
  const { closed, mark, pods, differsMs = 0, patienceMs, offering, isSignalled } = situation;
  if (!closed && isTakenBack(situation)) return { next: 'Close' };
  if (!closed && mark === undefined && differsMs < openNodePatienceMs) return { next: 'Wait', why: 'Patience' };
  if (pods === undefined) return { next: 'ReadPods' };
  const isEmpty = isNothing(situation);
  if (mark === undefined) {
    const early = advertiseEarly(situation, isEmpty);
    if (early) return early;
    if (isSignalled) return { next: 'Wait', why: 'Signalled' };
    if (pods.length > 0) return evictAll(pods);
    // While our taint is on, no DaemonSet creates the first pod of a plugin that does not tolerate it.
    if (closed && isEmpty && (offering === 'Nothing' || offering === 'Unknown')) return { next: 'TakeTaintsOff' };
    // Something without a known pod advertises: it may follow without a signal.
    return endOrphans(situation, pods) ?? { next: 'Wait', why: differsMs < patienceMs ? 'Patience' : 'NoPlugin' };
  }
  const step = replaceMarked(pods, mark) ?? advertiseEarly(situation, isEmpty);
  if (step) return step;
  if (closed && isEmpty && !mark.tolerates) return { next: 'TakeTaintsOff' };
  return endOrphans(situation, pods) ?? replaceLate(situation, pods, mark) ?? { next: 'Wait', why: 'NewPlugin' };
}

/**
 * Replaces successors that have not told the kubelet of what is there, once: they started while a retry was changing the devices, which then
 * became what they had been after the attempt before.
 */
function replaceLate(
  { offering, readyMs = 0 }: OfferGateState,
  pods: readonly FencePod[],
  { uids }: RefreshMark,
): FenceStep | undefined {
  const isToldOtherwise = offering === 'Nothing' || offering === 'Other';
  const isLate = isToldOtherwise && readyMs >= latePluginMs && uids.length < 2 * pods.length;
  return isLate && pods.every(({ leaving }) => !leaving) ? evictAll(pods) : undefined;
}

/**
 * Registrations of plugins that are gone: what the kubelet offers while no pod of a plugin is there, or beside a new one that has started
 * and does not serve it. It ends only with an end of the connection that the kubelet no longer watches, or with the kubelet.
 */
function endOrphans(situation: OfferGateState, pods: readonly FencePod[]): FenceStep | undefined {
  const { slices, closed, offering, offered, otherMs = 0, mark, wanted, readyMs = 0, patienceMs } = situation;
  // What replaced no known pod may be a plugin that this controller does not know, and that follows without being told.
  const enoughMs = mark === undefined ? unknownPluginMs : patienceMs;
  if (slices !== undefined || !closed || offering !== 'Other' || otherMs < enoughMs) return undefined;
  const isServed = pods.length > 0;
  // An old pod may still serve them, and a new one what it has not told yet.
  if (isServed && (readyMs < patienceMs || pods.some(({ uid }) => mark?.uids.includes(uid)))) return undefined;
  const resources = isServed ? offered.filter((name) => (wanted[name] ?? 0) === 0) : offered;
  return resources.length > 0 ? { next: 'Unregister', resources } : undefined;
}

/** What the replaced plugin had read is right, and it has left; its successor waits for our taint to go, and that for the kubelet to notice. */
function endLeftBehind(
  { closed, offering, offered, mark, standsMs }: OfferGateState,
  pods: readonly FencePod[],
): FenceStep | undefined {
  const isLeft = closed && offering === 'Exact' && mark?.tolerates === false && pods.length === 0;
  if (!isLeft || standsMs < unknownPluginMs) return undefined;
  return { next: 'Unregister', resources: offered, leftBehind: true };
}

/** Writes what the kubelet will write at its next tick. A number that it does not offer is never written: a pod that is bound to it fails. */
function advertiseEarly(situation: OfferGateState, isEmpty: boolean): FenceStep | undefined {
  const { mayAdvertise, offering, followed, wanted, closed, mark, pods = [] } = situation;
  if (!mayAdvertise) return undefined;
  if (offering === 'Exact' && followed) return { next: 'Advertise', resources: wanted };
  // A plugin that does not tolerate our taint comes back only once nothing is advertised.
  const comesAtZero = closed && (mark ? !mark.tolerates : pods.length === 0);
  return comesAtZero && offering === 'Nothing' && !isEmpty ? { next: 'Advertise', resources: {} } : undefined;
}

/** Claims what the kubelet no longer offers, after our own write was right. */
function isTakenBack({ earlyMs = Infinity, offering, allocatable, wanted }: OfferGateState): boolean {
  const claimed = Object.entries(advertisedResources(allocatable));
  return (
    earlyMs < latestStatusMs && offering === 'Exact' && claimed.some(([name, count]) => count > (wanted[name] ?? 0))
  );
}

function evictAll(pods: readonly FencePod[]): FenceStep {
  const uids = pods.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: true } : { next: 'Wait', why: 'OldPlugin' };
}

/** Replaces the pods of the mark, and waits until they are gone: a plugin that is still alive keeps what it advertised. */
function replaceMarked(pods: readonly FencePod[], mark: RefreshMark): FenceStep | undefined {
  const marked = pods.filter(({ uid }) => mark.uids.includes(uid));
  if (marked.length === 0) return undefined;
  const uids = marked.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: false } : { next: 'Wait', why: 'OldPlugin' };
}

/** What to do next on a node that is closed, or offers what its device is not. */
export type FenceStep =
  /** Pods may come: what is advertised exists. */
  | { readonly next: 'Open' }
  /** Remove our taints and keep waiting: nothing is advertised, which keeps pods away as well. */
  | { readonly next: 'TakeTaintsOff' }
  /** The pods must be listed. */
  | { readonly next: 'ReadPods' }
  /** Write this into the node's status: the kubelet offers it, and would write the same within its status period. */
  | { readonly next: 'Advertise'; readonly resources: Readonly<Record<string, number>> }
  /**
   * Have the agent end these registrations: no plugin serves them. A kubelet whose plugin registered again just as its previous connection
   * ended does not notice when that plugin dies, and offers its devices without end (v1.36, `devicemanager/plugin/v1beta1`,
   * `runClient`; seen on a real kubelet). `leftBehind`: even if their devices exist.
   */
  | { readonly next: 'Unregister'; readonly resources: readonly string[]; readonly leftBehind?: true }
  /** Put our taint on: the kubelet has written what it offered before the change. */
  | { readonly next: 'Close' }
  /** These pods have to go; `first`: they must be recorded before their eviction. */
  | { readonly next: 'Evict'; readonly uids: readonly string[]; readonly first: boolean }
  | { readonly next: 'Wait'; readonly why: WaitCause };

type WaitCause =
  /** A plugin that may follow without a signal is given time. */
  | 'Patience'
  /** A plugin that was signalled is given time. */
  | 'Signalled'
  /** The plugin has no pod. */
  | 'NoPlugin'
  /** The old pod has not ended. */
  | 'OldPlugin'
  /** The new pod has not started, or not informed the kubelet. */
  | 'NewPlugin'
  /** A status that the kubelet worked out before the change may still be on its way. */
  | 'Standing'
  /** The kubelet may not have registered the DRA driver again. */
  | 'Registering'
  /** A device plugin beside the DRA driver has to be taken off the node. */
  | 'StalePlugin';

/** A node that waits for its device plugin is checked again periodically: pods are not watched. */
type FenceVerdict = Verdict & { readonly requeueAfterMs: number };

/** How the GPUs are that the plugin is to offer: those of a node that failed are not as its policy says. */
type Applied = 'the layout is applied' | 'no GPU changes now';

/** What is known of a fence beside its step. */
interface FenceFindings {
  /** The strategy with which the device plugin has to run. */
  readonly strategy: string;
  readonly applied: Applied;
  /** What keeps the plugin's pods from starting. */
  readonly trouble?: readonly string[];
  /** The eviction that was refused: the pod, and the API server's message. */
  readonly refusal?: string | undefined;
  /** See {@link staleOffer}. */
  readonly stale?: FenceVerdict | undefined;
  /** Present if it has lasted too long, so that a person has to look. */
  readonly overdue?: {
    /** When it began, in ms since the epoch; not how long ago, which would change the message every minute. */
    readonly since: number;
    /** The states of the plugin's pods. */
    readonly states: readonly string[];
  };
}

/** Says why a node is not open yet, and when to look again. */
export function explainFence(step: FenceStep, situation: OfferGateState, found: FenceFindings): FenceVerdict {
  const verdict = explainRefused(situation, found) ?? found.stale ?? explainStep(step, situation, found);
  return found.overdue === undefined ? verdict : explainOverdue(verdict, found.overdue);
}

function explainStep(
  step: FenceStep,
  situation: OfferGateState,
  { strategy, applied, trouble = [] }: FenceFindings,
): FenceVerdict {
  const { allocatable, wanted, slices } = situation;
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
    requeueAfterMs: againMs(step, situation),
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

function explainOverdue(
  { reason, message, requeueAfterMs }: FenceVerdict,
  { since, states }: NonNullable<FenceFindings['overdue']>,
): FenceVerdict {
  // What keeps the plugin's pods from starting is in the message already.
  const untold = states.filter((pod) => !message.includes(pod));
  const state = untold.length > 0 ? `. ${untold.join('; ')}` : '';
  return { phase: 'Failed', reason, requeueAfterMs, message: `since ${timeText(since)}: ${message}${state}` };
}

function explainRefused({ slices }: OfferGateState, { refusal, applied }: FenceFindings): FenceVerdict | undefined {
  if (refusal === undefined) return undefined;
  const who = nameBackend(slices === undefined ? 'DevicePlugin' : 'DRA');
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
function againMs(step: FenceStep, { differsMs = 0, patienceMs, standsMs, readyMs = 0 }: OfferGateState): number {
  if (step.next === 'Advertise' || step.next === 'Close') return 500;
  if (step.next === 'Wait' && step.why === 'Patience' && differsMs < patienceMs) return patienceMs - differsMs + 10;
  if (step.next === 'Wait' && step.why === 'Standing') return standingMs - standsMs;
  // The node is opened at that moment, however long its slices differed before.
  if (step.next === 'Wait' && step.why === 'Registering')
    return registeringMs - (standsMs < registeringMs ? standsMs : readyMs) + 10;
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
        `the kubelet still advertises ${step.resources.join(', ')} of a device plugin that has exited; the agent is removing them. If that ` +
        'does not help, restart the kubelet'
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
