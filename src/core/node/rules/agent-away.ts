import { definedOnly } from '../../text/defined-fields.ts';
import { combine } from '../../metadata/node-change.ts';
import { advertises } from '../../nvidia/resources/advertised.ts';
import { backendOf, sliceOfferOf } from '../backend.ts';
import type { Command } from '../commands.ts';
import { waitFor, type Waits } from '../memory.ts';
import { reopenNode } from '../node-marks.ts';
import { hasStartupTaint, isClosed, isUnfinished } from '../node-view.ts';
import type { Outcome, Situation, Verdict } from '../outcome.ts';
import type { Needed } from '../snapshot.ts';
import { describeAgent } from './grant-in-flight.ts';
import { predict, withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence } from './refresh-after-silence.ts';
import { isUntouched } from './untouched.ts';
import { isDeviceDone, wishOf, wishOutdated } from './wish.ts';

/** An agent may be absent for this long, in ms, before it is reported: a DaemonSet update replaces its pods one by one. */
const mayBeAwayMs = 30_000;

/**
 * Reports of an absent agent are outdated: no decision may rest on them. A closed node is opened nevertheless, as it is when a grant
 * is not answered.
 */
export function agentAway(situation: Situation): Outcome | undefined {
  const { agent, partition } = situation;
  if (agent.state === 'Ready') return undefined;
  const { lastsMs, waits } = waitFor(situation, 'AgentAway');
  const left = mayBeAwayMs - lastsMs + 10;
  const isBrief = lastsMs < mayBeAwayMs;
  const before = isBrief ? stillReady(situation) : undefined;
  if (before && 'needs' in before) return before;
  if (before) return { verdict: { ...before, requeueAfterMs: left }, ifClosed: 'Stays', waits };
  const opening = isBrief ? undefined : openUnheard(situation);
  if (opening && 'needs' in opening) return opening;
  const device = partition.status?.device;
  const known = device?.gpus === undefined ? 'the GPUs of this node are unknown' : 'its last report is not trusted';
  return {
    verdict: {
      phase: 'Pending',
      reason: 'AgentNotReporting',
      message: `${describeAgent(situation)}; ${known}${opening?.closed ?? ''}`,
      transient: isBrief,
      ...definedOnly({ requeueAfterMs: isBrief ? left : opening?.requeueAfterMs }),
    },
    ...(opening && { commands: opening.commands }),
    waits: { ...waits, ...opening?.waits },
    ifClosed: 'Stays',
  };
}

/** Opens a node whose plugin advertises the actual device, since no agent reports it. One that is open for its plugin alone is given up. */
function openUnheard(situation: Situation): Unheard | { readonly needs: Needed } | undefined {
  const { node, partition } = situation;
  if (!isUnfinished(node)) return undefined;
  const mayOpen = hasStartupTaint(node) || isUntouched(situation);
  const refreshed = mayOpen ? undefined : refreshAfterSilence(situation, partition.spec.granted?.epoch ?? 0);
  if (refreshed === undefined || !('verdict' in refreshed || 'needs' in refreshed)) {
    const labels = mayOpen ? {} : withoutLayoutLabels(situation);
    return {
      commands: [{ name: 'PatchNode', change: combine(reopenNode('waiting'), labels) }],
      waits: refreshed?.waits,
    };
  }
  if ('needs' in refreshed) return refreshed;
  const { commands = [], verdict, waits } = refreshed;
  return {
    commands,
    waits,
    closed: `. The node ${isClosed(node) ? 'stays closed' : 'offers nothing yet'}: ${verdict.message}`,
    requeueAfterMs: verdict.requeueAfterMs,
  };
}

interface Unheard {
  readonly commands: readonly Command[];
  readonly waits: Waits | undefined;
  readonly closed?: string;
  readonly requeueAfterMs?: number | undefined;
}

/** The last verdict on a node, if it is Ready and nothing is to change. */
function stillReady(situation: Situation): Verdict | { readonly needs: Needed } | undefined {
  const { partition, node, claim, slices } = situation;
  const { winner } = claim;
  if (winner === undefined || winner.spec.mode === 'Plan') return undefined;
  const { bootID, step } = partition.status?.device ?? {};
  const isRead = step !== 'Unknown' && bootID === node.status?.nodeInfo?.bootID;
  const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
  const isSettled = !isUnfinished(node) && isDeviceDone(situation) && wishOutdated(situation) === undefined;
  if (ready?.status !== 'True' || !isRead || !isSettled) return undefined;
  const isDra = backendOf(situation) === 'DRA';
  if (isDra && slices === undefined) return { needs: 'Pods' };
  if (isDra && sliceOfferOf(situation)?.isExact !== true) return undefined;
  // Each stack would hand out the same GPU: beside the DRA driver, a device plugin has nothing to offer.
  const expected = isDra ? {} : predict(situation, winner).offer.resources;
  if (!advertises(node.status?.allocatable ?? {}, expected)) return undefined;
  const reason = wishOf(situation)?.gpus.length === 0 ? 'NothingToDo' : 'Ready';
  return { phase: 'Ready', reason, message: ready.message };
}
