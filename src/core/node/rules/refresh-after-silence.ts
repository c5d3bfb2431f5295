import { readRefreshMark, refreshedAnnotation } from '../refresh-mark.ts';
import { isReady, listPodCauses } from '../../pods/pod-view.ts';
import { backendOf, nameBackend, sliceOfferOf } from '../backend.ts';
import type { Command } from '../commands.ts';
import { isNothing } from '../fence.ts';
import { waitFor, type Waits } from '../memory.ts';
import { isReadyNode } from '../node-view.ts';
import type { Outcome, Ruling, Situation } from '../outcome.ts';
import { evictPods, listRefusals } from './evictions.ts';
import { hasDynamicMig, listPluginPods } from './fence-situation.ts';
import { recordReplaced } from './mark-plugin.ts';
import type { Offered } from './refresh-plugin.ts';

/**
 * How long the Node may still show what the plugin of before offered, in ms. The kubelet writes changed resources with its next status,
 * every 10 s by default (nodeStatusUpdateFrequency), and nobody else tells while the agent is silent.
 */
const slowestStatusMs = 30_000;

/** The same of a DRA driver, in ms: it publishes once it has started, and tries again, rarer and rarer, while the API server refuses. */
const slowestSlicesMs = 90_000;

/**
 * Replaces the plugin if the device is unknown. @returns why the node stays closed, or that its offer comes from a plugin that
 * started after the agent's last report
 */
export function refreshAfterSilence(situation: Situation, epoch: number): Outcome | Offered {
  const { node, settings } = situation;
  const found = listPluginPods(situation);
  if (found === undefined) return { needs: 'Pods' };
  if (hasDynamicMig(situation)) return { waits: {} };
  const change = `unanswered-${epoch}`;
  const mark = readRefreshMark(node.metadata.annotations?.[refreshedAnnotation], change);
  const awaited = waitFor(situation, 'Advertised', change);
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
  const ready = found.some(isReady) ? waitFor(situation, 'PluginReady', change) : undefined;
  const waits = { ...awaited.waits, ...ready?.waits };
  const slowestMs = backendOf(situation) === 'DRA' ? slowestSlicesMs : slowestStatusMs;
  return ready !== undefined && ready.lastsMs >= slowestMs ? { waits } : waitForPlugin(situation, waits);
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
