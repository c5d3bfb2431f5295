import { repartitioningTaint } from '../../../api/names.ts';
import type { DeviceReport, GpuPartitionPolicy } from '../../../api/types.ts';
import { type NodeChange, combine } from '../../metadata/node-change.ts';
import { explainPluginPod, isFailing } from '../../nvidia/plugin-config/plugin-reason.ts';
import { resourcesText } from '../../nvidia/resources/advertised.ts';
import { offerStatus } from '../../nvidia/resources/offered-status.ts';
import { driverDeployLabel, pausedForMigChange, pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { listDynamicSlices } from '../../dra/resource-slice.ts';
import { isGpuResource } from '../../pods/gpu-resource.ts';
import { isReady, tolerates } from '../../pods/plugin-pods.ts';
import type { Command } from '../commands.ts';
import { backendOf, nameBackend, sliceOfferOf } from '../backend.ts';
import { decideFence, type FenceSituation, type FenceStep, isExact, isNothing, type Offering } from '../fence.ts';
import { evictionRefused, fenceOverdue, fenceVerdict, staleOffer } from '../fence-words.ts';
import { closeNode, fenceByZero } from '../node-marks.ts';
import { hasStartupTaint, isClosed, isOwnTaint, isReadyNode, isUnfinished, type NodeView } from '../node-view.ts';
import { type Lasting, resumeWait, waitFor, type WaitName, type Waits } from '../memory.ts';
import { alsoWaits, type Outcome, type Ruling } from '../outcome.ts';
import {
  changeKey,
  formatRefreshMark,
  readRefreshMark,
  refreshedAnnotation,
  type RefreshMark,
} from '../refresh-mark.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { checkSettings } from './check-plugin.ts';
import { refreshedPods } from './cluster-pods.ts';
import { evictPods, listRefusals } from './evictions.ts';
import { nodeUnavailable } from './plan.ts';
import { configOf, describeTrouble } from './plugin-config.ts';
import { awaitSignalled, followMs } from './signal-plugin.ts';
import { listPodCauses } from '../../pods/gpu-pods.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { awaitSlot, type SlotUse } from './slot.ts';

/**
 * How long the Node may still show what the plugin of before offered, in ms. The kubelet writes changed resources with its next status,
 * every 10 s by default (nodeStatusUpdateFrequency), and nobody else tells while the agent is silent.
 */
const slowestStatusMs = 30_000;

/** The same of a DRA driver, in ms: it publishes once it has started, and tries again, rarer and rarer, while the API server refuses. */
const slowestSlicesMs = 90_000;

/** What a node in use is disturbed for. */
const slotUses: { readonly [Next in FenceStep['next']]?: SlotUse } = { Evict: 'Plugin', Close: 'Status' };

/** What the node has to offer before pods may come. */
export interface ExpectedOffer {
  readonly resources: Readonly<Record<string, number>>;
  /** Absent if no policy decides over the node any more. */
  readonly policy?: GpuPartitionPolicy;
  /** What else changes on the node when it is opened for the plugin: above all the labels that describe these resources. */
  readonly marks?: NodeChange;
}

/** Pods may come, as far as the plugin is concerned. Something else may still keep the node closed: what was seen is not forgotten. */
export interface Offered {
  readonly waits: Waits;
}

/** Replaces the device plugin of a node after a change. @returns why pods may not come yet, or that they may */
export function refreshPlugin(situation: Situation, offer: ExpectedOffer): Outcome | Offered {
  const { node, partition, settings, now, slices } = situation;
  const isDra = backendOf(situation) === 'DRA';
  if (isDra && slices === undefined) return { look: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const { fence, waits: seen } = describeFence(situation, offer.resources);
  const isAwaited = fence.changed || !isExact(fence);
  const awaited = isAwaited ? waitFor(situation, 'Advertised', keyOf(situation)) : undefined;
  const waits = { ...seen, ...awaited?.waits };
  const step = decideFence(fence);
  // A plugin that has other settings is not one that has yet to follow.
  const isOther = offer.policy !== undefined && !fence.changed && step.next !== 'Open';
  if (step.next === 'LookAtPods' || (isOther && fence.pods === undefined)) return { look: 'Pods' };
  const found = listPluginPods(situation) ?? [];
  // What it offers is right for its own settings: a closed node is opened by those.
  const unfit = offer.policy && !isDra && fence.pods !== undefined ? checkSettings(situation) : undefined;
  if (unfit) return alsoWaits(unfit, waits);
  const use = isUnfinished(node) || hasStartupTaint(node) ? undefined : slotUses[step.next];
  const held = use && (nodeUnavailable(situation) ?? awaitSlot(situation, use));
  if (held) return 'look' in held ? held : alsoWaits(held, waits);
  // The kubelet knows this before the API server does, and knows which devices they are.
  const stale =
    step.next === 'Open' && fence.closed && !isDra
      ? staleOffer(partition.status?.device?.advertised, fence.wanted)
      : undefined;
  if (step.next === 'Open' && stale === undefined) return { waits };
  const old = step.next === 'Evict' ? found.filter(({ metadata }) => step.uids.includes(metadata.uid ?? '')) : [];
  const [refusal] = listPodCauses(listRefusals(situation, old));
  const verdict =
    (refusal === undefined ? undefined : evictionRefused(refusal, nameBackend(backendOf(situation)))) ??
    stale ??
    fenceVerdict(step, fence, partition.spec.strategy ?? 'none', [
      ...describeTrouble(node, found.filter(isFailing)),
      ...describeRefusal(situation),
    ]);
  const lastsMs = awaited?.lastsMs ?? 0;
  const isOverdue = lastsMs > settings.advertiseDeadlineMs;
  const states = found.flatMap((pod) => explainPluginPod(pod) ?? []);
  return {
    verdict: isOverdue ? fenceOverdue(verdict, now - lastsMs, states) : verdict,
    commands: commandsOf(step, situation, fence.mark, old, offer),
    waits:
      step.next === 'Advertise'
        ? { ...waits, ...waitFor(situation, 'AdvertisedEarly', keyOf(situation)).waits }
        : waits,
    ifClosed: 'Stays',
  };
}

/** A plugin that was absent while the devices changed, and comes back to their current state, need not be replaced again. */
export function noteFreshPlugin(situation: Situation): NodeChange {
  const { annotations, labels } = situation.node.metadata;
  const change = keyOf(situation);
  const label = backendOf(situation) === 'DRA' ? driverDeployLabel : pluginDeployLabel;
  const isAway = labels?.[label] === pausedForMigChange;
  if (!isAway || readRefreshMark(annotations?.[refreshedAnnotation], change)) return {};
  return {
    annotations: {
      [refreshedAnnotation]: formatRefreshMark({ change, uids: [], tolerates: false, sawNothing: false }),
    },
  };
}

/**
 * Replaces the plugin if the device is unknown. @returns why the node stays closed, or that its offer comes from a plugin that
 * started after the agent's last report
 */
export function refreshAfterSilence(situation: Situation, epoch: number): Outcome | Offered {
  const { node, settings } = situation;
  const found = listPluginPods(situation);
  if (found === undefined) return { look: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const change = `unanswered-${epoch}`;
  const mark = readRefreshMark(node.metadata.annotations?.[refreshedAnnotation], change);
  const awaited = waitFor(situation, 'Advertised', change);
  const isOverdue = awaited.lastsMs > settings.advertiseDeadlineMs;
  const old = mark === undefined ? found : found.filter(({ metadata }) => mark.uids.includes(metadata.uid ?? ''));
  // On a dead node no pod ever ends: it must not hold its slot, and others up, without end. Nor may an unknown plugin.
  const isAlive = isReadyNode(node) && old.some(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (isOverdue && !isAlive) return { waits: awaited.waits };
  if (old.length > 0) {
    const first = mark === undefined ? [patchMark(markPods(node, change, old))] : [];
    const refusals = listPodCauses(listRefusals(situation, old));
    return waitForPlugin(situation, awaited.waits, [...first, ...evictPods(situation, old)], refusals);
  }
  // A plugin that does not tolerate our taint, or was absent before, comes back when the taint is removed; until then nothing is
  // offered.
  if (mark?.tolerates !== true) {
    const offered = { slices: sliceOfferOf(situation), allocatable: node.status?.allocatable ?? {} };
    return isNothing(offered) ? { waits: awaited.waits } : waitForPlugin(situation, awaited.waits);
  }
  const ready = found.some(isReady) ? waitFor(situation, 'PluginReady', change) : undefined;
  const waits = { ...awaited.waits, ...ready?.waits };
  const slowestMs = backendOf(situation) === 'DRA' ? slowestSlicesMs : slowestStatusMs;
  return ready !== undefined && ready.lastsMs >= slowestMs ? { waits } : waitForPlugin(situation, waits);
}

/** Such a driver owns the GPUs: it is left alone, and offers nothing that a closed node would have to keep from pods. */
function hasDynamicMig(situation: Situation): boolean {
  return backendOf(situation) === 'DRA' && listDynamicSlices(situation.slices ?? []).length > 0;
}

function waitForPlugin(
  situation: Situation,
  waits: Waits,
  commands: readonly Command[] = [],
  refusals: readonly string[] = [],
): Ruling {
  const refused = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
  const message = `its ${nameBackend(backendOf(situation))} is restarting, to offer what exists now${refused}`;
  const verdict = { phase: 'Failed', reason: 'Failed', message, requeueAfterMs: 500 } as const;
  return { ifClosed: 'Stays', verdict, commands, waits };
}

function commandsOf(
  step: FenceStep,
  situation: Situation,
  mark: RefreshMark | undefined,
  old: readonly NodePod[],
  { marks = {} }: ExpectedOffer,
): readonly Command[] {
  const change = keyOf(situation);
  if (step.next === 'TakeTaintsOff') {
    const note = formatRefreshMark({ ...(mark ?? { change, uids: [], tolerates: false }), sawNothing: true });
    // Pods may come as soon as the new plugin has informed the kubelet, before we see it: they must not select by outdated labels.
    return [{ name: 'PatchNode', change: combine(fenceByZero(note), marks) }];
  }
  if (step.next === 'Close') return [{ name: 'PatchNode', change: closeNode() }];
  if (step.next === 'Advertise') {
    const status = offerStatus(situation.node.status ?? {}, step.resources);
    return [{ name: 'AdvertiseDevices', status, change }];
  }
  if (step.next === 'Unregister') return tellOfOrphans(situation, step.resources);
  if (step.next !== 'Evict') return [];
  // Recorded first: a successor evicts these pods and no others.
  const first = step.first ? [patchMark(markPods(situation.node, change, old))] : [];
  return [...first, ...evictPods(situation, old)];
}

/** Once for each grant: it says which change the agent must have finished. */
function tellOfOrphans({ partition }: Situation, resources: readonly string[]): readonly Command[] {
  const unregister = { epoch: partition.spec.granted?.epoch ?? 0, resources };
  return sameJson(partition.spec.unregister, unregister) ? [] : [{ name: 'WriteUnregister', unregister }];
}

function patchMark(mark: RefreshMark): Command {
  return { name: 'PatchNode', change: { annotations: { [refreshedAnnotation]: formatRefreshMark(mark) } } };
}

function markPods(node: NodeView, change: string, pods: readonly NodePod[]): RefreshMark {
  // Also on a node that is open now: the record must hold when it is closed.
  const taints = [repartitioningTaint, ...(node.spec?.taints ?? []).filter(isOwnTaint)];
  return {
    change,
    uids: pods.flatMap(({ metadata }) => metadata.uid ?? []),
    tolerates: pods.every((pod) => taints.every((taint) => tolerates(pod, taint))),
    sawNothing: false,
  };
}

/** What the fence needs to know, and what is remembered of it. */
function describeFence(
  situation: Situation,
  wanted: ExpectedOffer['resources'],
): { readonly fence: FenceSituation; readonly waits: Waits } {
  const { node, partition, settings } = situation;
  const change = keyOf(situation);
  const allocatable = node.status?.allocatable ?? {};
  const changed = isClosed(node);
  const slices = sliceOfferOf(situation);
  const isEqual = isExact({ slices, allocatable, wanted });
  const isSettled = isEqual && !changed;
  const { advertised } = partition.status?.device ?? {};
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
  const stands = changed && isEqual ? waitFor(situation, 'Stands', offer) : undefined;
  const seen = [wasStale, differs, ready, signalled, early, refused, stands];
  const waits: Waits = Object.assign({}, ...seen.map((one) => one?.waits));
  const fence: FenceSituation = {
    wanted,
    allocatable,
    slices,
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

function describeOffering(advertised: DeviceReport['advertised'], isStale: boolean): Offering {
  if (advertised === undefined) return 'Unknown';
  if (Object.keys(advertised.resources ?? {}).length === 0) return 'Nothing';
  return isStale ? 'Other' : 'Exact';
}

function listPluginPods(situation: Situation): readonly NodePod[] | undefined {
  return situation.pods && refreshedPods(situation, situation.pods);
}

/** It was tried once for this change. */
function describeRefusal(situation: Situation): readonly string[] {
  if (resumeWait(situation, 'StatusRefused', keyOf(situation)) === undefined) return [];
  return [
    'The controller may not write nodes/status, so it waits for the kubelet’s own report, for up to 10 s: grant it the rights of ' +
      'config/rbac, or run it with --node-status Wait',
  ];
}

function keyOf({ partition, node }: Situation): string {
  return changeKey(partition, configOf(node));
}
