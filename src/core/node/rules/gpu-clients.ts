import { repartitioningTaint } from '../../../api/names.ts';
import type { GpuNodePartition } from '../../../api/types.ts';
import { defaultClients, type GpuClient, pausedForMigChange } from '../plugin-pods.ts';
import { clientsAnnotation, formatClientsMark, readClientsMark } from '../marks.ts';
import type { NodeChange } from '../node-patch.ts';
import { timeText } from '../../text/syntax.ts';
import { backendOf, takesFromClaims } from '../snapshot.ts';
import { timer } from '../memory.ts';
import { waitOpen, waitClosed, type Ruling, type RuleInput, waitForUsers, type Outcome } from '../commands.ts';
import { beginRest, findRest, longestBlockers } from '../eviction.ts';
import { clusterPods, pluginPods, findMonitors, presumeAffected, listPodCauses, namePods } from './users.ts';
import { evictPods, findReturning, listRefusals } from './drain.ts';
import { joinWithin } from '../../text/words.ts';
import { hasEnded, isOfDaemonSet, type PodView, tolerates, podName } from '../../kubernetes/pod.ts';
import { deepEqual } from '../../text/json.ts';

/** Programs on a node that hold GPUs without requesting them. */
export function clientsOf({ settings }: Pick<RuleInput, 'settings'>): readonly GpuClient[] {
  return settings.gpuClients ?? defaultClients;
}

/** Records the pods that read the devices only when they start, in the write that closes the node. */
export function recordClients(situation: RuleInput, pods: readonly PodView[]): NodeChange {
  const { node } = situation;
  const known = readClientsMark(node.metadata.annotations?.[clientsAnnotation]);
  const clients = podsThatGo(clientsOf(situation), 'AfterChange', clusterPods(situation, pods));
  const going = [...clients, ...listMonitorDaemons(situation, pods)].flatMap(({ metadata }) => metadata.uid ?? []);
  return { annotations: { [clientsAnnotation]: formatClientsMark([...known, ...going]) } };
}

/** Whether those that look at GPUs for the cluster keep the node from its change, as far as that is known before it is closed. */
export function mayClearClients(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  return clientsRest(situation) ?? tellMonitors(situation, pods);
}

/** Clients that did not go are left alone for a while, longer each time: their node is open meanwhile. */
function clientsRest(situation: RuleInput): Ruling | undefined {
  const rest = findRest(situation, 'HoldersRest');
  if (rest === undefined || rest.leftMs <= 0) return undefined;
  const { modeChange, inUse } = occasionOf(situation.partition);
  // Clients that went when told are back by now, and must not be named.
  return modeChange || inUse ? backOff(situation, rest) : undefined;
}

/** Removes the clients that the next grant cannot have. @returns why the grant has to wait; undefined if they are gone */
export function clientsGo(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const { settings } = situation;
  const { pause, evicted, staying } = findStaying(situation, pods);
  const isToldNow = Object.keys(pause.labels).length > 0;
  if (!isToldNow && staying.length === 0) return undefined;
  const { lastsMs, waits } = timer(situation, 'HoldersGo');
  const causes = listPodCauses(listRefusals(situation, evicted));
  const blockers = joinWithin([namePods(staying), ...causes], longestBlockers);
  const returning = findReturning(situation, evicted);
  if (returning.length > 0) {
    const back = joinWithin(
      [
        `${namePods(returning)}, which came back after each of three evictions: tolerating ${repartitioningTaint.key}, or every taint, does that`,
      ],
      longestBlockers,
    );
    const rest = beginRest(situation, 'HoldersRest', 'ClientsStay', back);
    return { ...backOff(situation, rest), waits: rest.waits };
  }
  if (lastsMs > settings.clientsDeadlineMs) {
    const rest = beginRest(situation, 'HoldersRest', 'ClientsStay', blockers);
    return { ...backOff(situation, rest), waits: rest.waits };
  }
  const message = `waiting for the pods that hold the GPUs open to end: ${blockers}`;
  return {
    ...waitClosed('Updating', 'ClientsStay', message, againMs(lastsMs)),
    commands: [{ name: 'PatchNode', change: { borrow: pause.labels } }, ...evictPods(situation, evicted)],
    waits,
    clientsPaused: true,
  };
}

/**
 * Milliseconds until the next look at pods that have been awaited for `lastsMs`. Each look reads the pods and what the agent says again;
 * the node is closed for at most a tenth longer than it has to be.
 */
function againMs(lastsMs: number): number {
  return Math.min(Math.max(500, lastsMs / 10), 5_000);
}

/**
 * Lists the monitors that are restarted like other holders of the GPUs: a DaemonSet's, which makes another one. A claim takes admin access only in a
 * namespace that an administrator has labelled for it.
 */
function listMonitorDaemons(situation: RuleInput, pods: readonly PodView[]): readonly PodView[] {
  return findMonitors(situation, pods).pods.filter(isOfDaemonSet);
}

function backOff(
  { settings, now }: RuleInput,
  { blockers, leftMs }: Pick<ReturnType<typeof beginRest>, 'blockers' | 'leftMs'>,
): Ruling {
  const message =
    `the GPUs cannot change while these pods hold them open, and they did not stay away within ${settings.clientsDeadlineMs / 1000} s: ` +
    `${blockers}. Nothing was touched; the next attempt is at ${timeText(now + leftMs)}`;
  return waitOpen('Failed', 'ClientsStay', message, leftMs + 10);
}

interface Staying {
  readonly pause: ClientPause;
  /** Pods that are evicted. */
  readonly evicted: readonly PodView[];
  /** Pods that are still there and must not be, the evicted ones included. */
  readonly staying: readonly PodView[];
}

function findStaying(situation: RuleInput, all: readonly PodView[]): Staying {
  const { partition, node } = situation;
  const pods = clusterPods(situation, all);
  const occasion = occasionOf(partition);
  const pause = clientsToPause(clientsOf(situation), occasion, node.metadata.labels ?? {});
  const listGoing = (byLabel: boolean): readonly PodView[] =>
    pause.clients.flatMap((client) =>
      clientPods(client, pods).filter((pod) => goesByLabel(pause, client, pod) === byLabel),
    );
  // A pod may be several clients'. One that a label removes is not evicted beside that.
  const byLabel = listGoing(true);
  const evicted = new Set([
    ...evictablePods(listGoing(false)).filter((pod) => !byLabel.includes(pod)),
    ...awayFromPlugin(situation, pause, pods),
    ...(occasion.modeChange || occasion.inUse ? listMonitorDaemons(situation, all) : []),
  ]);
  return { pause, evicted: [...evicted], staying: [...new Set([...byLabel, ...evicted])] };
}

/** Whether a pod goes by gpu-operator's label. Of one client some pods may be gpu-operator's, and others of another installation. */
function goesByLabel({ evict }: ClientPause, client: GpuClient, pod: PodView): boolean {
  return !evict.includes(client) && isDeployed(client, pod);
}

/**
 * The device plugin keeps NVML open as well. If no label removes it, it is evicted, provided that our taint keeps it away; one that
 * tolerates the taint would only come back.
 */
function awayFromPlugin(situation: RuleInput, pause: ClientPause, pods: readonly PodView[]): readonly PodView[] {
  const plugin = pause.clients.find(({ name }) => name === 'device-plugin');
  if (plugin === undefined || backendOf(situation) === 'DRA') return [];
  const mayCome = (pod: PodView): boolean => tolerates(pod.spec?.tolerations, repartitioningTaint);
  return pluginPods(situation, pods).filter((pod) => !goesByLabel(pause, plugin, pod) && !mayCome(pod));
}

function occasionOf({ status }: GpuNodePartition): PauseOccasion {
  const { plan, step, error } = status?.device ?? {};
  return {
    modeChange: (plan?.modeChanges ?? 0) > 0,
    inUse: step === 'Failed' && (error?.code === 'InUse' || error?.code === 'Pending'),
  };
}

/** The most claims that the API accepts. */
const mostClaims = 128;
/** How long an agent may take to plan again, in ms. */
const longestPlanMs = 120_000;
const pollMs = 1000;

/**
 * A claim with admin access looks on, and its pod is never drained. The kubelet names it like any other: before the agent plans
 * without it, slices that it has open look as if they were in use. @returns why the grant has to wait
 */
function tellMonitors(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  const { partition, fresh } = situation;
  if (!takesFromClaims(situation)) return undefined;
  // Which of the pods that would have to go are monitors is known before anybody asks for a slot.
  if (fresh === undefined) return presumeAffected(situation, pods).length > 0 ? { needs: 'All' } : undefined;
  if (fresh.claims === undefined) return { needs: 'All' };
  const monitors = findMonitors(situation, pods);
  const claims = monitors.claims.slice(0, mostClaims);
  const without = `waiting for the agent’s plan without monitors: ${describeMonitors(claims.length)}`;
  const waiting = waitClosed('Pending', 'AwaitingPlan', without, pollMs);
  if (!deepEqual(partition.spec.monitors ?? [], claims)) {
    return { ...waiting, commands: [{ name: 'WriteMonitors', claims }] };
  }
  const named = new Set([...fresh.holders, ...(partition.status?.device?.plan?.affectedPods ?? [])]);
  const counted = monitors.pods.filter((pod) => named.has(podName(pod)));
  if (counted.length === 0) return undefined;
  const { lastsMs, waits } = timer(situation, 'Monitors');
  if (lastsMs <= longestPlanMs) return { ...waiting, waits };
  const message =
    `the agent still counts ${namePods(counted)} as users of GPUs, whose claims have admin access: nothing was changed. Is the agent of ` +
    'the controller’s version?';
  return { ...waitForUsers(message, situation.settings.waitingPollMs), waits };
}

function describeMonitors(count: number): string {
  if (count === 0) return 'no claim only looks on any more';
  return count === 1 ? '1 claim with admin access only looks on' : `${count} claims with admin access only look on`;
}

/** What a node's next change needs of the clients. Both false: no client has to make room. */
interface PauseOccasion {
  /** The plan changes the MIG mode of a GPU, or resets it: nothing may have it open. */
  readonly modeChange: boolean;
  /** The last try failed because a GPU was open. */
  readonly inUse: boolean;
}

interface ClientPause {
  /** Deploy labels to borrow, each with {@link pausedForMigChange}. */
  readonly labels: Readonly<Record<string, string>>;
  /** Clients whose pods must be gone before anything is granted. */
  readonly clients: readonly GpuClient[];
  /** Clients all of whose pods are evicted, since no label of this node removes them. */
  readonly evict: readonly GpuClient[];
}

/**
 * Finds the clients that have to go, and how they do. A deploy label is changed only from `true`: `false` means that the client does not
 * run here, and any other value is somebody else's pause, which they end.
 */
export function clientsToPause(
  clients: readonly GpuClient[],
  { modeChange, inUse }: PauseOccasion,
  labels: Readonly<Record<string, string>>,
): ClientPause {
  const going = clients.filter(
    ({ goes }) => (modeChange && goes.includes('ModeChange')) || (inUse && goes.includes('InUse')),
  );
  const keys = going.flatMap(({ deployLabel }) => deployLabel ?? []).filter((key) => labels[key] === 'true');
  return {
    labels: Object.fromEntries(keys.map((key) => [key, pausedForMigChange])),
    clients: going,
    evict: going.filter(({ deployLabel }) => deployLabel === undefined || labels[deployLabel] === undefined),
  };
}

/** The client's pods among those of one node, except those that have ended. A terminating pod is still there. */
export function clientPods(client: GpuClient, pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(
    (pod) =>
      !hasEnded(pod) &&
      (isDeployed(client, pod) ||
        carries(pod.metadata.labels, client.podLabels) ||
        (pod.spec?.containers ?? []).some(({ name }) => name !== undefined && name === client.container)),
  );
}

/** Whether the client's deploy label brings a pod to its node, and takes it away: gpu-operator's own, and none of another installation. */
function isDeployed({ deployLabel }: GpuClient, { spec }: Pick<PodView, 'spec'>): boolean {
  return deployLabel !== undefined && Object.hasOwn(spec?.nodeSelector ?? {}, deployLabel);
}

/** The pods that may be evicted: a DaemonSet's. Other pods might not be recreated, and may be a user's work. */
export function evictablePods(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(isOfDaemonSet);
}

/** Pods of all clients that go on this occasion and may be evicted, each once. */
export function podsThatGo(
  clients: readonly GpuClient[],
  occasion: GpuClient['goes'][number],
  pods: readonly PodView[],
): readonly PodView[] {
  const going = clients.filter(({ goes }) => goes.includes(occasion));
  return evictablePods([...new Set(going.flatMap((client) => clientPods(client, pods)))]);
}

function carries(
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
): boolean {
  const entries = Object.entries(wanted ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels?.[key] === value);
}
