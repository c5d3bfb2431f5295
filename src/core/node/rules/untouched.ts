import { isClosed } from '../node-view.ts';
import { changeKey } from '../refresh-mark.ts';
import type { Situation } from '../snapshot.ts';

/** Remembers that a node is closed whose device is as its plugin has found it. */
export function noteUntouched({ waits, partition }: Situation): void {
  waits.lasts('Untouched', changeKey(partition));
}

/** Whether nothing has been granted since the node was closed: it may be opened as it was. To be asked at each decision. */
export function isUntouched({ node, waits, partition }: Situation): boolean {
  return isClosed(node) && waits.lastsIfBegun('Untouched', changeKey(partition)) !== undefined;
}
