import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { LayoutRefusal, PolicyRefusal } from './refusal.ts';
import type { NodeResolution } from './resolve-node.ts';

/** What the policies say of one node. */
export interface NodeClaim {
  /** The policy that decides; undefined where none selects the node. */
  readonly winner: GpuPartitionPolicy | undefined;
  /** Those that select it too, in order of precedence. */
  readonly losers: readonly GpuPartitionPolicy[];
  /** Why the winner is not valid, whatever the node. */
  readonly refusal?: PolicyRefusal | undefined;
  /** Whether the winner's generation is accepted: until then nothing of it starts. */
  readonly isAccepted: boolean;
  /** Nodes that keep it from being accepted, with reasons. */
  readonly refusedBy?: string | undefined;
  /** What it makes of this node's GPUs, or why it cannot; undefined while the agent has not reported. */
  readonly wish: NodeResolution | undefined;
}

/** A refusal with the place in the policy that it is about. */
export function describeRefusal({
  refusal,
  entry,
}: Extract<NodeResolution, { readonly refusal: LayoutRefusal }>): LayoutRefusal {
  return entry === undefined ? refusal : { ...refusal, message: `spec.layouts[${entry}]: ${refusal.message}` };
}
