import { repartitioningTaint } from '../../../api/names.ts';
import type { GpuNodePartition } from '../../../api/types.ts';
import {
  holdersAnnotation,
  evictablePods,
  formatHoldersMark,
  holderPods,
  podsThatGo,
  readHoldersMark,
} from '../../pods/holder-pods.ts';
import { type HolderPause, holdersToPause, type PauseOccasion } from '../../pods/gpu-holders.ts';
import type { NodeChange } from '../../metadata/node-change.ts';
import { namePods } from '../../pods/gpu-pods.ts';
import { pluginPodsOf, tolerates } from '../../pods/plugin-pods.ts';
import type { WaitList } from '../memory.ts';
import type { Ruling } from '../outcome.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { evictPods, listRefusals } from './evictions.ts';

const firstRestMs = 60_000;
const longestRestMs = 3600_000;

/** The note of the pods that look at the devices only when they start, for the write that closes the node. */
export function noteHolders({ node, settings }: Situation, pods: readonly NodePod[]): NodeChange {
  const known = readHoldersMark(node.metadata.annotations?.[holdersAnnotation]);
  const going = podsThatGo(settings.gpuHolders, 'AfterChange', pods).flatMap(({ metadata }) => metadata.uid ?? []);
  return { annotations: { [holdersAnnotation]: formatHoldersMark([...known, ...going]) } };
}

/** Holders that did not go are left in peace for a while, longer each time: their node is open meanwhile. */
export function holdersRest(situation: Situation, pods: readonly NodePod[]): Ruling | undefined {
  const { waits, partition } = situation;
  const lastsMs = waits.lastsIfBegun('HoldersRest');
  const { modeChange, inUse } = occasionOf(partition);
  const left = restMs(waits) - (lastsMs ?? Infinity);
  if (left <= 0 || !(modeChange || inUse)) return undefined;
  const { staying } = findStaying(situation, pods);
  return giveUp(situation, staying, [], left);
}

/** Takes the holders away that the next grant cannot have. @returns why the grant has to wait; undefined where they are gone */
export function holdersGo(situation: Situation, pods: readonly NodePod[]): Ruling | undefined {
  const { settings, waits } = situation;
  const { pause, evicted, staying } = findStaying(situation, pods);
  const isToldNow = Object.keys(pause.labels).length > 0;
  const refusals = listRefusals(situation, evicted);
  if (!isToldNow && staying.length === 0 && refusals.length === 0) return undefined;
  if (waits.lasts('HoldersGo') > settings.holdersDeadlineMs) {
    waits.begin('HoldersRest');
    return giveUp(situation, staying, refusals, 250);
  }
  const why = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
  const message = `waiting for the pods that hold the GPUs open to go: ${namePods(staying)}${why}`;
  return {
    verdict: { phase: 'Updating', reason: 'ClientsStay', message, transient: true, requeueAfterMs: 500 },
    commands: [
      ...(isToldNow ? [{ name: 'PatchNode' as const, change: { borrow: pause.labels } }] : []),
      ...evictPods(situation, evicted),
    ],
    keepsHoldersAway: true,
    keepsClosed: true,
  };
}

function giveUp(
  { settings }: Situation,
  staying: readonly NodePod[],
  refusals: readonly string[],
  requeueAfterMs: number,
): Ruling {
  const why = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
  const message =
    `MIG mode cannot be changed while these pods hold the GPUs open, and they have not gone within ${settings.holdersDeadlineMs / 1000} s: ` +
    `${namePods(staying)}${why}. Nothing was touched; it is tried again, less often each time`;
  return { verdict: { phase: 'Failed', reason: 'ClientsStay', message, requeueAfterMs } };
}

function restMs(waits: WaitList): number {
  return Math.min(longestRestMs, firstRestMs * 2 ** Math.max(0, Math.min(waits.count('HoldersRest') - 1, 10)));
}

interface Staying {
  readonly pause: HolderPause;
  /** Those that go by eviction. */
  readonly evicted: readonly NodePod[];
  /** All that are still there and must not be. */
  readonly staying: readonly NodePod[];
}

function findStaying(situation: Situation, pods: readonly NodePod[]): Staying {
  const { settings, partition, node } = situation;
  const pause = holdersToPause(settings.gpuHolders, occasionOf(partition), node.metadata.labels ?? {});
  const evicted = [
    ...evictablePods(pause.evict.flatMap((holder) => holderPods(holder, pods))),
    ...awayFromPlugin(situation, pause, pods),
  ];
  const paused = pause.holders.filter((holder) => !pause.evict.includes(holder));
  const staying = [...new Set([...paused.flatMap((holder) => holderPods(holder, pods)), ...evicted])];
  return { pause, evicted, staying };
}

/**
 * The device plugin keeps NVML open as well. Without a label that takes it away, it is evicted if it stays away under our taint; one
 * that tolerates the taint would only come back.
 */
function awayFromPlugin({ settings }: Situation, { evict }: HolderPause, pods: readonly NodePod[]): readonly NodePod[] {
  if (!evict.some(({ name }) => name === 'device-plugin')) return [];
  const plugins = pluginPodsOf(pods, settings.pluginSelector);
  return plugins.filter((pod) => !tolerates(pod, repartitioningTaint));
}

function occasionOf({ status }: GpuNodePartition): PauseOccasion {
  const { plan, step, error } = status?.device ?? {};
  return {
    modeChange: (plan?.modeChanges ?? 0) > 0,
    inUse: step === 'Failed' && (error?.code === 'InUse' || error?.code === 'Pending'),
  };
}
