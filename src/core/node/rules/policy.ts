import { gpuPresenceLabel } from '../../../api/names.ts';
import { describeRefusal } from '../../policy/claim.ts';
import type { Ruling } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';

/** No policy selects the node: it keeps its layout. A missing policy is never a wish. */
export function noPolicy(situation: Situation): Ruling | undefined {
  const { claim, partition } = situation;
  if (claim.winner) return undefined;
  const { policy, strategy, wish } = partition.spec;
  const isOutdated = policy !== undefined || strategy !== undefined || wish !== undefined;
  const message = 'no policy selects this node; it keeps its layout';
  return {
    verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message, transient: true },
    commands: isNobodys(situation)
      ? [{ name: 'DeletePartition', uid: partition.metadata.uid ?? '' }]
      : isOutdated
        ? [{ name: 'WriteWish', fields: { policy: null, strategy: null, wish: null, repairs: null, drain: null } }]
        : [],
  };
}

/** Created for a policy that selected a node without GPUs: it is deleted with the policy. */
function isNobodys({ node, partition }: Situation): boolean {
  const { gpus = [], lastGood } = partition.status?.device ?? {};
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  return !isMarked && gpus.length === 0 && (lastGood?.gpus ?? []).length === 0 && partition.spec.granted === undefined;
}

/** The policy is invalid on any node; or not accepted yet, since a node that it selects cannot take it. */
export function policyRefused({ claim }: Situation): Ruling | undefined {
  const { winner, refusal, isAccepted, refusedBy } = claim;
  if (!winner) return undefined;
  const { name, generation } = winner.metadata;
  if (refusal) {
    const message = `policy ${name} is invalid, nothing is touched: ${refusal.message}`;
    return { verdict: { phase: 'Invalid', reason: 'PolicyInvalid', message } };
  }
  if (isAccepted) return undefined;
  if (refusedBy === undefined) {
    const message = `generation ${generation} of policy ${name} is being checked against all selected nodes`;
    return { verdict: { phase: 'Pending', reason: 'AwaitingPlan', message, transient: true }, keepsClosed: true };
  }
  const message = `generation ${generation} of policy ${name} is not accepted, so none of it starts: ${refusedBy}`;
  return { verdict: { phase: 'Invalid', reason: 'PolicyInvalid', message } };
}

/** This node cannot match its policy, and blocks no other node. */
export function nodeRefused({ claim }: Situation): Ruling | undefined {
  const { wish } = claim;
  if (!wish || !('refusal' in wish)) return undefined;
  const { reason, message } = describeRefusal(wish);
  return { verdict: { phase: 'Invalid', reason, message: `${message}. Nothing on this node is touched` } };
}
