import { holdersAnnotation } from '../pods/holder-pods.ts';
import { generationOf } from './grant-failure.ts';
import type { WaitName, Waits } from './memory.ts';
import { isClosed } from './node-view.ts';
import { isUnanswered } from './observed-epoch.ts';
import { changeKey } from './refresh-mark.ts';
import { isDrifting } from './repair.ts';
import { isGrantLive } from './revocation.ts';
import { untouchedKey } from './rules/untouched.ts';
import { findMoved } from './rules/wish.ts';
import type { Situation, Verdict } from './outcome.ts';

/**
 * Waits that last as long as their cause, whichever rule decides: none has to remember them. A text is what the wait must be about;
 * undefined: the cause is over.
 */
const causes: {
  readonly [Name in WaitName]?: (situation: Situation, verdict: Verdict) => string | boolean | undefined;
} = {
  Closed: ({ node }) => isClosed(node),
  Untouched: (situation) => isClosed(situation.node) && untouchedKey(situation),
  // Time for a drain counts from its first eviction, separately in each slot: what precedes it takes none of it.
  Drain: ({ slot }) => slot?.startTime,
  // The next rest is longer until the node is Ready, whatever it waits for in between.
  DrainRest: (_, { phase }) => phase !== 'Ready',
  HoldersRest: (_, { phase }) => phase !== 'Ready',
  GpusGone: (situation) => findMoved(situation) !== undefined,
  Drift: ({ partition, now }) => isDrifting(partition, now),
  ChangeFailed: (situation, { phase }) => phase !== 'Ready' && generationOf(situation),
  Granted: ({ partition }) => isGrantLive(partition) && String(partition.spec.granted?.epoch),
  Revoked: ({ partition, node }) => isUnanswered(partition) && isClosed(node) && String(partition.spec.granted?.epoch),
  HoldersRestarted: ({ node }) => node.metadata.annotations?.[holdersAnnotation],
  // What somebody brings back is left alone until the device changes.
  Tidied: ({ partition }) => changeKey(partition),
};

/** The earlier waits that continue without a rule that returns them. */
export function keepWaits(situation: Situation, verdict: Verdict): Waits {
  const kept = Object.entries(situation.memory.waits).filter(([name, { of }]) => {
    const about = causes[name as WaitName]?.(situation, verdict);
    return about === true || (typeof about === 'string' && about === of);
  });
  return Object.fromEntries(kept);
}
