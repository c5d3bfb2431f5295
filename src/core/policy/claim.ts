import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { LayoutRefusal, PolicyRefusal } from './refusal.ts';
import type { NodeResolution } from './resolve-node.ts';

/** What the policies say of one node. */
export interface NodeClaim {
  /** The policy that decides; undefined if none selects the node. */
  readonly winner: GpuPartitionPolicy | undefined;
  /** Other policies that select it, in order of precedence. */
  readonly losers: readonly GpuPartitionPolicy[];
  /** Why the winner is invalid, regardless of nodes. */
  readonly refusal?: PolicyRefusal | undefined;
  /** Whether the winner's generation is accepted: until then nothing of it starts. */
  readonly isAccepted: boolean;
  /** Nodes that keep it from being accepted, with reasons. */
  readonly refusedBy?: string | undefined;
  /** What it makes of this node's GPUs, or why it cannot; undefined until the agent has reported. */
  readonly wish: NodeResolution | undefined;
}

/** A refusal with the part of the policy that it concerns. */
export function describeRefusal({
  refusal,
  entry,
}: Extract<NodeResolution, { readonly refusal: LayoutRefusal }>): LayoutRefusal {
  return entry === undefined ? refusal : { ...refusal, message: `spec.layouts[${entry}]: ${refusal.message}` };
}
