import type { SliceOffer } from '../dra/slice-offer.ts';
import { advertisedResources, advertises } from '../nvidia/resources/advertised.ts';
import type { FenceStep } from './fence-step.ts';
import type { RefreshMark } from './refresh-mark.ts';

/** What the fence needs to know of a device plugin's pod. */
export interface FencePod {
  readonly uid: string;
  /** Is terminating; it may still advertise. */
  readonly leaving: boolean;
}

/** A node whose device is verified but that is not open for pods yet. */
export interface FenceSituation {
  /** What the device plugin makes of the current device. */
  readonly wanted: Readonly<Record<string, number>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** What the node offers by claims; absent: it offers resources. A slice names its device, so that what is exact needs no other proof. */
  readonly slices?: SliceOffer | undefined;
  /** Beside the DRA driver, a device plugin offers what is not there. */
  readonly hasStalePlugin: boolean;
  /** Our taint is on the node: no pod that does not tolerate it is bound. */
  readonly closed: boolean;
  /** The node was closed for a change of its device: it may still advertise the previous devices. */
  readonly changed: boolean;
  /** Of this change; absent until a pod has been evicted for it. */
  readonly mark: RefreshMark | undefined;
  /** How long ago, in ms, the node was first seen to advertise something else since the change; undefined: never. */
  readonly differsMs: number | undefined;
  /** How long, in ms, a pod that started after the change has been ready; undefined if there is none. */
  readonly readyMs: number | undefined;
  /**
   * Since the change the agent has reported that the kubelet offered devices that are gone, and that it now offers exactly those that
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
  /** How long, in ms, to wait for a plugin that follows by itself, and for one that has started to inform the kubelet. */
  readonly patienceMs: number;
  /** Pods of the device plugin on the node now; undefined if they have not been listed. */
  readonly pods: readonly FencePod[] | undefined;
}

/** `Exact`: the devices that exist, each by its id. `Unknown`: the kubelet cannot be asked. */
export type Offering = 'Exact' | 'Nothing' | 'Other' | 'Unknown';

/**
 * How long the layout must stand in the node's status before the node is opened, in ms. The kubelet writes only what differs from the
 * status that it read before it worked out the new one; only a write that was delayed on its way can bring old numbers back.
 */
export const standingMs = 250;

/**
 * How long the slices of a restarted DRA driver must be exact before the node is opened, in ms. The kubelet looks for drivers once a second,
 * forgets the previous registration first, and starts a pod that is bound before the new one only a minute later (v1.36,
 * `pluginmanager/reconciler`; seen on a real kubelet).
 */
export const registeringMs = 2_500;

/** A status of before the change that arrives later than two status periods of the kubelet is none. */
const latestStatusMs = 20_000;

// On an open node the plugin may just be being updated by its owner: allow for that before restarting it.
const openNodePatienceMs = 30_000;

/** How long a plugin that this controller does not know has to follow a change before its registrations count as those of a dead one, in ms. */
const unknownPluginMs = 30_000;

/**
 * What to do next so that no pod is ever bound to a previous device. NVIDIA's plugin reads the devices only when its pod starts, so
 * after a change each of its pods that existed before is replaced once. A layout can change without its counts changing, so correct
 * counts prove nothing while such a pod lives.
 */
export function decideFence(situation: FenceSituation): FenceStep {
  const step = isExact(situation) ? decideEqual(situation) : decideDifferent(situation);
  const opens = step.next === 'Open' || step.next === 'TakeTaintsOff';
  return opens && situation.hasStalePlugin ? { next: 'Wait', why: 'StalePlugin' } : step;
}

/** Whether the node offers what its device is, and nothing else. */
export function isExact({ slices, allocatable, wanted }: Offered): boolean {
  return slices?.isExact ?? advertises(allocatable, wanted);
}

/** Whether no pod can get a device of the node. */
export function isNothing({ slices, allocatable }: Pick<Offered, 'slices' | 'allocatable'>): boolean {
  return slices?.isNothing ?? Object.keys(advertisedResources(allocatable)).length === 0;
}

type Offered = Pick<FenceSituation, 'slices' | 'allocatable' | 'wanted'>;

function decideEqual(situation: FenceSituation): FenceStep {
  const { slices, changed, mark, pods, differsMs, readyMs, patienceMs, followed, isSignalled, earlyMs } = situation;
  if (!changed) return { next: 'Open' };
  if (slices !== undefined) return decideEqualSlices(situation);
  // What our own write rested on still holds: the kubelet offers exactly these devices.
  if (mark === undefined && earlyMs !== undefined && followed) return openStanding(situation);
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
function decideEqualSlices(situation: FenceSituation): FenceStep {
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

function openStanding({ mayAdvertise, standsMs }: FenceSituation): FenceStep {
  return mayAdvertise && standsMs < standingMs ? { next: 'Wait', why: 'Standing' } : { next: 'Open' };
}

function decideDifferent(situation: FenceSituation): FenceStep {
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
  return endOrphans(situation, pods) ?? { next: 'Wait', why: 'NewPlugin' };
}

/**
 * Registrations of plugins that are gone: what the kubelet offers while no pod of a plugin is there, or beside a new one that has started
 * and does not serve it. It ends only with an end of the connection that the kubelet no longer watches, or with the kubelet.
 */
function endOrphans(situation: FenceSituation, pods: readonly FencePod[]): FenceStep | undefined {
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
  { closed, offering, offered, mark, standsMs }: FenceSituation,
  pods: readonly FencePod[],
): FenceStep | undefined {
  const isLeft = closed && offering === 'Exact' && mark?.tolerates === false && pods.length === 0;
  if (!isLeft || standsMs < unknownPluginMs) return undefined;
  return { next: 'Unregister', resources: offered, leftBehind: true };
}

/** What the kubelet will write at its next tick. A number that it does not offer is never written: a pod that is bound to it fails. */
function advertiseEarly(situation: FenceSituation, isEmpty: boolean): FenceStep | undefined {
  const { mayAdvertise, offering, followed, wanted, closed, mark, pods = [] } = situation;
  if (!mayAdvertise) return undefined;
  if (offering === 'Exact' && followed) return { next: 'Advertise', resources: wanted };
  // A plugin that does not tolerate our taint comes back only once nothing is advertised.
  const comesAtZero = closed && (mark ? !mark.tolerates : pods.length === 0);
  return comesAtZero && offering === 'Nothing' && !isEmpty ? { next: 'Advertise', resources: {} } : undefined;
}

/** Claims what the kubelet no longer offers, after our own write was right. */
function isTakenBack({ earlyMs = Infinity, offering, allocatable, wanted }: FenceSituation): boolean {
  const claimed = Object.entries(advertisedResources(allocatable));
  return (
    earlyMs < latestStatusMs && offering === 'Exact' && claimed.some(([name, count]) => count > (wanted[name] ?? 0))
  );
}

function evictAll(pods: readonly FencePod[]): FenceStep {
  const uids = pods.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: true } : { next: 'Wait', why: 'OldPlugin' };
}

/** Until the old pods are gone: a plugin that is still alive keeps what it advertised. */
function replaceMarked(pods: readonly FencePod[], mark: RefreshMark): FenceStep | undefined {
  const marked = pods.filter(({ uid }) => mark.uids.includes(uid));
  if (marked.length === 0) return undefined;
  const uids = marked.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: false } : { next: 'Wait', why: 'OldPlugin' };
}
