import { advertisedResources, advertises } from '../nvidia/resources/advertised.ts';
import type { RefreshMark } from './refresh-mark.ts';

/** A pod of the device plugin as far as the fence is concerned. */
export interface FencePod {
  readonly uid: string;
  /** Told to end; it may still advertise. */
  readonly leaving: boolean;
}

/** A node whose device is verified, before pods may come. */
export interface FenceSituation {
  /** What the device plugin makes of the device as it is. */
  readonly wanted: Readonly<Record<string, number>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** A taint of ours is on the node: no pod that does not tolerate it is bound. */
  readonly closed: boolean;
  /** The node was closed for a change of its device: what it advertises may be of before. */
  readonly changed: boolean;
  /** Of this change; absent while no pod has been evicted for it. */
  readonly mark: RefreshMark | undefined;
  /** How long ago, in ms, the node was first seen to advertise something else since the change; undefined: never. */
  readonly differsMs: number | undefined;
  /** How long, in ms, a pod that started after the change has been ready; undefined where there is none. */
  readonly readyMs: number | undefined;
  /**
   * The kubelet offered devices that are gone, by the agent's word since the change, and now offers exactly those that are there. False
   * also where it cannot be asked, or where the devices of after have the ids of those of before.
   */
  readonly followed: boolean;
  /** The agent has told the plugin's processes to look again, and they may still follow: no pod is replaced until then. */
  readonly isSignalled: boolean;
  /** By the agent's word the kubelet offers devices: what the API server has may be older. */
  readonly isOffering: boolean;
  /** How long a plugin that follows by itself is given, and one that has started to tell the kubelet, in ms. */
  readonly patienceMs: number;
  /** Pods of the device plugin on the node now; undefined where nobody has looked. */
  readonly pods: readonly FencePod[] | undefined;
}

export type FenceStep =
  /** Pods may come: what is advertised is there. */
  | { readonly next: 'Open' }
  /** Take our taints off and go on waiting: nothing is advertised, which keeps pods away as well. */
  | { readonly next: 'TakeTaintsOff' }
  /** The pods have to be known. */
  | { readonly next: 'LookAtPods' }
  /** These pods have to go; `first` where they have to be written down before. */
  | { readonly next: 'Evict'; readonly uids: readonly string[]; readonly first: boolean }
  | { readonly next: 'Wait'; readonly why: WaitCause };

export type WaitCause =
  /** For a plugin that may follow by itself. */
  | 'Patience'
  /** For one that was signalled. */
  | 'Signalled'
  /** There is no pod of the plugin. */
  | 'NoPlugin'
  /** The pod of before has not ended. */
  | 'OldPlugin'
  /** The pod of after has not started, or not told the kubelet. */
  | 'NewPlugin';

// A plugin of a node that is open may just be updated by whoever owns it: let that pass before we restart it.
const openNodePatienceMs = 30_000;

/**
 * What to do next so that no pod is ever bound to a device of before. NVIDIA's plugin reads the devices when its pod starts
 * and never again, so after a change every pod of it that was there is replaced once; and since a layout can change without
 * its counts changing, that it advertises the right counts proves nothing while such a pod lives.
 */
export function decideFence(situation: FenceSituation): FenceStep {
  return advertises(situation.allocatable, situation.wanted) ? decideEqual(situation) : decideDifferent(situation);
}

function decideEqual(situation: FenceSituation): FenceStep {
  const { allocatable, changed, mark, pods, differsMs, readyMs, patienceMs, followed, isSignalled } = situation;
  if (!changed) return { next: 'Open' };
  if (pods === undefined) return { next: 'LookAtPods' };
  if (mark === undefined) {
    // It advertised something else since the device was done, and now this: it has followed by itself.
    if (pods.length === 0 || differsMs !== undefined || followed) return { next: 'Open' };
    if (isSignalled) return { next: 'Wait', why: 'Signalled' };
    return evictAll(pods);
  }
  const step = replaceMarked(pods, mark);
  if (step) return step;
  // There is nothing to be bound to, and a plugin that does not tolerate our taint is not to come back before that is off.
  if (Object.keys(advertisedResources(allocatable)).length === 0) return { next: 'Open' };
  // Counts or devices that differed and now do not are the new plugin's word. Counts that never differed may be the old one's.
  if (mark.sawNothing || followed || differsMs !== undefined || (readyMs !== undefined && readyMs >= patienceMs))
    return { next: 'Open' };
  return { next: 'Wait', why: 'NewPlugin' };
}

function decideDifferent(situation: FenceSituation): FenceStep {
  const { allocatable, closed, mark, pods, differsMs = 0, patienceMs, isOffering, isSignalled } = situation;
  if (!closed && mark === undefined && differsMs < openNodePatienceMs) return { next: 'Wait', why: 'Patience' };
  if (pods === undefined) return { next: 'LookAtPods' };
  const isNothing = Object.keys(advertisedResources(allocatable)).length === 0;
  if (mark === undefined) {
    if (isSignalled) return { next: 'Wait', why: 'Signalled' };
    if (pods.length > 0) return evictAll(pods);
    // No DaemonSet makes the first pod of a plugin that does not tolerate our taint while that is on.
    if (closed && isNothing && !isOffering) return { next: 'TakeTaintsOff' };
    // Something of which no pod is known advertises: it may follow by itself.
    return { next: 'Wait', why: differsMs < patienceMs ? 'Patience' : 'NoPlugin' };
  }
  const step = replaceMarked(pods, mark);
  if (step) return step;
  if (closed && isNothing && !mark.tolerates) return { next: 'TakeTaintsOff' };
  return { next: 'Wait', why: 'NewPlugin' };
}

function evictAll(pods: readonly FencePod[]): FenceStep {
  const uids = pods.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: true } : { next: 'Wait', why: 'OldPlugin' };
}

/** Until the pods of before are gone: a plugin that is still alive keeps what it advertised. */
function replaceMarked(pods: readonly FencePod[], mark: RefreshMark): FenceStep | undefined {
  const marked = pods.filter(({ uid }) => mark.uids.includes(uid));
  if (marked.length === 0) return undefined;
  const uids = marked.filter(({ leaving }) => !leaving).map(({ uid }) => uid);
  return uids.length > 0 ? { next: 'Evict', uids, first: false } : { next: 'Wait', why: 'OldPlugin' };
}
