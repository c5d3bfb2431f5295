import { gpuPresenceLabel, repartitioningTaint, restartedValue } from '../../../api/names.ts';
import {
  askInOrder,
  type Command,
  waitOpen,
  type Outcome,
  waitClosed,
  type Rule,
  type Ruling,
  type RuleInput,
  type Verdict,
  type WishFields,
  awaitPlan,
} from '../commands.ts';
import {
  backendOf,
  describeAgent,
  driverUpgrade,
  hasStartupTaint,
  isClosed,
  isDeviceDone,
  isDriverReplaced,
  isPolicyCurrent,
  isReadBeforeBoot,
  isUnfinished,
  type Needed,
  onlyPlans,
  sliceOfferOf,
  wishOf,
} from '../snapshot.ts';
import { knownStrategy, backendToTell, findBackend } from './backend.ts';
import type { GpuReport, GpuWish, PolicyLayout, Wish } from '../../../api/types.ts';
import { findHalfMade, meetsWish, wishHash } from '../../device/plan.ts';
import { countWords, joinWithin } from '../../text/words.ts';
import { deepEqual, omitUndefined } from '../../text/json.ts';
import { driftEndsAt, retryAskedWith } from '../grants.ts';
import { reopenNode, markState } from '../marks.ts';
import { describeFault } from '../../device/grants.ts';
import { combine, type NodeChange } from '../node-patch.ts';
import { advertises } from '../offer.ts';
import { timer, type Waits } from '../memory.ts';
import { predict, withoutLayoutLabels } from './labels.ts';
import { refreshAfterSilence, isUntouched } from './plugin.ts';

/** The rules before a plan, in order of precedence. */
const rules: readonly Rule[] = [
  noPolicy,
  notReadSinceBoot,
  driverReplaced,
  policyRefused,
  policyOutdated,
  noGpus,
  agentAway,
  agentSilent,
  deviceUnreadable,
  nodeRefused,
  findBackend,
  gpusGone,
  wishOutdated,
];

/**
 * Tells the node's agent what the policy wants of it, where that is not told yet, or says why that cannot be told: no policy counts here, its
 * layout went with a boot or with the driver, or its GPUs are unknown.
 */
export function tellWish(situation: RuleInput): Outcome | undefined {
  return askInOrder(rules, situation);
}

/** No policy selects the node: it keeps its layout. A missing policy is never a wish. */
export function noPolicy(situation: RuleInput): Outcome | undefined {
  const { claim, node, partition, pods } = situation;
  if (claim.winner) return undefined;
  // Until it is open, its agent must judge what the kubelet offers by the strategy by which this controller does.
  const isJudged = isUnfinished(node) && backendOf(situation) === 'DevicePlugin';
  if (isJudged && pods === undefined) return { needs: 'Pods' };
  const { policy, strategy, wish } = partition.spec;
  // A plugin's pod is away for a moment when it is replaced: then by what was known last.
  const judgedBy = isJudged ? (knownStrategy(situation) ?? strategy) : undefined;
  const isOutdated = policy !== undefined || strategy !== judgedBy || wish !== undefined;
  const message = `no policy selects this node; it keeps its layout${describeHalfMade(partition.status?.device?.gpus)}`;
  return {
    ifClosed: 'Opens',
    verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message, transient: true },
    commands: isDisposable(situation)
      ? [{ name: 'DeletePartition', uid: partition.metadata.uid ?? '' }]
      : isOutdated
        ? [
            {
              name: 'WriteWish',
              fields: { policy: null, strategy: judgedBy ?? null, wish: null, repairs: null, drain: null },
            },
          ]
        : [],
  };
}

/** Names what is neither offered nor part of any plan, with the command that removes it; empty if there is nothing. */
export function describeHalfMade(gpus: readonly GpuReport[] = []): string {
  const found = findHalfMade(gpus).map(
    ({ evidence, command }) => `${evidence}. To destroy them, on the node: ${command}`,
  );
  return found.length === 0 ? '' : `. ${joinWithin(found, 1200, '. ')}`;
}

/** Created for a policy that selected a node without GPUs: it is deleted with the policy. */
function isDisposable({ node, partition }: RuleInput): boolean {
  const { gpus = [], lastGood } = partition.status?.device ?? {};
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  return !isMarked && gpus.length === 0 && (lastGood?.gpus ?? []).length === 0 && partition.spec.granted === undefined;
}

/** The policy has no generation that counts here, and no other policy wants the node: nothing is done, and why is said. */
export function policyRefused({ claim }: RuleInput): Ruling | undefined {
  const { winner, isInForce, hold } = claim;
  if (!winner || isInForce || hold === undefined) return undefined;
  if (hold.kind === 'Checking') return waitClosed('Pending', 'AwaitingPlan', hold.message);
  return waitOpen('Invalid', 'PolicyInvalid', `${hold.message}. Nothing is touched`);
}

/** Refuses a policy that this node cannot match; no other node is blocked. */
function nodeRefused({ claim }: RuleInput): Ruling | undefined {
  const { wish } = claim;
  if (!wish || !('refusal' in wish)) return undefined;
  const { reason, message } = wish.told;
  return waitOpen('Invalid', reason, `${message}. Nothing on this node is touched`);
}

/**
 * A list of policies may come from a server that lags: a generation lower than the one that this node already serves is outdated, unless
 * the API server itself has it told. The generation that the node serves was undone by a restore from a backup, or it only planned, and
 * the one after it is not accepted.
 */
export function policyOutdated(situation: RuleInput): Outcome | undefined {
  const { claim, partition, fresh } = situation;
  const { name, uid, generation = 0 } = claim.winner?.metadata ?? {};
  const served = partition.spec.policy;
  if (served?.uid === undefined || served.uid !== uid || generation >= served.generation) return undefined;
  if (fresh === undefined) return { needs: 'All' };
  // Of any other, the acceptance is on its way.
  if (isPolicyCurrent(situation) && fresh.policy?.told === generation) return undefined;
  const message =
    `the API server's list has generation ${generation} of policy ${name}, but this node already serves generation ${served.generation}: ` +
    'waiting for the watch';
  return waitClosed('Pending', 'AwaitingPlan', message, 5000);
}

/** GPUs of which another layout is wanted since the node numbers its GPUs differently. */
interface MovedGpus {
  readonly moved: Wish['gpus'];
  /** GPUs of the last wish that the node no longer has. */
  readonly gone: Wish['gpus'];
}

/**
 * Finds GPUs that a missing GPU has moved. With a GPU gone, the indices of those behind it are others, and a count takes another GPU: the
 * layout of one would be made on its neighbour. Undefined where no GPU that is there changes by that.
 */
export function findMoved({ claim, partition }: Pick<RuleInput, 'claim' | 'partition'>): MovedGpus | undefined {
  const { winner } = claim;
  const { policy, wish: before } = partition.spec;
  const wish = wishOf({ claim });
  if (winner === undefined || wish === undefined || before === undefined) return undefined;
  if (policy?.uid !== winner.metadata.uid || !(winner.spec.layouts ?? []).some(countsGpus)) return undefined;
  const { gpus = [] } = partition.status?.device ?? {};
  const gone = before.gpus.filter(({ uuid }) => !gpus.some((gpu) => gpu.uuid === uuid));
  const wantOf = ({ mig, profiles }: Pick<GpuWish, 'mig' | 'profiles'>): object => ({ mig, profiles });
  const other = wish.gpus.filter((one) => {
    const gpu = gpus.find(({ uuid }) => uuid === one.uuid);
    const was = before.gpus.find(({ uuid }) => uuid === one.uuid);
    return gpu !== undefined && !meetsWish(gpu, one) && (was === undefined || !deepEqual(wantOf(was), wantOf(one)));
  });
  // Without an edit, a GPU has what was another's only if the numbers are others.
  const isSwapped = ({ uuid, ...one }: GpuWish): boolean =>
    policy?.generation === winner.metadata.generation &&
    before.gpus.some((was) => was.uuid === uuid) &&
    before.gpus.some((was) => was.uuid !== uuid && deepEqual(wantOf(was), wantOf(one)));
  const moved = gone.length > 0 ? other : other.filter(isSwapped);
  return moved.length === 0 ? undefined : { moved, gone };
}

function countsGpus({ gpus }: PolicyLayout): boolean {
  return gpus?.indices !== undefined || gpus?.count !== undefined;
}

/** Holds a change that only a missing GPU would cause: somebody has to look, and asks for a retry. */
function gpusGone(situation: RuleInput): Ruling | undefined {
  const found = findMoved(situation);
  if (found === undefined) return undefined;
  const { node, partition, memory, now } = situation;
  const asked = retryAskedWith(node) ?? '';
  const wait = memory.waits.GpusGone ?? { since: now, of: asked };
  if (wait.of !== asked) return undefined;
  const { gpus = [] } = partition.status?.device ?? {};
  const nameOf = ({ uuid }: GpuWish): string => `GPU ${gpus.find((gpu) => gpu.uuid === uuid)?.index} (${uuid})`;
  const why =
    found.gone.length === 0
      ? 'GPUs have other indices than before'
      : `${found.gone.map(({ uuid }) => uuid).join(', ')} is gone: the node has ${countWords(gpus.length, 'GPU')}`;
  const message =
    `${why}, and by its indices or counts the policy now wants the layout of another GPU on ${found.moved.map(nameOf).join(', ')}. ` +
    `Nothing changes. Bring the GPU back, choose GPUs by uuids or models, or accept the change: gpu-partition retry ${node.metadata.name}`;
  return { ...waitOpen('Failed', 'GpusGone', message), waits: { GpusGone: wait } };
}

/** Writes in one go which policy decides, and the layout that each GPU is to get. */
export function wishOutdated(situation: RuleInput): Ruling | undefined {
  const { claim, partition, now } = situation;
  const { winner, schedule } = claim;
  const wish = wishOf(situation);
  if (!winner || !wish) return undefined;
  const { name, uid, generation = 0 } = winner.metadata;
  const { spec } = partition;
  const backend = backendToTell(situation);
  const isSame =
    spec.policy?.name === name &&
    spec.policy.uid === uid &&
    spec.policy.generation <= generation &&
    spec.policy.schedule === schedule &&
    spec.strategy === winner.spec.strategy &&
    spec.backend === backend &&
    deepEqual(spec.wish, wish);
  // An edit of the policy since the last grant, or a retry, resets the count of repairs of a drifting node.
  const isAsked = (spec.granted?.policy ?? spec.policy)?.generation !== generation || isRetryAsked(situation);
  const startsAnew = isAsked && driftEndsAt(partition, now) !== undefined;
  if (isSame && !startsAnew) return undefined;
  const fields: WishFields = {
    policy: {
      name,
      ...(uid !== undefined && { uid }),
      generation,
      ...(spec.policy?.schedule !== schedule && { schedule: schedule ?? null }),
    },
    strategy: winner.spec.strategy,
    ...(spec.backend !== backend && { backend: backend ?? null }),
    // A claim of this name may be another one when the DRA driver is back.
    ...(spec.monitors !== undefined && backend !== 'DRA' && { monitors: null }),
    // A merge patch keeps what it does not name.
    wish: {
      gpus: wish.gpus,
      replaceForeignInstances: wish.replaceForeignInstances ?? null,
      allowGpuReset: wish.allowGpuReset ?? null,
    },
    repairs: null,
    drain: null,
  };
  // The agent has nothing new to say of a wish that it knows: of another policy with the same layouts, say.
  const isPlanned = partition.status?.device?.plan?.wishHash === wishHash(wish);
  return {
    ...awaitPlan(isPlanned ? 10 : undefined),
    commands: [{ name: 'WriteWish', fields }],
  };
}

/** Whether somebody has asked for a retry since the node was left alone because something else changes its GPUs. */
function isRetryAsked({ memory, node }: RuleInput): boolean {
  const { Drift: wait } = memory.waits;
  return wait !== undefined && wait.of !== retryAskedWith(node);
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

/** Closes a restarted node until its layout is restored. */
export function fenceRestart(): NodeChange {
  return combine(markState('updating'), { addTaints: [{ ...repartitioningTaint, value: restartedValue }] });
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
export function agentAway(situation: RuleInput): Outcome | undefined {
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
