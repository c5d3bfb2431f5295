import { endings } from './endings.ts';
import { generationOf, grantFailureOf, keepFailure } from './grant-failure.ts';
import { resumeWait, type Waits } from './memory.ts';
import { isUnfinished } from './node-view.ts';
import type { Situation, Verdict } from './outcome.ts';

/** Remembers, until the node is Ready, that a grant has failed, or that a change has ended with a reason that counts as a failure. */
export function noteFailures(situation: Situation, verdict: Verdict): Waits {
  if (verdict.phase === 'Ready') return {};
  const failure = grantFailureOf(situation);
  const endsNow = !hasEnded(situation) && endsChange(situation, verdict);
  return {
    ...(failure && { GrantFailed: keepFailure(failure) }),
    ...(endsNow && { ChangeFailed: { since: situation.now, of: generationOf(situation) } }),
  };
}

/** Whether the node has failed at the policy's current generation, and has not been Ready since. */
export function hasFailed(situation: Situation): boolean {
  const failure = grantFailureOf(situation);
  const isCounted = failure?.counts === true && failure.generation === generationOf(situation);
  return isCounted || hasEnded(situation);
}

/** Only a node that has its slot, and was closed, has begun to change. One whose labels never come may be open by then. */
function endsChange({ slot, node }: Situation, { phase, reason }: Verdict): boolean {
  const hasBegun = slot !== undefined && (isUnfinished(node) || reason === 'LabelsStale');
  return phase === 'Failed' && hasBegun && endings[reason]?.counts === true;
}

/** Whether a change of this generation has ended with such a reason before. */
function hasEnded(situation: Situation): boolean {
  return resumeWait(situation, 'ChangeFailed', generationOf(situation)) !== undefined;
}
