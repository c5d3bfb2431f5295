import type { GpuPartitionPolicy } from '../../api/types.ts';
import { type Admits, judgeAdmits } from '../rollout/admits.ts';
import type { Standings } from '../rollout/standings.ts';
import type { LayoutRefusal, PolicyRefusal } from './refusal.ts';
import { isRetiring } from './retirement.ts';
import type { PolicyTally } from './tally.ts';

/** A policy, and what is known of it and its nodes. */
export interface PolicyRecord {
  policy: GpuPartitionPolicy;
  /** Why it is invalid, regardless of nodes. */
  refusal: PolicyRefusal | undefined;
  /** Nodes that it selects, including those that another policy has won. */
  readonly nodes: Set<string>;
  /** Nodes not yet checked for whether they can take its generation. */
  unchecked: Set<string>;
  /** Nodes that cannot take it, and why. */
  readonly refused: Map<string, LayoutRefusal>;
  acceptedGeneration: number | undefined;
  /** Whether it was known at its acceptance how each node stands. */
  isForeseen: boolean;
  /** What its nodes were last told about why its generation is not accepted. */
  toldRefusal: string | undefined;
  /** When its status was last written, in ms since the epoch. */
  toldAtMs: number;
  tally: PolicyTally;
}

const mostNames = 5;

/** A policy that is invalid everywhere yields its nodes to a valid one, and one that is being deleted to any other. */
export function pickWinner(records: readonly PolicyRecord[]): PolicyRecord | undefined {
  const valid = records.filter(({ refusal }) => refusal === undefined);
  return valid.find(({ policy }) => !isRetiring(policy)) ?? valid[0] ?? records[0];
}

/** Nodes that keep a generation from being accepted: the first, and how many. Undefined if there are none. */
export function listRefused({ refused }: Pick<PolicyRecord, 'refused'>): string | undefined {
  if (refused.size === 0) return undefined;
  const named = [...refused].slice(0, mostNames).map(([node, { message }]) => `node ${node}: ${message}`);
  const more = refused.size > mostNames ? [`and ${refused.size - mostNames} more nodes`] : [];
  return [...named, ...more].join('; ');
}

/** Which nodes of a policy may start. @param isOverdue it is being deleted, and its deadline is over */
export function admitsOf(
  { policy, tally, acceptedGeneration, isForeseen }: PolicyRecord,
  standings: Standings,
  isOverdue: boolean,
): Admits {
  return judgeAdmits({
    mayStart: acceptedGeneration === policy.metadata.generation && !isOverdue,
    unseen: tally.unseen,
    standings,
    isForeseen,
    hasCanary: policy.spec.rollout?.canary !== undefined,
  });
}
