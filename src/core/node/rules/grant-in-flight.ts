import { combine } from '../../metadata/node-change.ts';
import { closeNode, reopenNode } from '../node-marks.ts';
import { isClosed, isUnfinished } from '../node-view.ts';
import { isUnanswered } from '../observed-epoch.ts';
import type { Outcome } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence } from './refresh-plugin.ts';

/** Whatever the policies say meanwhile, a node that may be changing its device now is left to finish. */
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
    // Whoever took the taint off did not know what goes on under it.
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: closeNode() }] }),
    keepsHoldersAway: true,
    keepsClosed: true,
  };
}

/**
 * An agent that has not answered by the deadline starts nothing any more, and nobody knows what it has done. A device plugin that
 * starts now tells what is there: once it is back the taint goes, which must not outlive its cause.
 */
export function grantUnanswered(situation: Situation): Outcome | undefined {
  const { partition, node, agent, claim } = situation;
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  // Nobody waits for an answer any more.
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
    // Opened here, and not as any other node that failed is: the agent's last word would be compared with what the new plugin offers.
    commands:
      refreshed?.commands ??
      (isUnfinished(node)
        ? [{ name: 'PatchNode', change: combine(reopenNode('failed'), withoutLayoutLabels(situation)) }]
        : []),
    keepsClosed: true,
  };
}

/** The agent's pod and what is wrong with it. */
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
