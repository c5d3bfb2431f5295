import type { DeviceReport } from '../../../api/types.ts';
import { listDynamicSlices } from '../../dra/resource-slice.ts';
import type { MigStrategy } from '../../nvidia/labels/mig-strategy.ts';
import { advertisedResources, resourcesText } from '../../nvidia/resources/advertised.ts';
import { isGpuResource } from '../../pods/gpu-resource.ts';
import { backendOf, sliceOfferOf } from '../backend.ts';
import { type FenceSituation, isExact, type Offering } from '../fence.ts';
import { staleOffer } from '../fence-words.ts';
import { type Lasting, resumeWait, waitFor, type WaitName, type Waits } from '../memory.ts';
import { isClosed, isOwnTaint, isUnfinished } from '../node-view.ts';
import { changeKey, readRefreshMark, refreshedAnnotation } from '../refresh-mark.ts';
import type { Situation } from '../outcome.ts';
import { refreshedPods } from './cluster-pods.ts';
import { explainOffer } from './current-offer.ts';
import { configOf } from './plugin-config.ts';
import { awaitSignalled, followMs } from './signal-plugin.ts';
import { isReady, type PodView } from '../../pods/pod-view.ts';

/** What the device plugin makes of the device. */
export interface Expected {
  readonly resources: Readonly<Record<string, number>>;
  /** By which it does; absent: the policy's. */
  readonly strategy?: MigStrategy | undefined;
}

/**
 * What the kubelet offers, as the agent tells. Undefined if the agent does not know, or takes what exists by the policy's strategy for what
 * should be offered, while the plugin still runs with another.
 *
 * @param strategy by which the plugin offers what exists; absent: the policy's
 */
export function toldOffer(
  { partition: { spec, status } }: Pick<Situation, 'partition'>,
  strategy = spec.strategy,
): DeviceReport['advertised'] {
  const isOther = spec.strategy !== undefined && strategy !== spec.strategy;
  return isOther ? undefined : status?.device?.advertised;
}

/** What the fence needs to know, and what is remembered of it. */
export function describeFence(
  situation: Situation,
  { resources: wanted, strategy }: Expected,
): { readonly fence: FenceSituation; readonly waits: Waits } {
  const { node, settings } = situation;
  const change = keyOf(situation);
  const allocatable = node.status?.allocatable ?? {};
  const changed = isClosed(node);
  const slices = sliceOfferOf(situation);
  const isEqual = isExact({ slices, allocatable, wanted });
  const isSettled = isEqual && !changed;
  const advertised = toldOffer(situation, strategy);
  // What differs from one offer may be another: the policy's is not that of a plugin with other settings.
  const offer = `${change} ${resourcesText(wanted)}`;
  const isStale = slices === undefined && staleOffer(advertised, wanted) !== undefined;
  const mark = readRefreshMark(node.metadata.annotations?.[refreshedAnnotation], change);
  const found = listPluginPods(situation);
  // A pod that is being replaced may still follow: what it offers says nothing of its successor.
  const isGoing = mark !== undefined && found?.some(({ metadata }) => mark.uids.includes(metadata.uid ?? '')) !== false;
  const offered = mark === undefined ? offer : `${offer}${isGoing ? ' going' : ' gone'}`;
  const isBack = mark && found?.some((pod) => !mark.uids.includes(pod.metadata.uid ?? '') && isReady(pod));
  // Each lasts from when it was first seen.
  const see = (isSeen: boolean, ...wait: [WaitName, string]): Lasting | undefined =>
    isSeen ? waitFor(situation, ...wait) : resumeWait(situation, ...wait);
  const wasStale = isSettled ? undefined : see(isStale, 'OfferedStale', offered);
  const differs = isSettled ? undefined : see(!isEqual, 'Differs', offer);
  const ready = see(isBack === true, 'PluginReady', change);
  const signalled = mark === undefined && changed ? awaitSignalled(situation, found, change) : undefined;
  const isSignalled = signalled !== undefined && signalled.lastsMs < followMs;
  const early = resumeWait(situation, 'AdvertisedEarly', change);
  const refused = resumeWait(situation, 'StatusRefused', change);
  const stands = changed && isEqual ? waitFor(situation, 'Stands', offered) : undefined;
  const seen = [wasStale, differs, ready, signalled, early, refused, stands];
  const waits: Waits = Object.assign({}, ...seen.map((one) => one?.waits));
  const fence: FenceSituation = {
    wanted,
    allocatable,
    slices,
    hasStalePlugin: changed && slices !== undefined && hasStalePlugin(situation),
    closed: (node.spec?.taints ?? []).some(isOwnTaint),
    changed,
    mark,
    differsMs: differs?.lastsMs,
    readyMs: ready?.lastsMs,
    // A signalled plugin may have followed before anybody looked: the kubelet offers the current devices, each by its id.
    followed:
      slices === undefined &&
      (wasStale !== undefined || isSignalled || early !== undefined) &&
      advertised !== undefined &&
      !isStale,
    isSignalled,
    wasSignalled: signalled !== undefined,
    offering: slices === undefined ? describeOffering(advertised, isStale) : 'Unknown',
    offered: Object.keys(advertised?.resources ?? {}).filter(isGpuResource),
    otherMs: wasStale?.lastsMs,
    mayAdvertise:
      slices === undefined && settings.nodeStatus === 'Write' && isUnfinished(node) && refused === undefined,
    earlyMs: early?.lastsMs,
    standsMs: stands?.lastsMs ?? 0,
    patienceMs: settings.refreshAfterMs,
    pods: found?.map(({ metadata }) => ({
      uid: metadata.uid ?? '',
      leaving: metadata.deletionTimestamp !== undefined,
    })),
  };
  return { fence, waits };
}

/** Whether a device plugin that nobody asked for offers something else than what exists, whatever its strategy. */
function hasStalePlugin({ node, partition }: Situation): boolean {
  const { device = {} } = partition.status ?? {};
  // The kubelet tells the API server later.
  if ((device.advertised?.stale ?? 0) > 0) return true;
  const { allocatable = {} } = node.status ?? {};
  const offersAny = Object.keys(advertisedResources(allocatable)).length > 0;
  return offersAny && explainOffer(device, allocatable, []) === undefined;
}

function describeOffering(advertised: DeviceReport['advertised'], isStale: boolean): Offering {
  if (advertised === undefined) return 'Unknown';
  if (Object.keys(advertised.resources ?? {}).length === 0) return 'Nothing';
  return isStale ? 'Other' : 'Exact';
}

/** Such a driver owns the GPUs: it is left alone, and offers nothing that a closed node would have to keep from pods. */
export function hasDynamicMig(situation: Situation): boolean {
  return backendOf(situation) === 'DRA' && listDynamicSlices(situation.slices ?? []).length > 0;
}

export function listPluginPods(situation: Situation): readonly PodView[] | undefined {
  return situation.pods && refreshedPods(situation, situation.pods);
}

export function keyOf({ partition, node }: Situation): string {
  return changeKey(partition, configOf(node));
}
