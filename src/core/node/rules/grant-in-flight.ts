import { closeNode, reopenNode } from '../node-marks.ts';
import { isClosed } from '../node-view.ts';
import type { Outcome } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { isPluginReplaced, refreshAfterSilence } from './refresh-plugin.ts';

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
  const { partition, node, agent } = situation;
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  const refreshed = isClosed(node) ? refreshAfterSilence(situation, granted.epoch) : undefined;
  if (refreshed && !('verdict' in refreshed)) return refreshed;
  // What a plugin offers that has started since is there, whatever was told of the device before.
  const isReplaced = refreshed === undefined && isClosed(node) && isPluginReplaced(situation, granted.epoch);
  const state = agent.state === 'Ready' ? 'look at its log' : `${describeAgent(situation)}; look at its log`;
  const closed = refreshed ? `. The node stays closed: ${refreshed.verdict.message}` : '';
  return {
    verdict: {
      phase: 'Failed',
      reason: 'Failed',
      message:
        `the agent has not answered grant ${granted.epoch} by its deadline ${granted.deadline}, and starts nothing of it any more: ` +
        `${state}, and at nvidia-smi on the node. A new grant follows when it reports again${closed}`,
      ...(refreshed?.verdict.requeueAfterMs !== undefined && { requeueAfterMs: refreshed.verdict.requeueAfterMs }),
    },
    ...(refreshed?.commands && { commands: refreshed.commands }),
    ...(isReplaced && { commands: [{ name: 'PatchNode', change: reopenNode('failed') }] }),
    keepsClosed: refreshed !== undefined || isReplaced,
  };
}

function isUnanswered({ spec, status }: Situation['partition']): boolean {
  return (status?.device?.observedEpoch ?? 0) < (spec.granted?.epoch ?? 0);
}

/** The agent's pod and what is wrong with it. */
export function describeAgent({ agent, node }: Pick<Situation, 'agent' | 'node'>): string {
  switch (agent.state) {
    case 'Ready':
      return 'the agent runs';
    case 'NotReady':
      return `the agent is not ready: ${agent.why}`;
    case 'Missing':
      return `no agent pod runs on node ${node.metadata.name}`;
  }
}
