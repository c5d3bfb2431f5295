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
} from '../../pods/holder-pods.ts';
import { type GpuHolder, type HolderPause, holdersToPause, type PauseOccasion } from '../../pods/gpu-holders.ts';
import type { NodeChange } from '../../metadata/node-change.ts';
import { timeText } from '../../text/duration.ts';
import { backendOf } from '../backend.ts';
import { waitFor } from '../memory.ts';
import { leaveOpen, passing, type Ruling, type Situation } from '../outcome.ts';
import { beginRest, findRest, type Rest, longestBlockers } from '../rest.ts';
import { clusterPods, pluginPods } from './cluster-pods.ts';
import { evictPods, findReturning, listRefusals } from './evictions.ts';
import { listMonitorDaemons } from './monitors.ts';
import { joinWithin } from '../../text/cut-text.ts';
import { listPodCauses, namePods, type PodView, tolerates } from '../../pods/pod-view.ts';

/** Records the pods that read the devices only when they start, in the write that closes the node. */
export function noteHolders(situation: Situation, pods: readonly PodView[]): NodeChange {
  const { node, settings } = situation;
  const known = readHoldersMark(node.metadata.annotations?.[holdersAnnotation]);
  const holders = podsThatGo(settings.gpuHolders, 'AfterChange', clusterPods(situation, pods));
  const going = [...holders, ...listMonitorDaemons(situation, pods)].flatMap(({ metadata }) => metadata.uid ?? []);
  return { annotations: { [holdersAnnotation]: formatHoldersMark([...known, ...going]) } };
}

/** Holders that did not go are left alone for a while, longer each time: their node is open meanwhile. */
export function holdersRest(situation: Situation): Ruling | undefined {
  const rest = findRest(situation, 'HoldersRest');
  if (rest === undefined || rest.leftMs <= 0) return undefined;
  const { modeChange, inUse } = occasionOf(situation.partition);
  // Holders that went when told are back by now, and must not be named.
  return modeChange || inUse ? giveUp(situation, rest) : undefined;
}

/** Removes the holders that the next grant cannot have. @returns why the grant has to wait; undefined if they are gone */
export function holdersGo(situation: Situation, pods: readonly PodView[]): Ruling | undefined {
  const { settings } = situation;
  const { pause, evicted, staying } = findStaying(situation, pods);
  const isToldNow = Object.keys(pause.labels).length > 0;
  if (!isToldNow && staying.length === 0) return undefined;
  const { lastsMs, waits } = waitFor(situation, 'HoldersGo');
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
    ...passing('Updating', 'ClientsStay', message, 500),
    commands: [{ name: 'PatchNode', change: { borrow: pause.labels } }, ...evictPods(situation, evicted)],
    waits,
    keepsHoldersAway: true,
  };
}

function giveUp({ settings, now }: Situation, { blockers, leftMs }: Rest): Ruling {
  const message =
    `the GPUs cannot change while these pods hold them open, and they did not stay away within ${settings.holdersDeadlineMs / 1000} s: ` +
    `${blockers}. Nothing was touched; the next attempt is at ${timeText(now + leftMs)}`;
  return leaveOpen('Failed', 'ClientsStay', message, leftMs + 10);
}

interface Staying {
  readonly pause: HolderPause;
  /** Those that are evicted. */
  readonly evicted: readonly PodView[];
  /** All that are still there and must not be. */
  readonly staying: readonly PodView[];
}

function findStaying(situation: Situation, all: readonly PodView[]): Staying {
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

/** Of one holder some pods may be gpu-operator's, which go by its label, and others of another installation. */
function goesByLabel({ evict }: HolderPause, holder: GpuHolder, pod: PodView): boolean {
  return !evict.includes(holder) && isDeployed(holder, pod);
}

/**
 * The device plugin keeps NVML open as well. If no label removes it, it is evicted, provided that our taint keeps it away; one that
 * tolerates the taint would only come back.
 */
function awayFromPlugin(situation: Situation, pause: HolderPause, pods: readonly PodView[]): readonly PodView[] {
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
