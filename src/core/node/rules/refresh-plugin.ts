import type { GpuPartitionPolicy } from '../../../api/types.ts';
import { type NodeChange, combine } from '../../metadata/node-change.ts';
import { explainPluginPod, isFailing } from '../../nvidia/plugin-config/plugin-reason.ts';
import { offerStatus } from '../../nvidia/resources/offered-status.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { backendOf, nameBackend } from '../backend.ts';
import type { Command } from '../commands.ts';
import { decideFence, isExact } from '../fence.ts';
import type { FenceStep } from '../fence-step.ts';
import { evictionRefused, fenceOverdue, fenceVerdict, staleOffer } from '../fence-words.ts';
import { resumeWait, waitFor, type Waits } from '../memory.ts';
import { closeNode, fenceByZero } from '../node-marks.ts';
import { hasStartupTaint, isUnfinished } from '../node-view.ts';
import { alsoWaits, lookAgainMs, type Outcome, type Situation } from '../outcome.ts';
import { formatRefreshMark, type RefreshMark } from '../refresh-mark.ts';
import { checkSettings } from './check-plugin.ts';
import { evictPods, listRefusals, wasRefused } from './evictions.ts';
import { describeFence, type Expected, hasDynamicMig, keyOf, listPluginPods, toldOffer } from './fence-situation.ts';
import { recordReplaced } from './mark-plugin.ts';
import { nodeUnavailable } from './plan.ts';
import { describeTrouble } from './plugin-config.ts';
import { awaitSlot, type SlotUse } from './slot.ts';
import { isDeviceDone } from './wish.ts';
import { listPodCauses, type PodView } from '../../pods/pod-view.ts';

/** What a node in use is disturbed for. */
const slotUses: { readonly [Next in FenceStep['next']]?: SlotUse } = { Evict: 'Plugin', Close: 'Status' };

/** What the node has to offer before pods may come. */
export interface ExpectedOffer extends Expected {
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
  if (isDra && slices === undefined) return { needs: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const { fence, waits: seen } = describeFence(situation, offer);
  const isAwaited = fence.changed || !isExact(fence);
  const awaited = isAwaited ? waitFor(situation, 'Advertised', keyOf(situation)) : undefined;
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
  const verdict =
    (refusal === undefined ? undefined : evictionRefused(refusal, nameBackend(backendOf(situation)), applied)) ??
    stale ??
    fenceVerdict(step, fence, partition.spec.strategy ?? 'none', applied, [
      ...describeTrouble(node, found.filter(isFailing)),
      ...describeRefusal(situation),
    ]);
  const states = found.flatMap((pod) => explainPluginPod(pod) ?? []);
  return {
    verdict: isOverdue ? fenceOverdue(verdict, now - lastsMs, states) : verdict,
    commands: isRefused ? [] : commandsOf(step, situation, fence.mark, old, offer),
    waits:
      step.next === 'Advertise'
        ? { ...waits, ...waitFor(situation, 'AdvertisedEarly', keyOf(situation)).waits }
        : waits,
    ifClosed: 'Stays',
  };
}

function commandsOf(
  step: FenceStep,
  situation: Situation,
  mark: RefreshMark | undefined,
  old: readonly PodView[],
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
  if (step.next === 'Unregister') return tellOfOrphans(situation, step);
  if (step.next !== 'Evict') return [];
  // Recorded first: a successor evicts these pods and no others.
  const first = step.first ? [recordReplaced(situation.node, change, old)] : [];
  return [...first, ...evictPods(situation, old)];
}

/** Once for each grant: it says which change the agent must have finished. */
function tellOfOrphans(
  { partition }: Situation,
  { next: _next, ...orphans }: Extract<FenceStep, { readonly next: 'Unregister' }>,
): readonly Command[] {
  const unregister = { epoch: partition.spec.granted?.epoch ?? 0, ...orphans };
  return sameJson(partition.spec.unregister, unregister) ? [] : [{ name: 'WriteUnregister', unregister }];
}

/** It was tried once for this change. */
function describeRefusal(situation: Situation): readonly string[] {
  if (resumeWait(situation, 'StatusRefused', keyOf(situation)) === undefined) return [];
  return [
    'The controller may not write nodes/status, so it waits for the kubelet’s own report, for up to 10 s: grant it the rights of ' +
      'config/rbac, or run it with --node-status Wait',
  ];
}
