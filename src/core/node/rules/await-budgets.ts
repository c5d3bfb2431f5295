import { durationMs } from '../../text/duration.ts';
import { joinWithin } from '../../text/cut-text.ts';
import { findTightBudget } from '../../pods/disruption-budget.ts';
import { judgeFate } from '../../pods/pod-fate.ts';
import { leaveOpen, type Outcome, type Situation } from '../outcome.ts';
import { waitFor } from '../memory.ts';
import { findRest, longestBlockers } from '../rest.ts';
import { giveUp } from './drain-rest.ts';
import { presumeAffected } from './plan-holders.ts';
import { listPodCauses, namePods, type PodView } from '../../pods/pod-view.ts';

/** How often budgets are read again, in ms. */
const pollMs = 5000;

/**
 * Before the first eviction of an attempt, disruption budgets are read: no pod is evicted while another one may not go. A budget that
 * never allows it ends the attempt, one that does not allow it now is waited for, both with the node open. Where pods of an earlier
 * attempt were evicted for nothing, and as many are in the way again, they must be allowed to go all at once.
 */
export function awaitBudgets(situation: Situation, pods: readonly PodView[]): Outcome | undefined {
  const { claim, fresh, partition, slot } = situation;
  const { scope, onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const { drain: announced } = partition.spec;
  const isUnderWay = announced?.planHash === partition.status?.device?.plan?.hash && (announced?.pods ?? []).length > 0;
  // By force they go in any case.
  if (scope === 'None' || onTimeout === 'Force' || isUnderWay) return undefined;
  const affected = presumeAffected(situation, pods);
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (here.length === 0) return undefined;
  if (fresh?.drain === undefined) return { needs: 'Drain' };
  const known = fresh.drain;
  const fates = here.map((pod) => ({ pod, ...judgeFate(pod, claim.winner?.spec.drain, known) }));
  const listOf = (kind: 'Stays' | 'Blocked') => fates.filter(({ fate }) => fate === kind);
  const say = (some: ReturnType<typeof listOf>): string => {
    const causes = some.map(({ pod, message = '' }) => ({ pod, why: message }));
    return joinWithin(listPodCauses(causes), longestBlockers);
  };
  const podsOf = (some: ReturnType<typeof listOf>): readonly PodView[] => some.map(({ pod }) => pod);
  const [never, waiting] = [listOf('Stays'), listOf('Blocked')];
  if (never.length > 0) return giveUp(situation, 'EvictionBlocked', say(never), podsOf(never));
  if (waiting.length > 0) {
    const blocked = say(waiting);
    const { lastsMs, waits } = waitFor(situation, 'Budgets', slot?.startTime);
    if (onTimeout === 'Skip' && lastsMs > durationMs(timeout))
      return giveUp(situation, 'DrainTimeout', blocked, podsOf(waiting));
    const message = `waiting, with the node open, for disruption budgets: ${blocked}`;
    return { ...leaveOpen('Updating', 'EvictionBlocked', message, pollMs), waits };
  }
  const before = findRest(situation, 'DrainRest')?.size ?? 0;
  const tight = before > 0 && here.length >= before ? findTightBudget(here, known.budgets) : undefined;
  if (tight === undefined) return undefined;
  return giveUp(
    situation,
    'EvictionBlocked',
    `${namePods(here)}: pods were evicted before for nothing, and ${tight}`,
    here,
  );
}
