import { repartitioningTaint } from '../../../api/names.ts';
import type { GpuNodePartition } from '../../../api/types.ts';
import {
  holdersAnnotation,
  evictablePods,
  formatHoldersMark,
  holderPods,
  isDeployed,
  podsThatGo,
  readHoldersMark,
  type GpuClient,
  type HolderPause,
  holdersToPause,
  type PauseOccasion,
} from '../../nvidia/gpu-clients.ts';
import type { NodeChange } from '../../kubernetes/node-patch.ts';
import { timeText } from '../../text/syntax.ts';
import { backendOf, takesFromClaims } from '../snapshot.ts';
import { timer } from '../memory.ts';
import { waitOpen, waitClosed, type Ruling, type RuleInput, awaitUsers, type Outcome } from '../commands.ts';
import { beginRest, findRest, type Rest, longestBlockers } from '../rest.ts';
import { clusterPods, pluginPods, listMonitorDaemons, listMonitorPods, presumeAffected } from './users.ts';
import { evictPods, findReturning, listRefusals } from './drain.ts';
import { joinWithin } from '../../text/words.ts';
import { listPodCauses, namePods, type PodView, tolerates, podName } from '../../kubernetes/pod.ts';
import { listMonitorClaims } from '../../kubernetes/claims.ts';
import { deepEqual } from '../../text/json.ts';

/** Records the pods that read the devices only when they start, in the write that closes the node. */
export function noteHolders(situation: RuleInput, pods: readonly PodView[]): NodeChange {
  const { node, settings } = situation;
  const known = readHoldersMark(node.metadata.annotations?.[holdersAnnotation]);
  const holders = podsThatGo(settings.gpuHolders, 'AfterChange', clusterPods(situation, pods));
  const going = [...holders, ...listMonitorDaemons(situation, pods)].flatMap(({ metadata }) => metadata.uid ?? []);
  return { annotations: { [holdersAnnotation]: formatHoldersMark([...known, ...going]) } };
}

/** Holders that did not go are left alone for a while, longer each time: their node is open meanwhile. */
export function holdersRest(situation: RuleInput): Ruling | undefined {
  const rest = findRest(situation, 'HoldersRest');
  if (rest === undefined || rest.leftMs <= 0) return undefined;
  const { modeChange, inUse } = occasionOf(situation.partition);
  // Holders that went when told are back by now, and must not be named.
  return modeChange || inUse ? giveUp(situation, rest) : undefined;
}

/** Removes the holders that the next grant cannot have. @returns why the grant has to wait; undefined if they are gone */
export function holdersGo(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
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
    return { ...giveUp(situation, rest), waits: rest.waits };
  }
  if (lastsMs > settings.holdersDeadlineMs) {
    const rest = beginRest(situation, 'HoldersRest', 'ClientsStay', blockers);
    return { ...giveUp(situation, rest), waits: rest.waits };
  }
  const message = `waiting for the pods that hold the GPUs open to end: ${blockers}`;
  return {
    ...waitClosed('Updating', 'ClientsStay', message, 500),
    commands: [{ name: 'PatchNode', change: { borrow: pause.labels } }, ...evictPods(situation, evicted)],
    waits,
    keepsHoldersAway: true,
  };
}

function giveUp({ settings, now }: RuleInput, { blockers, leftMs }: Rest): Ruling {
  const message =
    `the GPUs cannot change while these pods hold them open, and they did not stay away within ${settings.holdersDeadlineMs / 1000} s: ` +
    `${blockers}. Nothing was touched; the next attempt is at ${timeText(now + leftMs)}`;
  return waitOpen('Failed', 'ClientsStay', message, leftMs + 10);
}

interface Staying {
  readonly pause: HolderPause;
  /** Pods that are evicted. */
  readonly evicted: readonly PodView[];
  /** Pods that are still there and must not be, the evicted ones included. */
  readonly staying: readonly PodView[];
}

function findStaying(situation: RuleInput, all: readonly PodView[]): Staying {
  const { settings, partition, node } = situation;
  const pods = clusterPods(situation, all);
  const occasion = occasionOf(partition);
  const pause = holdersToPause(settings.gpuHolders, occasion, node.metadata.labels ?? {});
  const listGoing = (byLabel: boolean): readonly PodView[] =>
    pause.holders.flatMap((holder) =>
      holderPods(holder, pods).filter((pod) => goesByLabel(pause, holder, pod) === byLabel),
    );
  // A pod may be several holders'.
  const evicted = new Set([
    ...evictablePods(listGoing(false)),
    ...awayFromPlugin(situation, pause, pods),
    ...(occasion.modeChange || occasion.inUse ? listMonitorDaemons(situation, all) : []),
  ]);
  return { pause, evicted: [...evicted], staying: [...new Set([...listGoing(true), ...evicted])] };
}

/** Whether a pod goes by gpu-operator's label. Of one client some pods may be gpu-operator's, and others of another installation. */
function goesByLabel({ evict }: HolderPause, holder: GpuClient, pod: PodView): boolean {
  return !evict.includes(holder) && isDeployed(holder, pod);
}

/**
 * The device plugin keeps NVML open as well. If no label removes it, it is evicted, provided that our taint keeps it away; one that
 * tolerates the taint would only come back.
 */
function awayFromPlugin(situation: RuleInput, pause: HolderPause, pods: readonly PodView[]): readonly PodView[] {
  const plugin = pause.holders.find(({ name }) => name === 'device-plugin');
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
export function tellMonitors(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  const { node, partition, fresh } = situation;
  if (!takesFromClaims(situation)) return undefined;
  // Which of the pods that would have to go are monitors is known before anybody asks for a slot.
  if (fresh === undefined) return presumeAffected(situation, pods).length > 0 ? { needs: 'All' } : undefined;
  if (fresh.claims === undefined) return { needs: 'All' };
  const monitors = listMonitorClaims(fresh.claims, node.metadata.name);
  const claims = [...new Set(monitors.map(({ name }) => name))].toSorted().slice(0, mostClaims);
  const without = `waiting for the agent’s plan without monitors: ${describeMonitors(claims.length)}`;
  const waiting = waitClosed('Pending', 'AwaitingPlan', without, pollMs);
  if (!deepEqual(partition.spec.monitors ?? [], claims)) {
    return { ...waiting, commands: [{ name: 'WriteMonitors', claims }] };
  }
  const named = new Set([...fresh.holders, ...(partition.status?.device?.plan?.affectedPods ?? [])]);
  const counted = listMonitorPods(situation, pods).filter((pod) => named.has(podName(pod)));
  if (counted.length === 0) return undefined;
  const { lastsMs, waits } = timer(situation, 'Monitors');
  if (lastsMs <= longestPlanMs) return { ...waiting, waits };
  const message =
    `the agent still counts ${namePods(counted)} as users of GPUs, whose claims have admin access: nothing was changed. Is the agent of ` +
    'the controller’s version?';
  return { ...awaitUsers(message, situation.settings.waitingPollMs), waits };
}

function describeMonitors(count: number): string {
  if (count === 0) return 'no claim only looks on any more';
  return count === 1 ? '1 claim with admin access only looks on' : `${count} claims with admin access only look on`;
}
