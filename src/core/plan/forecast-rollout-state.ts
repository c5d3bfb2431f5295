import type { NodeSnapshot } from '../node/snapshot.ts';
import { expectRolloutState } from '../rollout/admits.ts';
import type { NodeRolloutState } from '../rollout/slot.ts';
import { forecastNode } from './node-outlook.ts';

/**
 * How a node stands at a new generation of its policy, before it has been looked at: the wish and the agent's plan are worked out in
 * memory. Its pods are not known, so a node that must evict any is expected to request nothing.
 *
 * @param before how it stood at the generation before
 * @returns undefined if it cannot be told: the node is new, another policy decided over it, or any pod of the node may have to go
 */
export function forecastRolloutState(
  before: NodeRolloutState | undefined,
  known: NodeSnapshot,
): NodeRolloutState | undefined {
  const { slot: _recomputed, ...start } = known;
  const { winner } = known.claim;
  const isSame = before?.policy === winner?.metadata.name && before?.nodeUID === known.node.metadata.uid;
  if (before === undefined || !isSame || winner?.spec.drain?.scope === 'Node') return undefined;
  return expectRolloutState(before, forecastNode({ ...start, pods: [] }).rolloutState.request);
}
