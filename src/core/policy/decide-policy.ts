// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here which policy decides over a node, and why a policy is refused there.
import type { PolicyRecord, NodeOutcome } from './record.ts';
import type { Selections, NodeSelection, NodeSelections } from './selection.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { deepEqual, omitUndefined } from '../text/json.ts';
import { byPrecedence, isCleaningUp, isPlanned } from './versions.ts';

/**
 * Knows which policies compete for which nodes. Nodes that the same policies select are judged once, until one of these policies is
 * another.
 */
export class Candidates {
  readonly #policies: ReadonlyMap<string, PolicyRecord>;
  readonly #selections: Pick<Selections, 'of'>;
  #candidates = new WeakMap<NodeSelections, readonly Candidate[]>();
  #conflicts = new WeakMap<NodeSelections, PolicyConflict>();
  readonly #outranked = new WeakMap<NodeSelections, readonly Outranked[]>();

  constructor(policies: ReadonlyMap<string, PolicyRecord>, selections: Pick<Selections, 'of'>) {
    this.#policies = policies;
    this.#selections = selections;
  }

  /** The candidates for a node, in order of precedence. */
  of(node: string): readonly Candidate[] {
    return this.#listOf(this.#selections.of(node));
  }

  /** The policy that decides over a node, and those that do not. */
  conflictOf(node: string): PolicyConflict {
    const selections = this.#selections.of(node);
    const known = this.#conflicts.get(selections);
    if (known) return known;
    const conflict = keepOutranked(decideConflict(this.#listOf(selections)), this.#outranked.get(selections));
    this.#conflicts.set(selections, conflict);
    this.#outranked.set(selections, conflict.outranked);
    return conflict;
  }

  /** Call this when a policy has another record, or none. */
  forget(): void {
    this.#candidates = new WeakMap();
    this.reconsider();
  }

  /** Call this when a policy's record has changed: its versions, or what keeps one from being accepted. */
  reconsider(): void {
    this.#conflicts = new WeakMap();
  }

  /** The nodes for which something holds of a policy, which need not be the one that the fleet has by now. */
  nodesWhere(record: PolicyRecord, holds: (contender: Candidate) => boolean): readonly string[] {
    const judge = (selections: NodeSelections): boolean => {
      const selection = selections.find(({ policy }) => policy === record.name);
      return selection !== undefined && holds({ ...selection, record });
    };
    const known = new Map<NodeSelections, boolean>();
    return [...record.nodes].filter((node) => {
      const selections = this.#selections.of(node);
      const isOne = known.get(selections) ?? judge(selections);
      known.set(selections, isOne);
      return isOne;
    });
  }

  #listOf(selections: NodeSelections): readonly Candidate[] {
    const known = this.#candidates.get(selections);
    if (known) return known;
    const candidates = selections.flatMap((selection) => {
      const record = this.#policies.get(selection.policy);
      return record ? [{ ...selection, record }] : [];
    });
    this.#candidates.set(selections, candidates);
    return candidates;
  }
}

/** A policy that selects a node. */
export interface Candidate extends NodeSelection {
  readonly record: PolicyRecord;
}

/** A policy that selects a node over which another one decides. */
export interface Outranked {
  readonly policy: GpuPartitionPolicy;
  /** Whether that is as somebody meant it: by a higher priority, or because this one is being deleted. Otherwise age or name have decided. */
  readonly isOutranked: boolean;
  /** The reason why a policy that would come first does not decide yet. */
  readonly hold?: Hold;
}

/** The policies of one node: which one decides, and which do not. */
export interface PolicyConflict {
  readonly winner?: {
    readonly record: PolicyRecord;
    /** The version that the node is told. */
    readonly policy: GpuPartitionPolicy;
    /** Whether that version counts. If not, no other policy wants the node, and this one is only named on it. */
    readonly isInForce: boolean;
  };
  readonly outranked: readonly Outranked[];
  /** Policies that plan for the node and compete for none. */
  readonly planning: readonly GpuPartitionPolicy[];
}

/**
 * Judges who decides over a node. Policies compete with the selector and priority of the version in force: one of which no generation
 * was ever accepted, or that has only ever planned, takes no node from another, and one whose newest generation is not accepted, or
 * plans, keeps its nodes. One that is being deleted yields to any other.
 *
 * @param candidates in order of precedence
 */
export function decideConflict(candidates: readonly Candidate[]): PolicyConflict {
  const staked = candidates.filter(({ record, byForce }) => byForce && record.inForce !== undefined);
  const planning = candidates.filter(({ record, byNewest }) => byNewest && isPlanning(record));
  // Of neither kind are only those of which no generation was ever accepted.
  const named = candidates.find(({ byNewest }) => byNewest);
  const winner = staked.find(({ record }) => !isCleaningUp(record.newest)) ?? staked[0] ?? planning[0] ?? named;
  if (!winner) return { outranked: [], planning: [] };
  const { record } = winner;
  const others = candidates.filter((one) => one !== winner);
  const outranked = others.filter((one) => !planning.includes(one) && isOwn(one));
  return {
    winner: { record, ...toldTo(winner, staked.includes(winner)) },
    outranked: outranked.map(({ record: other }) => ({
      policy: other.policy,
      isOutranked: priorityOf(record) > priorityOf(other) || isCleaningUp(other.newest),
      ...omitUndefined({ hold: holdBefore(record, other) }),
    })),
    planning: planning.filter((one) => one !== winner).map((one) => one.record.newest),
  };
}

/** A conflict in which those that lose remain one list as long as the same is to be counted for them. */
function keepOutranked(conflict: PolicyConflict, before: readonly Outranked[] = []): PolicyConflict {
  const { outranked } = conflict;
  const isSame = outranked.every(
    ({ policy, isOutranked, hold }, at) =>
      policy.spec === before[at]?.policy.spec &&
      policy.metadata.name === before[at].policy.metadata.name &&
      isOutranked === before[at].isOutranked &&
      deepEqual(hold, before[at].hold),
  );
  return isSame && outranked.length === before.length ? { ...conflict, outranked: before } : conflict;
}

/** Whether a node is told the same. Policies that have lost it tell it nothing. */
export function isToldTheSame(before: PolicyConflict, after: PolicyConflict): boolean {
  return (
    before.winner?.policy === after.winner?.policy &&
    before.winner?.isInForce === after.winner?.isInForce &&
    before.planning.length === after.planning.length &&
    before.planning.every((one, at) => one === after.planning[at])
  );
}

/** What keeps a policy from a node that it would win if one of its generations were accepted. */
function holdBefore(winner: PolicyRecord, other: PolicyRecord): Hold | undefined {
  const comesFirst = other.inForce === undefined && byPrecedence(other.rank, winner.rank) < 0;
  return comesFirst && !isCleaningUp(other.newest) ? other.holdFor(other.policy) : undefined;
}

/** Whether a node counts as one of the policy's. A generation that is not accepted adds none, and takes none away. */
export function isOwn({ record, byNewest, byForce }: Candidate): boolean {
  // What the newest generation does not select, the one in force does.
  return record.isAccepted ? byNewest || isPlanning(record) : byForce;
}

/** How a node that another policy has counts for a policy: what becomes of it there is no news for this one. */
export function outcomeForOutranked(
  node: string,
  wonBy: string,
  { isOutranked, hold }: Omit<Outranked, 'policy'>,
): NodeOutcome {
  if (hold === undefined) return { node, wonBy, isOutranked, phase: 'Unmanaged', reason: 'Outranked', message: '' };
  const { message } = hold;
  if (hold.kind === 'Checking') return { node, phase: 'Pending', reason: 'AwaitingPlan', message };
  return { node, phase: 'Invalid', reason: 'PolicyInvalid', message };
}

function toldTo(
  { record, byNewest }: Candidate,
  isStaked: boolean,
): { readonly policy: GpuPartitionPolicy; readonly isInForce: boolean } {
  const { newest, inForce, isAccepted } = record;
  if (isAccepted && byNewest) return { policy: newest, isInForce: true };
  return isStaked && inForce ? { policy: inForce, isInForce: true } : { policy: newest, isInForce: false };
}

function isPlanning({ newest, isAccepted }: PolicyRecord): boolean {
  return isAccepted && isPlanned(newest);
}

function priorityOf({ rank }: PolicyRecord): number {
  return rank.spec.priority ?? 0;
}

/**
 * Why nothing new starts under a policy although one of its generations is in force: its newest is being checked against its nodes,
 * is refused, or only plans.
 */
export interface Hold {
  readonly kind: 'Checking' | 'Refused' | 'Plan';
  readonly message: string;
}
