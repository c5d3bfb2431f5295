import { devicePluginConfigLabel } from '../../nvidia/labels/label-key.ts';
import { advertises } from '../../nvidia/resources/advertised.ts';
import { staleOffer } from '../fence-words.ts';
import { backendOf, sliceOfferOf } from '../backend.ts';
import { resumeWait, waitFor, type Waits } from '../memory.ts';
import { isClosed } from '../node-view.ts';
import { changeKey, readRefreshMark, refreshedAnnotation } from '../refresh-mark.ts';
import type { Situation } from '../outcome.ts';
import { refreshedPods } from './cluster-pods.ts';
import { currentOffer } from './current-offer.ts';
import { keyOf, toldOffer } from './fence-situation.ts';
import { isReady, type PodView } from '../../pods/pod-view.ts';

/** Remembers of a node that is being closed that its device is as its plugin read it: it offers that, and nothing else. */
export function noteUntouched(situation: Situation, pods: readonly PodView[]): Waits | undefined {
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
  return waitFor(situation, 'Untouched', untouchedKey(situation)).waits;
}

/** Whether equal numbers may be of other devices: the device has changed since its plugin was restarted. Nobody else tells. */
function mayBeOfBefore(situation: Situation): boolean {
  const refreshed = situation.node.metadata.annotations?.[refreshedAnnotation];
  return refreshed !== undefined && readRefreshMark(refreshed, keyOf(situation)) === undefined;
}

/** Whether nothing has been granted, and its plugin got no other settings, since the node was closed: then it may be opened as it was. */
export function isUntouched(situation: Situation): boolean {
  return isClosed(situation.node) && resumeWait(situation, 'Untouched', untouchedKey(situation)) !== undefined;
}

/** A failed grant may have created and destroyed devices that a plugin has seen: an unchanged device proves nothing. */
export function untouchedKey({ partition, node }: Situation): string {
  const settings = node.metadata.labels?.[devicePluginConfigLabel];
  return `${partition.spec.granted?.epoch ?? 0}/${changeKey(partition, settings)}`;
}
