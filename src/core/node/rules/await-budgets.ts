import { durationMs } from '../../text/duration.ts';
import { findTightBudget } from '../../pods/disruption-budget.ts';
import { judgeFate } from '../../pods/pod-fate.ts';
import { podName } from '../../pods/pod-name.ts';
import type { Outcome } from '../outcome.ts';
import { findRest } from '../rest.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { giveUp } from './drain-rest.ts';
import { presumeAffected } from './plan-holders.ts';

/** How often budgets are read again, in ms. */
const pollMs = 5000;

/**
 * Before the first eviction of an attempt, disruption budgets are read: no pod is evicted while another one may not go. A budget that
 * never allows it ends the attempt, one that does not allow it now is waited for, both with the node open. Where pods of an earlier
 * attempt were evicted for nothing, and as many are in the way again, they must be allowed to go all at once.
 */
export function awaitBudgets(situation: Situation, pods: readonly NodePod[]): Outcome | undefined {
  const { claim, fresh, partition, slot, waits } = situation;
  const { scope, onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const { drain: told } = partition.spec;
  const isUnderWay = told?.planHash === partition.status?.device?.plan?.hash && (told?.pods ?? []).length > 0;
  // By force they go in any case.
  if (scope === 'None' || onTimeout === 'Force' || isUnderWay) return undefined;
  const affected = presumeAffected(situation, pods);
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (here.length === 0) return undefined;
  if (fresh?.drain === undefined) return { look: 'Drain' };
  const known = fresh.drain;
  const fates = here.map((pod) => ({ pod, ...judgeFate(pod, claim.winner?.spec.drain, known) }));
  const say = (kind: 'Stays' | 'Blocked'): readonly string[] =>
    fates.flatMap(({ pod, fate, message = '' }) => (fate === kind ? [`${podName(pod)}: ${message}`] : []));
  const [never, blocked] = [say('Stays'), say('Blocked')];
  if (never.length > 0) return giveUp(situation, 'EvictionBlocked', never.join('; '));
  if (blocked.length > 0) {
    const lastsMs = waits.lasts('Budgets', slot?.startTime);
    if (onTimeout === 'Skip' && lastsMs > durationMs(timeout))
      return giveUp(situation, 'DrainTimeout', blocked.join('; '));
    const message = `waiting, with the node open, for disruption budgets: ${blocked.join('; ')}`;
    return { verdict: { phase: 'Updating', reason: 'EvictionBlocked', message, requeueAfterMs: pollMs } };
  }
  const before = findRest(situation, 'DrainRest')?.size ?? 0;
  const tight = before > 0 && here.length >= before ? findTightBudget(here, known.budgets) : undefined;
  if (tight === undefined) return undefined;
  const names = here.map(podName).join(', ');
  return giveUp(situation, 'EvictionBlocked', `${names}: pods were evicted before for nothing, and ${tight}`);
}
