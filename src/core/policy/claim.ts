import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { Loser } from './contest.ts';
import type { LayoutRefusal } from './refusal.ts';
import type { NodeResolution } from './resolve-node.ts';
import { writePath } from '../text/finding.ts';

/**
 * Why nothing new starts under a policy although one of its generations is in force: its newest is being checked against its nodes,
 * is refused, or only plans.
 */
export interface Hold {
  readonly kind: 'Checking' | 'Refused' | 'Plan';
  readonly message: string;
}

/** What the policies say of one node. */
export interface NodeClaim {
  /** The policy that decides, in the version that decides; undefined if none selects the node. */
  readonly winner: GpuPartitionPolicy | undefined;
  /** Generation of that policy as its author last wrote it. */
  readonly newestGeneration?: number | undefined;
  /** Whether that version counts. If not, nothing of it concerns the node: it only explains why. */
  readonly isInForce: boolean;
  /** Why nothing new starts. */
  readonly hold?: Hold | undefined;
  /** Other policies that would decide over the node, in order of precedence. */
  readonly losers: readonly Loser[];
  /** Policies of mode Plan that are shown beside the one that decides. */
  readonly beside: readonly GpuPartitionPolicy[];
  /** What the winner makes of this node's GPUs, or why it cannot; undefined until the agent has reported, and of a version that does not count. */
  readonly wish: NodeResolution | undefined;
}

/** A refusal with the part of the policy that it concerns. */
export function describeRefusal({
  refusal,
  entry,
  place,
}: Extract<NodeResolution, { readonly refusal: LayoutRefusal }>): LayoutRefusal {
  if (entry === undefined || place === undefined) return refusal;
  return { ...refusal, message: `${writePath([...place, 'layouts', entry])}: ${refusal.message}` };
}
