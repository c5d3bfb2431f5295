import { definedOnly } from '../../text/defined-fields.ts';
import type { Grant } from '../../../api/types.ts';
import { combine } from '../../metadata/node-change.ts';
import { timeText } from '../../text/duration.ts';
import { waitFor } from '../memory.ts';
import { closeNode, reopenNode } from '../node-marks.ts';
import { isClosed, isUnfinished } from '../node-view.ts';
import { isUnanswered } from '../observed-epoch.ts';
import { type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { isGrantLive, revoke, workEndsMs } from '../revocation.ts';
import { withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence } from './refresh-after-silence.ts';

/** Lets a node that may be changing its device finish, whatever the policies say meanwhile. */
export function grantInFlight(situation: Situation): Outcome | undefined {
  const { partition, now, node } = situation;
  const { granted } = partition.spec;
  if (!granted || !isGrantLive(partition)) return undefined;
  // The deadline may be by the clock of an earlier leader, which was ahead.
  const { lastsMs, waits } = waitFor(situation, 'Granted', String(granted.epoch));
  const left = Math.min(Date.parse(granted.deadline) - now, (granted.seconds ?? Infinity) * 1000 - lastsMs);
  if (left < 0) return undefined;
  return {
    ...passing('Updating', 'Applying', `the agent applies grant ${granted.epoch}`, left + 1000),
    // Somebody removed the taint during the change: set it again.
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: closeNode() }] }),
    waits,
    keepsHoldersAway: true,
  };
}

/** Takes back a grant that was not answered in time, before an agent that sees it late can act on an open node. */
export function grantOverdue(situation: Situation): Ruling | undefined {
  const { partition } = situation;
  const { granted } = partition.spec;
  if (!granted || !isGrantLive(partition)) return undefined;
  const message = describeSilence(situation, granted);
  return {
    verdict: { phase: 'Failed', reason: 'Failed', message, transient: true, requeueAfterMs: 1000 },
    commands: [{ name: 'RevokeGrant', granted: revoke(partition) }],
    ifClosed: 'Stays',
  };
}

/**
 * What an agent has done that has not answered is unknown. As soon as it cannot be at work any more, a device plugin that starts
 * advertises what exists: once it is back, the taint is removed, as it must not outlive its cause.
 */
export function grantUnanswered(situation: Situation): Outcome | undefined {
  const { partition, node, claim } = situation;
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  // Nothing waits for an answer any more.
  if (claim.winner === undefined && !isUnfinished(node)) return undefined;
  const refreshed = isClosed(node)
    ? (awaitEnd(situation, granted) ?? refreshAfterSilence(situation, granted.epoch))
    : undefined;
  if (refreshed && 'needs' in refreshed) return refreshed;
  const pending = refreshed && 'verdict' in refreshed ? refreshed : undefined;
  const closed = pending ? `. The node stays closed: ${pending.verdict.message}` : '';
  return {
    verdict: {
      phase: 'Failed',
      reason: 'Failed',
      message: `${describeSilence(situation, granted)}${closed}`,
      ...definedOnly({ requeueAfterMs: pending?.verdict.requeueAfterMs }),
    },
    // Opened here, unlike other nodes that failed: there the agent's last report would be compared with what the new plugin offers.
    commands:
      pending?.commands ??
      (isUnfinished(node)
        ? [{ name: 'PatchNode', change: combine(reopenNode('failed'), withoutLayoutLabels(situation)) }]
        : []),
    waits: refreshed?.waits,
    ifClosed: 'Stays',
  };
}

function describeSilence(situation: Situation, { deadline }: Grant): string {
  const state = situation.agent.state === 'Ready' ? '' : `${describeAgent(situation)}; `;
  return (
    `the agent has not answered by the deadline ${deadline} of its grant, which is taken back: ${state}look at its log, ` +
    'and at nvidia-smi on the node. A new grant follows when it reports again'
  );
}

/** Waits until the agent has stopped, if it is at work. */
function awaitEnd(situation: Situation, granted: Grant): Ruling | undefined {
  const { lastsMs, waits } = waitFor(situation, 'Revoked', String(granted.epoch));
  const left = workEndsMs(granted) - lastsMs;
  if (left <= 0) return undefined;
  const message = `an agent that is at work stops by ${timeText(situation.now + left)}`;
  return {
    ifClosed: 'Stays',
    waits,
    verdict: { phase: 'Failed', reason: 'Failed', message, requeueAfterMs: left },
    commands: [],
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
