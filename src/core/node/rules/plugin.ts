import type { GpuPartitionPolicy, DeviceReport } from '../../../api/types.ts';
import {
  findMisfit,
  pluginPodsOf,
  explainPluginPod,
  isFailing,
  driverDeployLabel,
  pausedForMigChange,
  pluginDeployLabel,
} from '../plugin-pods.ts';
import { publishDevices } from '../../device/holders.ts';
import { describeReport } from '../../nvidia/predict.ts';
import type { NodeView } from '../../kubernetes/node.ts';
import {
  waitOpen,
  lookAgainMs,
  refuseNode,
  type Ruling,
  type RuleInput,
  type Command,
  alsoWaits,
  type Outcome,
  waitClosed,
} from '../commands.ts';
import {
  type Backend,
  backendOf,
  configOf,
  sliceOfferOf,
  nameBackend,
  hasStartupTaint,
  isUnfinished,
  isClosed,
  isOwnTaint,
  isReadyNode,
  wishOf,
  isDeviceDone,
} from '../snapshot.ts';
import { pluginPods, refreshedPods, listPodCauses } from './users.ts';
import { currentOffer, explainCurrentOffer, publishConfig } from './backend.ts';
import { podName, type PodView, tolerates, isGpuResource, isReady } from '../../kubernetes/pod.ts';
import { repartitioningTaint, startupTaintKeys } from '../../../api/names.ts';
import { type Lasting, timer, runningTimer, type WaitName, type Waits } from '../memory.ts';
import { listDynamicSlices } from '../owners.ts';
import { type MigStrategy, devicePluginConfigLabel } from '../../nvidia/labels.ts';
import {
  advertisedResources,
  findOfferGap,
  isExact,
  isNothing,
  resourcesText,
  offerStatus,
  advertises,
} from '../offer.ts';
import { type OfferGateState, staleOffer, decideFence, type FenceStep, explainFence } from '../fence.ts';
import { changeKey, readRefreshMark, recordRefresh, closeNode, type RefreshMark } from '../marks.ts';
import { type NodeChange, combine } from '../node-patch.ts';
import { deepEqual } from '../../text/json.ts';
import { evictPods, listRefusals, wasRefused } from './drain.ts';
import { awaitSlot, type SlotUse, awaitTurn, nodeUnavailable } from './slot.ts';
import { managedConfig } from '../../nvidia/plugin-config.ts';

/** Whether what hands the node's GPUs out runs, and would offer the new layout as the policy says: nothing is changed otherwise. */
export function checkStack(situation: RuleInput): Outcome | undefined {
  return backendOf(situation) === 'DRA' ? checkDriver(situation) : (checkPlugin(situation) ?? checkOffer(situation));
}

/** Whether the device plugin has the policy's settings, or takes them from us, and runs. */
export function checkPlugin(situation: RuleInput): Ruling | undefined {
  return checkSettings(situation) ?? checkRuns(situation);
}

/** Whether the device plugin's own settings fit the policy. */
function checkSettings(situation: RuleInput): Ruling | undefined {
  const { claim, settings, pods = [] } = situation;
  const { winner } = claim;
  if (winner === undefined) return undefined;
  const { strategy, sharing } = winner.spec;
  const configMap = sharing && settings.pluginConfigMap?.name;
  for (const pod of pluginPods(situation, pods)) {
    const found = findMisfit(pod, { strategy, configMap, allocation: sharing?.allocation });
    if (found) return refuseNode(found.reason, `pod ${podName(pod)}: ${found.message}`);
  }
  return undefined;
}

/**
 * A plugin that does not run, or would not start again, would not offer a new layout either, unless it is the present one, or a missing
 * config file, that keeps it from starting: then the change is the cure.
 */
function checkRuns(situation: RuleInput): Ruling | undefined {
  const { node, pods = [] } = situation;
  if (isUnfinished(node) || hasStartupTaint(node) || isCuredByChange(situation)) return undefined;
  const plugins = pluginPods(situation, pods);
  return refuseUnready(node, 'DevicePlugin', plugins) ?? refuseLost(situation, pluginPodsOf(plugins));
}

/** Leaves a node alone on which what hands its GPUs out does not run. What is about to start is waited for. */
function refuseUnready(node: NodeView, backend: Backend, pods: readonly PodView[]): Ruling | undefined {
  const unready = pods.filter((pod) => !isReady(pod));
  if (unready.length === 0) return undefined;
  const failing = unready.filter(isFailing);
  const why = describeTrouble(node, failing.length > 0 ? failing : unready).join('. ');
  const refusal = refuseNode('PluginNotReady', `the ${nameBackend(backend)} is not ready: ${why}`);
  if (failing.length > 0) return refusal;
  return { ...refusal, verdict: { ...refusal.verdict, phase: 'Pending', transient: true, requeueAfterMs: 1000 } };
}

/** What keeps the plugin's pods from being ready, in the kubelet's words, and the config file that they may be missing. */
function describeTrouble(node: NodeView, pods: readonly PodView[]): readonly string[] {
  const trouble = pods.flatMap((pod) => explainPluginPod(pod) ?? []);
  const config = configOf(node);
  const label = `the node's label ${devicePluginConfigLabel} names ${config}: does its ConfigMap have that key?`;
  return trouble.length > 0 && config !== undefined ? [...trouble, label] : trouble;
}

/** NVIDIA's plugin opens every GPU when it starts (k8s-device-plugin#338): a lost one would take the others with it. */
function refuseLost({ partition }: RuleInput, plugins: readonly PodView[]): Ruling | undefined {
  const lost = (partition.status?.device?.gpus ?? []).find(({ error }) => error?.startsWith('GpuLost'));
  if (lost === undefined || plugins.length === 0) return undefined;
  const message =
    `GPU ${lost.index} (${lost.pciBusId}) is lost, and the device plugin would not start with it: a change would take the node’s ` +
    'other GPUs out of service, too. Drain and reboot the node';
  return refuseNode('PluginNotReady', message);
}

function isCuredByChange(situation: RuleInput): boolean {
  const { node, configFiles } = situation;
  const key = configOf(node);
  const lacksFile = key !== undefined && configFiles?.state === 'Read' && !(key in configFiles.files);
  return lacksFile || currentOffer(situation).cannotStart;
}

/** Whether the DRA driver is on the node and runs. */
function checkDriver(situation: RuleInput): Outcome | undefined {
  const { node, partition, slices, pods } = situation;
  if (slices === undefined || pods === undefined) return { needs: 'Pods' };
  // It may not tolerate the taints of a node that is closed.
  if (isUnfinished(node) || hasStartupTaint(node)) return undefined;
  const drivers = refreshedPods(situation, pods);
  if (drivers.length === 0) {
    return refuseNode(
      'NoDraDriver',
      `no pod of NVIDIA’s DRA driver is on the node (labels dra-driver-nvidia-gpu-component=kubelet-plugin or ` +
        'app=nvidia-dra-driver-kubelet-plugin, of a DaemonSet in one of --system-namespaces): nothing would offer the slices. Install it, ' +
        'or set spec.backend: DevicePlugin',
    );
  }
  // It exits on a compute instance that is smaller than its GPU instance: then the change is the cure.
  if (publishDevices(partition.status?.device ?? {}).problem !== undefined) return undefined;
  return refuseUnready(node, 'DRA', drivers);
}

/** Whether anything would advertise the new layout as the policy says, judged by how the node advertises its devices now. */
export function checkOffer(situation: RuleInput): Ruling | undefined {
  const { node, partition, settings, claim, pods = [] } = situation;
  const { gpus = [] } = partition.status?.device ?? {};
  const wanted = new Map(wishOf(situation)?.gpus.map((gpu) => [gpu.uuid, gpu.mig]));
  const strategy = claim.winner?.spec.strategy;
  const gap =
    strategy &&
    findOfferGap({
      device: describeReport(partition.status?.device ?? {}),
      strategy,
      offer: {
        allocatable: node.status?.allocatable ?? {},
        advertised: partition.status?.device?.advertised,
        labels: node.metadata.labels ?? {},
      },
      hasOwnConfig: settings.pluginConfigMap !== undefined,
      hasPlugin: pluginPods(situation, pods).length > 0,
      refusesUnknown: settings.refusesUnknownPlugin,
      isClosed: isUnfinished(node) || hasStartupTaint(node),
      becomesWhole: gpus.every(({ uuid, mig }) =>
        wanted.has(uuid) ? wanted.get(uuid) === 'Disabled' : mig !== 'Enabled',
      ),
      selector: settings.pluginSelector,
    });
  return gap && { ...waitOpen('Failed', gap.reason, gap.message, lookAgainMs), writesNothing: true };
}

/** A signalled plugin informs the kubelet within a second, and the kubelet the API server within its status period (10 s). */
const followMs = 20_000;

/**
 * Measures for how long the agent, since it finished the grant, has signalled all of the plugin's pods on the node; undefined if it has not. None
 * is replaced as long as they may still follow: after that time they have followed, or one of them ignores the signal.
 */
export function awaitSignalled(
  situation: RuleInput,
  found: readonly PodView[] | undefined,
  change: string,
): Lasting | undefined {
  const { partition } = situation;
  const { signalled, observedEpoch } = partition.status?.device ?? {};
  if (found === undefined || found.length === 0 || signalled === undefined) return undefined;
  if (signalled.epoch !== partition.spec.granted?.epoch || signalled.epoch !== observedEpoch) return undefined;
  if (!found.every(({ metadata }) => signalled.uids.includes(metadata.uid ?? ''))) return undefined;
  return timer(situation, 'Signalled', change);
}

/** Resources that the device plugin derives from the device. */
interface Expected {
  readonly resources: Readonly<Record<string, number>>;
  /** The strategy by which the plugin does; absent: the policy's. */
  readonly strategy?: MigStrategy | undefined;
}

/**
 * The kubelet's offer, as the agent reports it. Undefined if the agent does not know, or takes what exists by the policy's strategy for what
 * should be offered, while the plugin still runs with another.
 *
 * @param strategy by which the plugin offers what exists; absent: the policy's
 */
export function toldOffer(
  { partition: { spec, status } }: Pick<RuleInput, 'partition'>,
  strategy = spec.strategy,
): DeviceReport['advertised'] {
  const isOther = spec.strategy !== undefined && strategy !== spec.strategy;
  return isOther ? undefined : status?.device?.advertised;
}

/** Whether a node offers what the controller has written into its status for this change, before the kubelet did. */
export function standsEarly(situation: RuleInput): boolean {
  return runningTimer(situation, 'AdvertisedEarly', keyOf(situation)) !== undefined;
}

/** What the fence needs to know, and what is remembered of it. @returns also by which text the wait `Stands` knows this offer */
function describeFence(
  situation: RuleInput,
  { resources: wanted, strategy }: Expected,
): { readonly fence: OfferGateState; readonly waits: Waits; readonly offered: string } {
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
  const mark = markOf(node, change);
  const found = listPluginPods(situation);
  // A pod that is being replaced may still follow: what it offers says nothing of its successor.
  const isGoing = mark !== undefined && found?.some(({ metadata }) => mark.uids.includes(metadata.uid ?? '')) !== false;
  const offered = mark === undefined ? offer : `${offer}${isGoing ? ' going' : ' gone'}`;
  const isBack = mark && found?.some((pod) => !mark.uids.includes(pod.metadata.uid ?? '') && isReady(pod));
  // Each lasts from when it was first seen.
  const see = (isSeen: boolean, ...wait: [WaitName, string]): Lasting | undefined =>
    isSeen ? timer(situation, ...wait) : runningTimer(situation, ...wait);
  const wasStale = isSettled ? undefined : see(isStale, 'OfferedStale', offered);
  const differs = isSettled ? undefined : see(!isEqual, 'Differs', offer);
  const ready = see(isBack === true, 'PluginReady', mark ? `${change}/${mark.uids.length}` : change);
  const signalled = mark === undefined && changed ? awaitSignalled(situation, found, change) : undefined;
  const isSignalled = signalled !== undefined && signalled.lastsMs < followMs;
  const early = runningTimer(situation, 'AdvertisedEarly', change);
  const refused = runningTimer(situation, 'StatusRefused', change);
  const stands = changed && isEqual ? timer(situation, 'Stands', offered) : undefined;
  const seen = [wasStale, differs, ready, signalled, early, refused, stands];
  const waits: Waits = Object.assign({}, ...seen.map((one) => one?.waits));
  const fence: OfferGateState = {
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
    closedMs: runningTimer(situation, 'Closed')?.lastsMs ?? 0,
    patienceMs: settings.refreshAfterMs,
    pods: found?.map(({ metadata }) => ({
      uid: metadata.uid ?? '',
      leaving: metadata.deletionTimestamp !== undefined,
    })),
  };
  return { fence, waits, offered };
}

/** Whether a device plugin that nobody asked for offers something else than what exists, whatever its strategy. */
function hasStalePlugin({ node, partition }: RuleInput): boolean {
  const { device = {} } = partition.status ?? {};
  // The kubelet tells the API server later.
  if ((device.advertised?.stale ?? 0) > 0) return true;
  const { allocatable = {} } = node.status ?? {};
  const offersAny = Object.keys(advertisedResources(allocatable)).length > 0;
  return offersAny && explainCurrentOffer(device, allocatable, []) === undefined;
}

function describeOffering(advertised: DeviceReport['advertised'], isStale: boolean): OfferGateState['offering'] {
  if (advertised === undefined) return 'Unknown';
  if (Object.keys(advertised.resources ?? {}).length === 0) return 'Nothing';
  return isStale ? 'Other' : 'Exact';
}

/**
 * Whether the DRA driver creates slices itself. Such a driver owns the GPUs: it is left alone, and offers nothing that a closed node would
 * have to keep from pods.
 */
function hasDynamicMig(situation: RuleInput): boolean {
  return backendOf(situation) === 'DRA' && listDynamicSlices(situation.slices ?? []).length > 0;
}

function listPluginPods(situation: RuleInput): readonly PodView[] | undefined {
  return situation.pods && refreshedPods(situation, situation.pods);
}

export function keyOf({ partition, node }: RuleInput): string {
  return changeKey(partition, configOf(node));
}

/** Records the plugin's pods that are about to be evicted, beside those of before: a successor evicts these and no others. */
function recordReplaced(
  node: NodeView,
  change: string,
  pods: readonly PodView[],
  before: readonly string[] = [],
): Command {
  // Also on a node that is open now: the record must hold when it is closed.
  const taints = [repartitioningTaint, ...(node.spec?.taints ?? []).filter(isOwnTaint)];
  const mark = {
    change,
    uids: [...before, ...pods.flatMap(({ metadata }) => metadata.uid ?? [])],
    tolerates: pods.every((pod) => taints.every((taint) => tolerates(pod.spec?.tolerations, taint))),
    sawNothing: false,
  };
  return { name: 'PatchNode', change: recordRefresh(mark) };
}

/** The record of a refresh for this very change; undefined if there is none, or only one of an earlier change. */
function markOf(node: NodeView, change: string): RefreshMark | undefined {
  const mark = readRefreshMark(node);
  return mark?.change === change ? mark : undefined;
}

/** A plugin that was absent while the devices changed, and comes back to their current state, need not be replaced again. */
export function recordFreshPlugin(situation: RuleInput): NodeChange {
  const { node } = situation;
  const change = keyOf(situation);
  const label = backendOf(situation) === 'DRA' ? driverDeployLabel : pluginDeployLabel;
  const isAway = node.metadata.labels?.[label] === pausedForMigChange;
  if (!isAway || markOf(node, change)) return {};
  return recordRefresh({ change, uids: [], tolerates: false, sawNothing: false });
}

/** Uses of a slot for steps of the fence that disturb a node in use. */
const slotUses: { readonly [Next in FenceStep['next']]?: SlotUse } = { Evict: 'Plugin', Close: 'Status' };

/** What the node has to offer before pods may come. */
interface ExpectedOffer extends Expected {
  /** The policy that decides over the node; absent if none does any more. */
  readonly policy?: GpuPartitionPolicy;
  /** What else changes on the node when it is opened for the plugin: above all the labels that describe these resources. */
  readonly marks?: NodeChange;
}

/** Pods may come, as far as the plugin is concerned. Something else may still keep the node closed: what was seen is not forgotten. */
export interface Offered {
  readonly waits: Waits;
}

/** Replaces the device plugin of a node after a change. @returns why pods may not come yet, or that they may */
export function refreshPlugin(situation: RuleInput, offer: ExpectedOffer): Outcome | Offered {
  const { node, partition, settings, now, slices } = situation;
  const isDra = backendOf(situation) === 'DRA';
  if (isDra && slices === undefined) return { needs: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const { fence, waits: seen, offered } = describeFence(situation, offer);
  const isAwaited = fence.changed || !isExact(fence);
  const awaited = isAwaited ? timer(situation, 'Advertised', keyOf(situation)) : undefined;
  const waits = { ...seen, ...awaited?.waits };
  const step = decideFence(fence);
  // A plugin that has other settings is not one that has yet to follow.
  const isOther = !fence.changed && step.next !== 'Open';
  if (step.next === 'ReadPods' || (isOther && fence.pods === undefined)) return { needs: 'Pods' };
  const found = listPluginPods(situation) ?? [];
  // What it offers is right for its own settings: a closed node is opened by those.
  const unfit = offer.policy && !isDra ? checkSettings(situation) : undefined;
  if (unfit) return alsoWaits(unfit, waits);
  const old = step.next === 'Evict' ? found.filter(({ metadata }) => step.uids.includes(metadata.uid ?? '')) : [];
  const lastsMs = awaited?.lastsMs ?? 0;
  const isOverdue = lastsMs > settings.advertiseDeadlineMs;
  const isInUse = !isUnfinished(node) && !hasStartupTaint(node);
  // One that has failed gives its slot back, and asks for another only when the eviction is due again.
  const isRefused =
    isInUse && isOverdue && old.length > 0 && old.every((pod) => wasRefused(situation, pod, lookAgainMs));
  const use = isInUse && !isRefused ? slotUses[step.next] : undefined;
  const held = use && (nodeUnavailable(situation) ?? awaitSlot(situation, use));
  if (held) return 'needs' in held ? held : alsoWaits(held, waits);
  const applied = isDeviceDone(situation) ? 'the layout is applied' : 'no GPU changes now';
  // The kubelet knows this before the API server does, and knows which devices they are.
  const stale =
    step.next === 'Open' && fence.closed && !isDra
      ? staleOffer(toldOffer(situation, offer.strategy), fence.wanted, applied)
      : undefined;
  if (step.next === 'Open' && stale === undefined) return { waits };
  const [refusal] = listPodCauses(listRefusals(situation, old));
  const trouble = [...describeTrouble(node, found.filter(isFailing)), ...describeRefusal(situation)];
  const overdue = { since: now - lastsMs, states: found.flatMap((pod) => explainPluginPod(pod) ?? []) };
  return {
    verdict: explainFence(step, fence, {
      strategy: partition.spec.strategy ?? 'none',
      applied,
      trouble,
      refusal,
      stale,
      ...(isOverdue && { overdue }),
    }),
    commands: isRefused ? [] : commandsOf(step, situation, { ...offer, mark: fence.mark, offered }, old),
    waits:
      step.next === 'Advertise' ? { ...waits, ...timer(situation, 'AdvertisedEarly', keyOf(situation)).waits } : waits,
    ifClosed: 'Stays',
  };
}

function commandsOf(
  step: FenceStep,
  situation: RuleInput,
  {
    marks = {},
    mark,
    offered,
  }: Pick<ExpectedOffer, 'marks'> & { readonly mark: RefreshMark | undefined; readonly offered: string },
  old: readonly PodView[],
): readonly Command[] {
  const change = keyOf(situation);
  if (step.next === 'TakeTaintsOff') {
    // As long as nothing is advertised, no pod that asks for a GPU can come. The same write records the change.
    const note = recordRefresh({ ...(mark ?? { change, uids: [], tolerates: false }), sawNothing: true });
    const opening = combine(note, { removeTaints: [repartitioningTaint.key, ...startupTaintKeys] });
    // Pods may come as soon as the new plugin has informed the kubelet, before we see it: they must not select by outdated labels.
    return [{ name: 'PatchNode', change: combine(opening, marks) }];
  }
  if (step.next === 'Close') return [{ name: 'PatchNode', change: closeNode() }];
  if (step.next === 'Advertise') {
    const status = offerStatus(situation.node.status ?? {}, step.resources);
    return [{ name: 'AdvertiseDevices', status, change, offered }];
  }
  if (step.next === 'Unregister') return tellOfOrphans(situation, step);
  if (step.next !== 'Evict') return [];
  // Recorded first: a successor evicts these pods and no others.
  const first = step.first ? [recordReplaced(situation.node, change, old, mark?.uids)] : [];
  return [...first, ...evictPods(situation, old)];
}

/** Once for each grant: it says which change the agent must have finished. */
function tellOfOrphans(
  { partition }: RuleInput,
  { next: _next, ...orphans }: Extract<FenceStep, { readonly next: 'Unregister' }>,
): readonly Command[] {
  const unregister = { epoch: partition.spec.granted?.epoch ?? 0, ...orphans };
  return deepEqual(partition.spec.unregister, unregister) ? [] : [{ name: 'WriteUnregister', unregister }];
}

/** Explains a refused write of nodes/status, which is tried once for each change. */
function describeRefusal(situation: RuleInput): readonly string[] {
  if (runningTimer(situation, 'StatusRefused', keyOf(situation)) === undefined) return [];
  return [
    'The controller may not write nodes/status, so it waits for the kubelet’s own report, for up to 10 s: grant it the rights of ' +
      'config/rbac, or run it with --node-status Wait',
  ];
}

/**
 * How long the Node may still show what the plugin of before offered, in ms. The kubelet writes changed resources with its next status,
 * every 10 s by default (nodeStatusUpdateFrequency), and nobody else tells while the agent is silent.
 */
const slowestStatusMs = 30_000;

/**
 * How long the DRA driver may take to publish its slices, in ms: it does once it has started, and retries ever more slowly while the API
 * server refuses.
 */
const slowestSlicesMs = 90_000;

/**
 * Replaces the plugin if the device is unknown. @returns why the node stays closed, or that its offer comes from a plugin that
 * started after the agent's last report
 */
export function refreshAfterSilence(situation: RuleInput, epoch: number): Outcome | Offered {
  const { node, settings } = situation;
  const found = listPluginPods(situation);
  if (found === undefined) return { needs: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const change = `unanswered-${epoch}`;
  const mark = markOf(node, change);
  const awaited = timer(situation, 'Advertised', change);
  const isOverdue = awaited.lastsMs > settings.advertiseDeadlineMs;
  const old = mark === undefined ? found : found.filter(({ metadata }) => mark.uids.includes(metadata.uid ?? ''));
  // On a dead node no pod ever ends: it must not hold its slot, and others up, without end. Nor may an unknown plugin.
  const isAlive = isReadyNode(node) && old.some(({ metadata }) => metadata.deletionTimestamp === undefined);
  const offered = { slices: sliceOfferOf(situation), allocatable: node.status?.allocatable ?? {} };
  // The kubelet takes them away once the driver has been gone for 30 s.
  const areLeft = isReadyNode(node) && offered.slices?.isNothing === false;
  if (isOverdue && !isAlive && !areLeft) return { waits: awaited.waits };
  if (old.length > 0) {
    const first = mark === undefined ? [recordReplaced(node, change, old)] : [];
    const refusals = listPodCauses(listRefusals(situation, old));
    return waitForPlugin(situation, awaited.waits, [...first, ...evictPods(situation, old)], refusals);
  }
  // A plugin that does not tolerate our taint, or was absent before, comes back when the taint is removed; until then nothing is
  // offered.
  if (mark?.tolerates !== true) {
    return isNothing(offered) ? { waits: awaited.waits } : waitForPlugin(situation, awaited.waits);
  }
  const ready = found.some(isReady) ? timer(situation, 'PluginReady', change) : undefined;
  const waits = { ...awaited.waits, ...ready?.waits };
  const slowestMs = backendOf(situation) === 'DRA' ? slowestSlicesMs : slowestStatusMs;
  return ready !== undefined && ready.lastsMs >= slowestMs ? { waits } : waitForPlugin(situation, waits);
}

function waitForPlugin(
  situation: RuleInput,
  waits: Waits,
  commands: readonly Command[] = [],
  refusals: readonly string[] = [],
): Ruling {
  const refused = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
  const message = `its ${nameBackend(backendOf(situation))} is restarting, to offer what exists now${refused}`;
  const verdict = { phase: 'Failed', reason: 'Failed', message, requeueAfterMs: 500 } as const;
  return { ifClosed: 'Stays', verdict, commands, waits };
}

/** Remembers of a node that is being closed that its device is as its plugin read it: it offers that, and nothing else. */
export function recordUntouched(situation: RuleInput, pods: readonly PodView[]): Waits | undefined {
  const { node } = situation;
  const isDra = backendOf(situation) === 'DRA';
  const offer = sliceOfferOf(situation);
  // A driver that has published nothing yet may have read other devices.
  if (isDra && (offer?.isExact !== true || offer.isNothing)) return undefined;
  const { strategy, resources } = currentOffer(situation);
  const told = toldOffer(situation, strategy);
  // The kubelet offers devices before the API server hears of it.
  const isStale = staleOffer(told, resources) !== undefined;
  if (isStale || !advertises(node.status?.allocatable ?? {}, resources)) return undefined;
  if (!isDra && told === undefined && mayBeOfBefore(situation)) return undefined;
  // A plugin that is starting may have read the devices before they became what they are.
  if (!refreshedPods(situation, pods).every(isReady)) return undefined;
  return timer(situation, 'Untouched', untouchedKey(situation)).waits;
}

/** Whether equal numbers may be of other devices: the device has changed since its plugin was restarted. Nobody else tells. */
function mayBeOfBefore(situation: RuleInput): boolean {
  const mark = readRefreshMark(situation.node);
  return mark !== undefined && mark.change !== keyOf(situation);
}

/** Whether nothing has been granted, and its plugin got no other settings, since the node was closed: then it may be opened as it was. */
export function isUntouched(situation: RuleInput): boolean {
  return isClosed(situation.node) && runningTimer(situation, 'Untouched', untouchedKey(situation)) !== undefined;
}

/** A failed grant may have created and destroyed devices that a plugin has seen: an unchanged device proves nothing. */
function untouchedKey({ partition, node }: RuleInput): string {
  return `${partition.spec.granted?.epoch ?? 0}/${changeKey(partition, configOf(node))}`;
}

/** Makes the plugin use the policy's strategy and sharing. It reads its settings and the devices together: the layout must be done. */
export function configurePlugin(situation: RuleInput): Outcome | undefined {
  const { settings, claim, node } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  const { key } = managedConfig(claim.winner.spec);
  if (configOf(node) === key) {
    // Not checked as long as all is well: a plugin that does not come back may be missing it.
    return publishConfig(situation);
  }
  return awaitTurn(situation, 'Settings', [nodeUnavailable, checkPlugin]) ?? closeAndConfigure(situation, key);
}

/** The plugin restarts with its new settings on a closed node: no pod gets a device that is gone. */
function closeAndConfigure(situation: RuleInput, key: string): Ruling {
  const { settings, node } = situation;
  if (!isClosed(node)) {
    const waits = isUnfinished(node) ? undefined : recordUntouched(situation, situation.pods ?? []);
    return { ...configuring(settings.settleMs, [{ name: 'PatchNode', change: closeNode() }]), waits };
  }
  const { lastsMs, waits } = timer(situation, 'Closed');
  const left = settings.settleMs - lastsMs;
  if (left > 0) return { ...configuring(left), waits };
  return configuring(250, [{ name: 'PatchNode', change: { borrow: { [devicePluginConfigLabel]: key } } }]);
}

function configuring(requeueAfterMs: number, commands: Ruling['commands'] = []): Ruling {
  const message = 'the device plugin’s settings are changing';
  return { ...waitClosed('Updating', 'AdvertisePending', message, requeueAfterMs), commands };
}
