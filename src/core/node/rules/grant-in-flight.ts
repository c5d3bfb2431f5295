import { combine } from '../../metadata/node-change.ts';
import { closeNode, reopenNode } from '../node-marks.ts';
import { isClosed, isUnfinished } from '../node-view.ts';
import { isUnanswered } from '../observed-epoch.ts';
import type { Outcome } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence } from './refresh-plugin.ts';

/** Whatever the policies say meanwhile, a node that may be changing its device is left to finish. */
export function grantInFlight({ partition, now, node }: Situation): Outcome | undefined {
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  const left = Date.parse(granted.deadline) - now;
  if (left < 0) return undefined;
  return {
    verdict: {
      phase: 'Updating',
      reason: 'Applying',
      message: `the agent applies grant ${granted.epoch}`,
      transient: true,
      requeueAfterMs: left + 1000,
    },
    // Whoever removed the taint did not know that a change is under way.
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: closeNode() }] }),
    keepsHoldersAway: true,
    keepsClosed: true,
  };
}

/**
 * An agent that has not answered by the deadline starts nothing any more, and what it has done is unknown. A device plugin that
 * starts now advertises what exists: once it is back, the taint is removed, as it must not outlive its cause.
 */
export function grantUnanswered(situation: Situation): Outcome | undefined {
  const { partition, node, agent, claim } = situation;
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  // Nothing waits for an answer any more.
  if (claim.winner === undefined && !isUnfinished(node)) return undefined;
  const refreshed = isClosed(node) ? refreshAfterSilence(situation, granted.epoch) : undefined;
  if (refreshed && 'look' in refreshed) return refreshed;
  const state = agent.state === 'Ready' ? 'look at its log' : `${describeAgent(situation)}; look at its log`;
  const closed = refreshed ? `. The node stays closed: ${refreshed.verdict.message}` : '';
  return {
    verdict: {
      phase: 'Failed',
      reason: 'Failed',
      message:
        `the agent has not answered grant ${granted.epoch} by its deadline ${granted.deadline}, and no longer acts on it: ` +
        `${state}, and at nvidia-smi on the node. A new grant follows when it reports again${closed}`,
      ...(refreshed?.verdict.requeueAfterMs !== undefined && { requeueAfterMs: refreshed.verdict.requeueAfterMs }),
    },
    // Opened here, unlike other nodes that failed: there the agent's last report would be compared with what the new plugin offers.
    commands:
      refreshed?.commands ??
      (isUnfinished(node)
        ? [{ name: 'PatchNode', change: combine(reopenNode('failed'), withoutLayoutLabels(situation)) }]
        : []),
    keepsClosed: true,
  };
}

/** The agent's pod and its problem. */
export function describeAgent({ agent, node }: Pick<Situation, 'agent' | 'node'>): string {
  switch (agent.state) {
    case 'Ready':
      return 'the agent is running';
    case 'NotReady':
      return `the agent is not ready: ${agent.why}`;
    case 'Missing':
      return `no agent pod runs on node ${node.metadata.name}`;
  }
}
