import type { NodeRolloutState } from './slot.ts';
import type { RolloutStates } from './rollout-states.ts';

/**
 * Which nodes may start. `WithoutEvictions`: those that evict no pod, as nodes that have not been looked at yet cannot be cheaper in evictions;
 * all others wait until every node has been looked at.
 */
export type Admits = 'Nobody' | 'WithoutEvictions' | 'Everybody';

/** What {@link judgeAdmits} reads of a policy's generation. */
export interface LookProgress {
  /** Whether the generation is accepted and may still start. */
  readonly mayStart: boolean;
  /** Nodes that have not been looked at since the policy's newest edit. */
  readonly unseen: ReadonlySet<string>;
  readonly rolloutStates: RolloutStates;
  /** Whether it was known when the generation was accepted how each node stands. */
  readonly isForecast: boolean;
  /** Whether the policy has canaries: they must not be nodes that turn out unable to change. */
  readonly hasCanary: boolean;
}

/**
 * Nothing starts before it is known which nodes are under way. After an edit this is known from the generation before, and the
 * expected requests of {@link expectRolloutState} are enough to start with; after a restart every node must be looked at.
 */
export function judgeAdmits({ mayStart, unseen, rolloutStates, isForecast, hasCanary }: LookProgress): Admits {
  if (!mayStart) return 'Nobody';
  if (unseen.size === 0) return 'Everybody';
  if (hasCanary || !isForecast) return 'Nobody';
  // A node may have joined since.
  for (const node of unseen) if (rolloutStates.get(node) === undefined) return 'Nobody';
  return 'WithoutEvictions';
}

/**
 * How a node stands at a new generation until it has been looked at: its failures were of the generation before.
 * @param expected what it would request; undefined if nothing is expected of it
 */
export function expectRolloutState(before: NodeRolloutState, expected: NodeRolloutState['request']): NodeRolloutState {
  const { request: _before, ...rest } = before;
  const request = before.isUnderWay ? undefined : expected;
  return { ...rest, hasFailed: false, isVerified: false, ...(request && { request }) };
}
