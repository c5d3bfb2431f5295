import type { NodePartitionStatus } from '../../api/types.ts';
import { omitUndefined } from '../text/json.ts';
import { type Backoff, doubledMs, timeText } from '../text/syntax.ts';

/**
 * What is waited for, each with its start. A wait ends with the first outcome that does not return it, unless {@link keepWaits} keeps it.
 * Those with a deadline that a failover must not reset are `Lasting`: they are kept in `status.waits`.
 */
const waitKinds = {
  /** The node was closed; a pod that the scheduler was just binding needs a moment to show up. */
  Closed: 'Passing',
  /** The node was closed for a grant that has not been given. */
  Untouched: 'Passing',
  /** The layout is to be advertised. */
  Advertised: 'Lasting',
  /** The node was first seen to advertise something other than its device. */
  Differs: 'Passing',
  /** The kubelet has offered devices that are gone. */
  OfferedStale: 'Passing',
  /** The layout of a change has been advertised. */
  Stands: 'Passing',
  /** What the kubelet offers was written into the node's status before the kubelet did. */
  AdvertisedEarly: 'Passing',
  /** Resources of earlier layouts were removed from the node's status. */
  Tidied: 'Passing',
  /** The API server does not let us write the node's status. */
  StatusRefused: 'Passing',
  /** The plugin's process was signalled to read the devices again. */
  Signalled: 'Lasting',
  /** The DRA driver's pod was evicted before the node is closed for the change for which it has its slot. */
  DriverRenewed: 'Lasting',
  /** A pod of the device plugin that started after the change is ready. */
  PluginReady: 'Passing',
  /** GPU Feature Discovery is to label the node. */
  Labels: 'Lasting',
  /** The device plugin is kept away until GPU Feature Discovery has labelled the node. */
  PluginHeld: 'Lasting',
  /** Pods that hold GPUs open are to go. */
  HoldersGo: 'Lasting',
  /** They did not go, and are left alone for a while. */
  HoldersRest: 'Lasting',
  /** Pods that read the devices only at their start were evicted. */
  HoldersRestarted: 'Passing',
  /** What mig-manager has left is to be ended; or it has been, and the device plugin is to come back. */
  Debris: 'Passing',
  /** The agent is absent. */
  AgentAway: 'Lasting',
  /** Disruption budgets are to allow the evictions of the change for which the node has its slot. */
  Budgets: 'Lasting',
  /** Pods are evicted for the change for which the node has its slot. */
  Drain: 'Lasting',
  /** The agent is to report which GPUs pods use that were just bound. */
  Reading: 'Passing',
  /** Pods are to be bound for which the scheduler has allocated what is to be destroyed. */
  Claims: 'Passing',
  Monitors: 'Passing',
  /** Something refused the change when the node had its slot for it. */
  Refused: 'Passing',
  /** Pods that hold what is to be destroyed did not go in time, and are left alone for a while. */
  DrainRest: 'Lasting',
  /** GPUs have moved since another is gone, and somebody is to say whether they change. */
  GpusGone: 'Lasting',
  /** Something else keeps changing the GPUs, which are left alone for a while. */
  Drift: 'Lasting',
  /** Grants of this generation failed; see {@link GrantFailure}. */
  GrantFailed: 'Lasting',
  /** A change has ended with a reason that counts as a failure; see {@link endings}. */
  ChangeFailed: 'Lasting',
  /** The agent is to answer a grant. */
  Granted: 'Passing',
  /** A grant was taken back; an agent that was at work stops. */
  Revoked: 'Lasting',
  /** The verdict has its reason. */
  Reason: 'Passing',
} as const;
export type WaitName = keyof typeof waitKinds;

const lasting = (Object.keys(waitKinds) as WaitName[]).filter((name) => waitKinds[name] === 'Lasting');

export interface Wait {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** What it is about, such as a change of the device: for another one it starts over. */
  readonly of?: string;
  /** How often it has begun. */
  readonly count?: number;
}

export type Waits = { readonly [Name in WaitName]?: Wait };

/** What the API server replied to the eviction of a pod: undefined text if the pod is going, or may be, as there was no reply. */
export interface Eviction {
  readonly at: number;
  readonly refusal: string | undefined;
  /** The owner that replaces the pod, by uid. */
  readonly owner?: string | undefined;
  /** How many of its pods were evicted from here, one after the other. */
  readonly round?: number | undefined;
}

/** What is known of a node beside what was read. What must outlive the controller is in the API; losing the rest only prolongs waits. */
export interface NodeMemory {
  readonly waits: Waits;
  /** The last eviction of each pod, by the pod's uid. */
  readonly evictions: Readonly<Record<string, Eviction>>;
  readonly closed?: ClosedTime | undefined;
}

/** Memory of a node that is seen for the first time, from what an earlier leader left. */
export function recallMemory(status: NodePartitionStatus | undefined): NodeMemory {
  const known = (status?.waits ?? []).flatMap(({ name, since, of, count }) => {
    const at = Date.parse(since);
    const isKnown = lasting.find((one) => one === name);
    return isKnown === undefined || !Number.isFinite(at)
      ? []
      : [[isKnown, { since: at, ...omitUndefined({ of, count }) }] as const];
  });
  const closed = readClosedTime(status?.closed);
  return { waits: Object.fromEntries(known), evictions: {}, ...(closed && { closed }) };
}

function readClosedTime(status: NodePartitionStatus['closed'] = {}): ClosedTime | undefined {
  const { lastSeconds } = status;
  const [since, deviceDoneAt, offeredAt] = [status.since, status.deviceDoneTime, status.offeredTime].map(readTime);
  const closed = omitUndefined({ since, lastSeconds, deviceDoneAt, offeredAt });
  return Object.keys(closed).length > 0 ? closed : undefined;
}

function readTime(text = ''): number | undefined {
  const at = Date.parse(text);
  return Number.isFinite(at) ? at : undefined;
}

/** What is written to the status of it; see {@link recallMemory}. */
export function storeMemory({ closed, waits }: NodeMemory): Pick<NodePartitionStatus, 'closed' | 'waits'> {
  const kept = lasting.flatMap((name) => {
    const wait = waits[name];
    if (wait === undefined) return [];
    const { since, of, count } = wait;
    return [{ name, since: timeText(since), ...omitUndefined({ of, count }) }];
  });
  return { ...(closed && { closed: writeClosedTime(closed) }), ...(kept.length > 0 && { waits: kept }) };
}

function writeClosedTime(closed: ClosedTime): NonNullable<NodePartitionStatus['closed']> {
  const { lastSeconds } = closed;
  const [since, deviceDoneTime, offeredTime] = [closed.since, closed.deviceDoneAt, closed.offeredAt].map(writeTime);
  return omitUndefined({ since, lastSeconds, deviceDoneTime, offeredTime });
}

function writeTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : timeText(at);
}

/** What began later than now, by the clock of an earlier leader, begins now: otherwise a wait would last until then. */
export function beginByNow(memory: NodeMemory, now: number): NodeMemory {
  const { closed } = memory;
  const all = Object.entries(memory.waits);
  const isPast = all.every(([, { since }]) => since <= now) && (closed?.since ?? now) <= now;
  if (isPast) return memory;
  const waits = Object.fromEntries(all.map(([name, wait]) => [name, { ...wait, since: Math.min(wait.since, now) }]));
  const since = closed?.since === undefined ? undefined : Math.min(closed.since, now);
  return { ...memory, waits, ...(since !== undefined && { closed: { ...closed, since } }) };
}

/** What is known of a wait: it continues if an outcome returns it. */
export interface Lasting {
  /** How long it has lasted, in ms. */
  readonly lastsMs: number;
  /** The wait itself. */
  readonly waits: Waits;
}

type Known = { readonly memory: Pick<NodeMemory, 'waits'>; readonly now: number };

/** A wait that continues, or begins. @param of what it is about: for another thing it starts over */
export function timer(known: Known, name: WaitName, of?: string): Lasting {
  const begun = { since: known.now, ...(of !== undefined && { of }) };
  return runningTimer(known, name, of) ?? { lastsMs: 0, waits: { [name]: begun } };
}

/** A wait that has begun; undefined if it has not, or is about something else. */
export function runningTimer({ memory, now }: Known, name: WaitName, of?: string): Lasting | undefined {
  const wait = memory.waits[name];
  return wait !== undefined && wait.of === of ? { lastsMs: now - wait.since, waits: { [name]: wait } } : undefined;
}

/** The times for which a node takes no new GPU pods because its GPUs change. */
export interface ClosedTime {
  /** The time at which the node was closed, in ms since the epoch; undefined: it is open. */
  readonly since?: number;
  /** Seconds for which the node was closed the last time. */
  readonly lastSeconds?: number;
  /** The times at which the device then had its layout, and the node was opened, in ms since the epoch. */
  readonly deviceDoneAt?: number;
  readonly offeredAt?: number;
}

/** @param isClosed after what was decided has been done */
export function keepClosedTime(
  { closed: before, waits }: Pick<NodeMemory, 'closed' | 'waits'>,
  isClosed: boolean,
  now: number,
): ClosedTime | undefined {
  const { since } = before ?? {};
  if (isClosed) return since === undefined ? { ...before, since: now } : before;
  if (since === undefined) return before;
  // The layout is to be advertised from when the device has it.
  const deviceDoneAt = waits.Advertised?.since;
  return {
    lastSeconds: Math.round((now - since) / 1000),
    ...(deviceDoneAt !== undefined && { deviceDoneAt }),
    offeredAt: now,
  };
}

const rest: Backoff = { baseMs: 60_000, maxMs: 3600_000 };

/**
 * How long what has failed rests before the next attempt, in ms: a minute, twice as long each further time, at most an hour. There is
 * no last attempt. Nodes need no jitter: each waits for its slot after its rest.
 *
 * @param count how often it has failed, from 1
 */
export function growingRestMs(count: number): number {
  return doubledMs(rest, count);
}
