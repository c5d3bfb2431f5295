import { isSurelyRead, readableFrom } from '../../pods/reported-pods.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { timeText } from '../../text/duration.ts';
import { waitFor } from '../memory.ts';
import { passing, type Ruling, type Situation } from '../outcome.ts';
import { giveUp } from './drain-rest.ts';
import { findHolders } from './plan-holders.ts';
import { namePods, type PodView } from '../../pods/pod-view.ts';

/** How long the kubelet may take to report which GPUs a pod uses that was just bound, in ms. */
const longestReadingMs = 120_000;
const pollMs = 1000;

/**
 * A pod that was bound after the agent's last reading may hold what the plan destroys. The node waits, closed, for the next reading; a
 * drain that names no pod yet tells the agent that somebody waits for it. A pod that has come since under the name of one that was
 * read is another pod, about which that reading says nothing. GPU holders come back meanwhile: the pod needs the device
 * plugin to start.
 */
export function awaitReading(situation: Situation, pods: readonly PodView[]): Ruling | undefined {
  const { partition } = situation;
  const { namesakes, unknown: unread } = findHolders(situation, pods);
  const unknown = [...namesakes, ...unread];
  if (unknown.length === 0) return undefined;
  const names = namePods(unknown);
  const { lastsMs, waits } = waitFor(situation, 'Reading');
  if (lastsMs > longestReadingMs) return giveUp(situation, 'PodsUseGpus', names, unknown);
  const { device } = partition.status ?? {};
  const { hash = '', drains = [] } = device?.plan ?? {};
  const { drain: announced } = partition.spec;
  const before = announced?.planHash === hash ? announced : undefined;
  const asked = unknown.filter((pod) => !isSurelyRead(pod, device)).map(readableFrom);
  const readAfter = asked.length > 0 ? timeText(Math.max(...asked)) : before?.readAfter;
  const drain = {
    planHash: hash,
    ...(readAfter !== undefined && { readAfter }),
    ...(drains.length > 0 && { places: drains }),
    pods: before?.pods ?? [],
  };
  const message = `the agent does not know yet which GPUs ${names} ${unknown.length === 1 ? 'uses' : 'use'}`;
  return {
    ...passing('Updating', 'Draining', message, pollMs),
    commands: sameJson(announced, drain) ? [] : [{ name: 'WriteDrain', drain }],
    waits,
  };
}
