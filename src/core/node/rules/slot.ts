import { isClosedAnyway } from '../node-view.ts';
import { hasFailed } from '../grant-failure.ts';
import type { Ruling } from '../outcome.ts';
import { isRepair } from '../repair.ts';
import type { Situation } from '../snapshot.ts';

/** A node without a slot asks for one, and says what it would do with it. */
export function awaitSlot(situation: Situation): Ruling | undefined {
  const { slot, partition, node, claim } = situation;
  if (slot !== undefined) return undefined;
  const { plan } = partition.status?.device ?? {};
  const isFresh = isClosedAnyway(node);
  const evictions = (plan?.affectedPods ?? []).length + (plan?.morePods ?? 0);
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
      evictions,
      destroys: plan?.destroy ?? 0,
      epoch: (partition.spec.granted?.epoch ?? 0) + 1,
    },
  };
}

/** What the plan does to the node, pods first. */
export function describePlan({ partition }: Pick<Situation, 'partition'>): string {
  const { affectedPods = [], morePods = 0, keep = 0, destroy = 0, create = 0 } = partition.status?.device?.plan ?? {};
  const more = morePods > 0 ? ` and ${morePods} more` : '';
  const evicts = affectedPods.length > 0 ? `, evict ${affectedPods.join(', ')}${more}` : '';
  return `would keep ${keep}, destroy ${destroy}, create ${create} instances${evicts}`;
}

/** What was admitted is looked for in the policy itself once more: a ledger that lost a race admits nobody. */
export function slotStale({ slot, fresh, claim }: Situation): Ruling | undefined {
  if (fresh?.slot !== undefined && fresh.slot.startTime === slot?.startTime) return undefined;
  const message = `the ledger of policy ${claim.winner?.metadata.name} does not have this node any more at the API server; waiting for a newer list`;
  return {
    verdict: { phase: 'Pending', reason: 'AwaitingSlot', message, transient: true, requeueAfterMs: 2000 },
    keepsClosed: true,
  };
}
