import type { NodeSnapshot } from '../node/snapshot.ts';
import { expectStanding } from '../rollout/admits.ts';
import type { NodeStanding } from '../rollout/slot.ts';
import { foreseeNode } from './node-outlook.ts';

/**
 * How a node stands at a new generation of its policy, before it has been looked at: the wish and the agent's plan are worked out in
 * memory. Its pods are not known, so a node that must evict any is expected to request nothing.
 *
 * @param before how it stood at the generation before
 * @returns undefined if that is unknown: the node is new, or another policy decided over it
 */
export function foreseeStanding(before: NodeStanding | undefined, known: NodeSnapshot): NodeStanding | undefined {
  const { slot: _recomputed, ...start } = known;
  const isSame = before?.policy === known.claim.winner?.metadata.name && before?.nodeUID === known.node.metadata.uid;
  if (before === undefined || !isSame) return undefined;
  return expectStanding(before, foreseeNode({ ...start, pods: [] }).standing.request);
}
