import type { GpuPartitionPolicy } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import type { Hold } from './claim.ts';
import type { PolicyRecord } from './policy-record.ts';
import { byPrecedence } from './precedence.ts';
import { isRetiring } from './retirement.ts';
import type { NodeSelection } from './selections.ts';
import type { NodeOutcome } from './tally.ts';
import { enforces } from './versions.ts';

/** A policy that selects a node. */
export interface Contender extends NodeSelection {
  readonly record: PolicyRecord;
}

/** A policy that selects a node over which another one decides. */
export interface Loser {
  readonly policy: GpuPartitionPolicy;
  /** Whether that is as somebody meant it: by a higher priority, or because this one is being deleted. Otherwise age or name have decided. */
  readonly isOutranked: boolean;
  /** Of one that would come first: why it does not yet. */
  readonly hold?: Hold;
}

/** Who decides over a node. */
export interface Contest {
  readonly winner?: {
    readonly record: PolicyRecord;
    /** The version that the node is told. */
    readonly policy: GpuPartitionPolicy;
    /** Whether that version counts. If not, no other policy wants the node, and this one is only named on it. */
    readonly isInForce: boolean;
  };
  readonly losers: readonly Loser[];
  /** Policies that plan for the node and compete for none. */
  readonly beside: readonly GpuPartitionPolicy[];
}

/**
 * Judges who decides over a node. Policies compete with the selector and priority of the version in force: one of which no generation
 * was ever accepted, or that has only ever planned, takes no node from another, and one whose newest generation is not accepted, or
 * plans, keeps its nodes. One that is being deleted yields to any other.
 *
 * @param contenders in order of precedence
 */
export function judgeContest(contenders: readonly Contender[]): Contest {
  const staked = contenders.filter(({ record, byForce }) => byForce && record.inForce !== undefined);
  const planning = contenders.filter(({ record, byNewest }) => byNewest && isPlanning(record));
  // Of neither kind are only those of which no generation was ever accepted.
  const named = contenders.find(({ byNewest }) => byNewest);
  const winner = staked.find(({ record }) => !isRetiring(record.newest)) ?? staked[0] ?? planning[0] ?? named;
  if (!winner) return { losers: [], beside: [] };
  const { record } = winner;
  const others = contenders.filter((one) => one !== winner);
  const beside = others.filter((one) => planning.includes(one));
  const losers = others.filter((one) => !beside.includes(one) && isOwn(one));
  return {
    winner: { record, ...toldTo(winner, staked.includes(winner)) },
    losers: losers.map(({ record: loser }) => ({
      policy: loser.policy,
      isOutranked: priorityOf(record) > priorityOf(loser) || isRetiring(loser.newest),
      ...definedOnly({ hold: holdBefore(record, loser) }),
    })),
    beside: beside.map((one) => one.record.newest),
  };
}

/** What keeps a policy from a node that it would win if one of its generations were accepted. */
function holdBefore(winner: PolicyRecord, loser: PolicyRecord): Hold | undefined {
  const comesFirst = loser.inForce === undefined && byPrecedence(loser.rank, winner.rank) < 0;
  return comesFirst && !isRetiring(loser.newest) ? loser.holdFor(loser.policy) : undefined;
}

/** Whether a node counts as one of the policy's. A generation that is not accepted adds none, and takes none away. */
export function isOwn({ record, byNewest, byForce }: Contender): boolean {
  // What the newest generation does not select, the one in force does.
  return record.isAccepted ? byNewest || isPlanning(record) : byForce;
}

/** How a node that another policy has counts for a policy. @param outcome what was found for the winner */
export function outcomeForLoser(
  outcome: NodeOutcome,
  wonBy: string,
  { isOutranked, hold }: Omit<Loser, 'policy'>,
): NodeOutcome {
  if (hold === undefined) return { ...outcome, wonBy, isOutranked };
  const { node } = outcome;
  const { message } = hold;
  if (hold.kind === 'Checking') return { node, phase: 'Pending', reason: 'AwaitingPlan', message };
  return { node, phase: 'Invalid', reason: 'PolicyInvalid', message };
}

function toldTo(
  { record, byNewest }: Contender,
  isStaked: boolean,
): { readonly policy: GpuPartitionPolicy; readonly isInForce: boolean } {
  const { newest, inForce, isAccepted } = record;
  if (isAccepted && byNewest) return { policy: newest, isInForce: true };
  return isStaked && inForce ? { policy: inForce, isInForce: true } : { policy: newest, isInForce: false };
}

function isPlanning({ newest, isAccepted }: PolicyRecord): boolean {
  return isAccepted && !enforces(newest);
}

function priorityOf({ rank }: PolicyRecord): number {
  return rank.spec.priority ?? 0;
}
