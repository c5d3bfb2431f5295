import { combine } from '../../metadata/node-change.ts';
import { advertises } from '../../nvidia/resources/advertised.ts';
import type { Command } from '../commands.ts';
import { reopenNode } from '../node-marks.ts';
import { hasStartupTaint, isClosed, isUnfinished } from '../node-view.ts';
import type { Outcome } from '../outcome.ts';
import type { Look, Situation } from '../snapshot.ts';
import type { Verdict } from '../verdict.ts';
import { describeAgent } from './grant-in-flight.ts';
import { predict, withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence } from './refresh-plugin.ts';
import { isUntouched } from './untouched.ts';
import { isDeviceDone, wishOf, wishOutdated } from './wish.ts';

/** An agent may be away for so long, in ms, before it is told: a DaemonSet that is updated replaces its pods one by one. */
const mayBeAwayMs = 30_000;

/**
 * What is told of a node whose agent was not heard of is of the past: nothing that is decided may rest on it. A node that is closed is
 * opened all the same, as where a grant is not answered.
 */
export function agentAway(situation: Situation): Outcome | undefined {
  const { agent, waits, partition } = situation;
  if (agent.state === 'Ready') return undefined;
  const lastsMs = waits.lasts('AgentAway');
  // An agent that is replaced is no news to those who hold the GPUs.
  waits.resume('HoldersRest');
  const left = mayBeAwayMs - lastsMs + 10;
  const before = lastsMs < mayBeAwayMs ? stillReady(situation) : undefined;
  if (before) return { verdict: { ...before, requeueAfterMs: left }, keepsClosed: true };
  const opening = lastsMs < mayBeAwayMs ? undefined : openUnheard(situation);
  if (opening && 'look' in opening) return opening;
  const device = partition.status?.device;
  const known = device?.gpus === undefined ? 'the GPUs of this node are unknown' : 'its last report is not trusted';
  return {
    verdict: {
      phase: 'Pending',
      reason: 'AgentNotReporting',
      message: `${describeAgent(situation)}; ${known}${opening?.closed ?? ''}`,
      transient: lastsMs < mayBeAwayMs,
      ...(lastsMs < mayBeAwayMs && { requeueAfterMs: left }),
      ...(opening?.requeueAfterMs !== undefined && { requeueAfterMs: opening.requeueAfterMs }),
    },
    ...(opening && { commands: opening.commands }),
    keepsClosed: true,
  };
}

/** Opens a node whose plugin tells what the device is, since nobody else does. */
function openUnheard(situation: Situation): Unheard | { readonly look: Look } | undefined {
  const { node, partition } = situation;
  if (!isClosed(node)) return undefined;
  const mayOpen = hasStartupTaint(node) || isUntouched(situation);
  const refreshed = mayOpen ? undefined : refreshAfterSilence(situation, partition.spec.granted?.epoch ?? 0);
  if (refreshed === undefined) {
    const labels = mayOpen ? {} : withoutLayoutLabels(situation);
    return { commands: [{ name: 'PatchNode', change: combine(reopenNode('waiting'), labels) }] };
  }
  if ('look' in refreshed) return refreshed;
  const { commands = [], verdict } = refreshed;
  return {
    commands,
    closed: `. The node stays closed: ${verdict.message}`,
    requeueAfterMs: verdict.requeueAfterMs,
  };
}

interface Unheard {
  readonly commands: readonly Command[];
  readonly closed?: string;
  readonly requeueAfterMs?: number | undefined;
}

/** What was told of a node last, where that is Ready and nothing of it is to change. */
function stillReady(situation: Situation): Verdict | undefined {
  const { partition, node, claim } = situation;
  const { winner } = claim;
  if (winner === undefined || winner.spec.mode === 'Plan') return undefined;
  const { bootID, step } = partition.status?.device ?? {};
  const isRead = step !== 'Unknown' && bootID === node.status?.nodeInfo?.bootID;
  const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
  const isSettled = !isUnfinished(node) && isDeviceDone(situation) && wishOutdated(situation) === undefined;
  if (ready?.status !== 'True' || !isRead || !isSettled) return undefined;
  if (!advertises(node.status?.allocatable ?? {}, predict(situation, winner).offer.resources)) return undefined;
  const reason = wishOf(situation)?.gpus.length === 0 ? 'NothingToDo' : 'Ready';
  return { phase: 'Ready', reason, message: ready.message };
}
