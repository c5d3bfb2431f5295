import { keepRolloutState } from '../node/rollout-state.ts';
import type { NodeSnapshot } from '../node/snapshot.ts';
import { expectRolloutState } from '../rollout/admits.ts';
import type { NodeRolloutState } from '../rollout/slot.ts';
import { forecastNode } from './node-outlook.ts';

/**
 * How a node stands for its policy before it has been looked at: at a new generation, or under a new leader. The wish and the agent's
 * plan are worked out in memory. Its pods are not known, so a node that must evict any is expected to request nothing.
 *
 * @param before how it stood when it was last looked at; undefined for a new leader
 * @returns undefined if it cannot be told: the node is new, another policy decided over it, or any pod of the node may have to go
 */
export function forecastRolloutState(
  before: NodeRolloutState | undefined,
  known: NodeSnapshot,
): NodeRolloutState | undefined {
  const { slot: _recomputed, ...start } = known;
  const { winner } = known.claim;
  const last = before ?? recallRolloutState(known);
  const isSame = last?.policy === winner?.metadata.name && last?.nodeUID === known.node.metadata.uid;
  if (last === undefined || !isSame || winner?.spec.drain?.scope === 'Node') return undefined;
  return expectRolloutState(last, forecastNode({ ...start, pods: [] }).rolloutState);
}

/** How an earlier leader left a node: what is under way shows in the node and in its partition. Undefined if no policy has had it. */
function recallRolloutState(known: NodeSnapshot): NodeRolloutState | undefined {
  const { node, partition } = known;
  const { policy, nodeUID } = partition?.spec ?? {};
  if (policy === undefined || nodeUID === undefined) return undefined;
  return { ...keepRolloutState(known), node: node.metadata.name, nodeUID, policy: policy.name };
}
