import { gpuPresenceLabel } from '../../../api/names.ts';
import { fenceRestart, reopenNode } from '../marks.ts';
import {
  askInOrder,
  waitOpen,
  waitClosed,
  type Ruling,
  type RuleInput,
  type Command,
  type Outcome,
  type Verdict,
} from '../commands.ts';
import { onlyPlans, isDeviceDone, wishOutdated } from './policy.ts';
import { describeFault } from '../../device/grants.ts';
import { omitUndefined } from '../../text/json.ts';
import { combine } from '../node-patch.ts';
import { advertises } from '../offer.ts';
import {
  backendOf,
  sliceOfferOf,
  type Needed,
  driverUpgrade,
  isDriverReplaced,
  isClosed,
  isReadBeforeBoot,
  hasStartupTaint,
  isUnfinished,
  describeAgent,
  wishOf,
} from '../snapshot.ts';
import { timer, type Waits } from '../memory.ts';
import { predict, withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence, isUntouched } from './plugin.ts';

/** Whether the layout went with a boot, or with the driver, and the agent has not made it again: until then the node is closed. */
export function layoutLost(situation: RuleInput): Outcome | undefined {
  return askInOrder([notReadSinceBoot, driverReplaced], situation);
}

/** Whether it is unknown what GPUs the node has now, or known that it has none: then nothing is decided about them. */
export function deviceUnknown(situation: RuleInput): Outcome | undefined {
  return askInOrder([noGpus, agentAway, agentSilent, deviceUnreadable], situation);
}

/** A node that a policy selects and that has no GPU. */
function noGpus({ partition, node, agent }: RuleInput): Ruling | undefined {
  const { gpus, lastGood } = partition.status?.device ?? {};
  // GPUs that have disappeared are a fault.
  if ((lastGood?.gpus ?? []).length > 0) return undefined;
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  const message =
    gpus?.length === 0
      ? 'the agent finds no GPU on this node'
      : gpus === undefined && agent.state === 'Missing' && !isMarked
        ? `the node has no label ${gpuPresenceLabel}=true, so no agent runs on it and its GPUs are unknown`
        : undefined;
  return message === undefined ? undefined : waitOpen('Ready', 'NoGpus', message);
}

/** No reading at all. */
function agentSilent({ partition }: RuleInput): Ruling | undefined {
  const { gpus, error } = partition.status?.device ?? {};
  if (gpus !== undefined) return undefined;
  const message = error
    ? `the agent cannot read the GPUs: ${describeFault({ error })}`
    : 'the agent on this node has not reported its GPUs yet';
  return {
    verdict: { phase: 'Pending', reason: 'AgentNotReporting', message, transient: error === undefined },
    // GPUs that have not been reported are not missing GPUs.
    ifClosed: 'Stays',
  };
}

/**
 * No instance survives a restart. Until the agent has read the GPUs in this boot, and recreated the layout, a pod might get a GPU
 * that is still whole.
 */
export function notReadSinceBoot(situation: RuleInput): Ruling | undefined {
  const { partition, node, agent } = situation;
  const { device = {} } = partition.status ?? {};
  const { error, step } = device;
  if (!isReadBeforeBoot(node, partition) || !expectsSlices(situation)) return undefined;
  const found = step === 'Unknown' && error ? `: ${describeFault(device)}` : '';
  const trouble = agent.state === 'Ready' ? found : ` (${describeAgent(situation)})`;
  const message = `the node restarted, and its agent has not read the GPUs since${trouble}; it stays closed until the layout is restored`;
  return closed(situation, 'NodeRestarted', message);
}

/**
 * Nor does an instance survive a reload of the driver's modules, which gpu-operator does to upgrade it: the boot id stays, and the
 * earlier reading still looks valid. The node is closed before whoever cordoned it opens it.
 */
export function driverReplaced(situation: RuleInput): Ruling | undefined {
  const { labels = {} } = situation.node.metadata;
  if (!isDriverReplaced(labels) || !expectsSlices(situation)) return undefined;
  const message = `${driverUpgrade(labels) ?? 'the driver has been replaced'}; no pod may come until the layout is there again`;
  return closed(situation, 'DriverUpgrade', message);
}

function closed({ node }: RuleInput, reason: 'NodeRestarted' | 'DriverUpgrade', message: string): Ruling {
  return {
    ...waitClosed('Updating', reason, message),
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: fenceRestart() }] }),
  };
}

/** Whether the GPUs get slices again after a boot. In mode Plan no layout comes back. */
function expectsSlices(situation: RuleInput): boolean {
  const { granted, wish } = situation.partition.spec;
  const expected = onlyPlans(situation) ? undefined : (granted?.gpus ?? wish?.gpus);
  return expected?.some(({ profiles }) => profiles !== undefined) === true;
}

/** What is known is outdated: unknown means neither idle nor done. */
function deviceUnreadable({ partition }: RuleInput): Ruling | undefined {
  const { device } = partition.status ?? {};
  if (device?.step !== 'Unknown') return undefined;
  const found = describeFault(device) ?? 'it gives no reason';
  const message = `the agent cannot read the GPUs: ${found}`;
  return { verdict: { phase: 'Failed', reason: 'DeviceUnreadable', message }, ifClosed: 'Stays' };
}

/** An agent may be absent for this long, in ms, before it is reported: a DaemonSet update replaces its pods one by one. */
const mayBeAwayMs = 30_000;

/**
 * Reports of an absent agent are outdated: no decision may rest on them. A closed node is opened nevertheless, as it is when a grant
 * is not answered.
 */
function agentAway(situation: RuleInput): Outcome | undefined {
  const { agent, partition } = situation;
  if (agent.state === 'Ready') return undefined;
  const { lastsMs, waits } = timer(situation, 'AgentAway');
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
      ...omitUndefined({ requeueAfterMs: isBrief ? left : opening?.requeueAfterMs }),
    },
    ...(opening && { commands: opening.commands }),
    waits: { ...waits, ...opening?.waits },
    ifClosed: 'Stays',
  };
}

/** Opens a node whose plugin advertises the actual device, since no agent reports it. One that is open for its plugin alone is given up. */
function openUnheard(situation: RuleInput): Unheard | { readonly needs: Needed } | undefined {
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
function stillReady(situation: RuleInput): Verdict | { readonly needs: Needed } | undefined {
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
