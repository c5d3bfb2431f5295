import type { GpuNodePartition } from '../../../api/types.ts';
import { advertises } from '../../nvidia/resources/advertised.ts';
import { isClosed } from '../node-view.ts';
import { changeKey } from '../refresh-mark.ts';
import type { Situation } from '../snapshot.ts';
import { presentOffer } from './present-offer.ts';

/** Remembers a closed node whose device is as its plugin read it: it offers that, and nothing else. */
export function noteUntouched(situation: Situation): void {
  const { waits, partition, node } = situation;
  if (!advertises(node.status?.allocatable ?? {}, presentOffer(situation).resources)) return;
  waits.lasts('Untouched', untouchedKey(partition));
}

/** Whether nothing has been granted since the node was closed: then it may be opened as it was. Must be asked at each decision. */
export function isUntouched({ node, waits, partition }: Situation): boolean {
  return isClosed(node) && waits.lastsIfBegun('Untouched', untouchedKey(partition)) !== undefined;
}

/** A failed grant may have created and destroyed devices that a plugin has seen: an unchanged device proves nothing. */
function untouchedKey(partition: GpuNodePartition): string {
  return `${partition.spec.granted?.epoch ?? 0}/${changeKey(partition)}`;
}
