import { isClosedAnyway, isUnfinished } from '../node-view.ts';
import { hasFailed } from '../change-failure.ts';
import { nextEpoch } from '../observed-epoch.ts';
import type { Outcome, Ruling } from '../outcome.ts';
import { isRepair } from '../repair.ts';
import type { Situation } from '../snapshot.ts';
import { countRests } from './drain-rest.ts';
import { findHolders } from './plan-holders.ts';

/** A node without a slot requests one, and states what it would do with it. */
export function awaitSlot(situation: Situation): Outcome | undefined {
  const { slot, partition, node, claim, fresh } = situation;
  // A slot given to a node that was closed anyway does not count once the node has been opened.
  const isOutdated = slot?.kind === 'Fresh' && !isUnfinished(node) && !isClosedAnyway(node);
  if (slot !== undefined && !isOutdated) return undefined;
  // Another leader may have given it one, and closed it for that.
  if (isUnfinished(node)) {
    if (fresh === undefined) return { look: 'All' };
    if (fresh.slot !== undefined) return slotStale(situation);
  }
  const { plan } = partition.status?.device ?? {};
  const evictions = countEvictions(situation);
  // If there are pods although it is closed, they would be disrupted.
  const isFresh = isClosedAnyway(node) && evictions === 0;
  return {
    verdict: {
      phase: 'Pending',
      reason: 'AwaitingSlot',
      message: `waiting for its turn in the rollout of policy ${claim.winner?.metadata.name}: ${describePlan(situation)}`,
      transient: true,
    },
    request: {
      kind: hasFailed(situation) ? 'Retry' : isFresh ? 'Fresh' : isRepair(partition) ? 'Repair' : 'New',
      isClosedAnyway: isFresh,
      rests: countRests(situation),
      evictions,
      destroys: plan?.destroy ?? 0,
      epoch: nextEpoch(partition),
    },
  };
}

/** The plan names pods on what it destroys; draining the whole node sends the others away as well. */
function countEvictions(situation: Situation): number {
  const { affectedPods = [], morePods = 0 } = situation.partition.status?.device?.plan ?? {};
  const named = affectedPods.length + morePods;
  if (situation.claim.winner?.spec.drain?.scope !== 'Node') return named;
  return Math.max(named, findHolders(situation, situation.pods ?? []).affected.length);
}

/** What the plan does to the node, pods first. */
export function describePlan(situation: Pick<Situation, 'partition' | 'claim'>): string {
  const { keep = 0, destroy = 0, create = 0 } = situation.partition.status?.device?.plan ?? {};
  return `would keep ${keep}, destroy ${destroy} and create ${create} instances${describePods(situation)}`;
}

function describePods({ partition, claim }: Pick<Situation, 'partition' | 'claim'>): string {
  const { scope = 'Affected' } = claim.winner?.spec.drain ?? {};
  if (scope === 'Node') return ', evict all pods that use its GPUs';
  const { affectedPods = [], morePods = 0 } = partition.status?.device?.plan ?? {};
  if (affectedPods.length === 0) return '';
  const names = `${affectedPods.join(', ')}${morePods > 0 ? ` and ${morePods} more` : ''}`;
  return scope === 'None' ? `, wait for ${names} to end` : `, evict ${names}`;
}

/** An admission is looked up again in the policy itself: a ledger that lost a race admits nobody. */
export function slotStale({ slot, fresh, claim }: Situation): Ruling | undefined {
  if (fresh?.slot !== undefined && fresh.slot.startTime === slot?.startTime) return undefined;
  const name = claim.winner?.metadata.name;
  const message = `the ledger of policy ${name} has a different slot for this node at the API server than in the watch, or none; waiting for the watch`;
  return {
    verdict: { phase: 'Pending', reason: 'AwaitingSlot', message, transient: true, requeueAfterMs: 2000 },
    keepsClosed: true,
  };
}
