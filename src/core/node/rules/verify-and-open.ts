import { layoutOf } from '../../device/plan.ts';
import { listProfiles } from '../../gpu/geometry.ts';
import type { GpuPartitionPolicy, GpuReport, Wish, PolicyLayout } from '../../../api/types.ts';
import type { NodePolicy } from '../../policy/fleet.ts';
import { combine, type NodeChange, metadataOf, borrowedLabelsOf, type NodeMetadata } from '../node-patch.ts';
import { pausedForMigChange, pluginDeployLabel } from '../plugin-pods.ts';
import { clientPods, clientsOf } from './gpu-clients.ts';
import { publishDevices } from '../../device/holders.ts';
import {
  backendOf,
  hasStartupTaint,
  isClosed,
  isOwnTaint,
  isUnfinished,
  wishOf,
  isDeviceDone,
  isReadBeforeBoot,
  onlyPlans,
  sliceOfferOf,
} from '../snapshot.ts';
import {
  type Command,
  alsoWaits,
  explainStaleLabels,
  waitOpen,
  type Outcome,
  type Ruling,
  type RuleInput,
  type Verdict,
} from '../commands.ts';
import { runningTimer, timer, type Waits } from '../memory.ts';
import {
  conditionOf,
  reopenNode,
  markState,
  releaseNode,
  changeKey,
  clientsAnnotation,
  readClientsMark,
} from '../marks.ts';
import { clusterPods } from './users.ts';
import { evictPods } from './drain.ts';
import { checkBackend, currentOffer } from './backend.ts';
import { adviseOnDebris, foreignOwner, takeOver } from '../owners.ts';
import { describeHalfMade } from './wish.ts';
import { judgeLabels, layoutLabels, listManagedLabels, predict, withoutLayoutLabels } from './labels.ts';
import {
  toldOffer,
  configurePlugin,
  refreshPlugin,
  refreshAfterSilence,
  isUntouched,
  recordFreshPlugin,
} from './plugin.ts';
import { type PodView, tolerates } from '../../kubernetes/pod.ts';
import { joinWithin } from '../../text/words.ts';
import {
  type NodeReason,
  stateLabel,
  layoutLabel,
  policyLabel,
  repartitioningTaint,
  startupTaintKeys,
} from '../../../api/names.ts';
import { isUnanswered, keepsLastGood } from '../../device/grants.ts';
import { MIG_STRATEGIES, strategyByLabels } from '../../nvidia/labels.ts';
import { predictDevice } from '../../nvidia/predict.ts';
import { explainOffer, listUnusedResources } from '../offer.ts';
import { awaitSlot, needsSlot, nodeNotReady } from './slot.ts';

/** How often the slices of a Ready node are read even though nothing was heard of them, in ms. */
const slicesAgainMs = 120_000;

/** The device matches: labels, device plugin and GPU clients follow it, then the node is opened. */
export function verifyAndOpen(situation: RuleInput): Outcome | undefined {
  const { claim } = situation;
  const { winner } = claim;
  if (!winner || winner.spec.mode === 'Plan') return undefined;
  const wish = wishOf(situation);
  if (!wish || !isDeviceDone(situation)) return undefined;
  const isDra = backendOf(situation) === 'DRA';
  const verdict = describeDone(wish, claim, isDra, situation.partition.status?.device?.gpus ?? []);
  const owner = foreignOwner(situation) ?? takeOver(situation, 'TakeOver');
  if (owner) return owner;
  const mismatch = isDra ? checkBackend(situation) : undefined;
  if (mismatch) return mismatch;
  const outcome = alsoSays(bringInLine(situation, winner, verdict), adviseOnDebris(situation));
  const held = holdPluginBack(situation, winner);
  if ('needs' in outcome || held === undefined) return outcome;
  return alsoWaits(held.isAway ? { ...outcome, clientsPaused: true } : outcome, held.waits);
}

/** An outcome that tells something more, of which it is not the reason. */
function alsoSays(outcome: Outcome, more: string | undefined): Outcome {
  if (more === undefined || 'needs' in outcome) return outcome;
  return { ...outcome, verdict: { ...outcome.verdict, message: `${outcome.verdict.message}. ${more}` } };
}

/** Entries of the policy that have no effect on this node, and GPUs that do not work, are reported, so that they do not pass for done. */
function describeDone(
  { gpus }: Wish,
  { wish, winner }: NodePolicy,
  isDra: boolean,
  reported: readonly GpuReport[],
): Verdict {
  // Slices are watched, where the controller may.
  const again = isDra && { requeueAfterMs: slicesAgainMs };
  const skipped = wish && 'skipped' in wish ? wish.skipped : [];
  const remarkable =
    gpus.length === 0 ? skipped : skipped.filter((one) => isUnexpected(one, winner?.spec.layouts ?? []));
  const remarks = remarkable.length > 0 ? `: ${remarkable.map(({ message }) => message).join('; ')}` : '';
  const broken = reported.flatMap(({ index, pciBusId, error }) =>
    error === undefined ? [] : [`GPU ${index} (${pciBusId}): ${error}`],
  );
  const others = reported.filter(({ uuid }) => gpus.every((one) => one.uuid !== uuid));
  const out = `${broken.length > 0 ? `; out of service: ${joinWithin(broken, 600)}` : ''}${describeHalfMade(others)}`;
  if (gpus.length > 0) {
    const message = `device, labels and ${isDra ? 'ResourceSlices' : 'resources'} match the policy${remarkable.length > 0 ? `; skipped${remarks}` : ''}${out}`;
    return { phase: 'Ready', reason: 'Ready', message, ...again };
  }
  const message = `no layout of the policy applies to a GPU of this node; its GPUs are left alone${remarks}${out}`;
  return { phase: 'Ready', reason: 'NothingToDo', message, ...again };
}

type Skipped = Extract<RuleInput['claim']['wish'], { readonly skipped: unknown }>['skipped'][number];

/** Entries for GPUs of other nodes, and a last one for all GPUs that are left, skip most nodes of any policy with several entries. */
function isUnexpected({ reason, entry }: Skipped, layouts: readonly PolicyLayout[]): boolean {
  return reason === 'Taken' ? layouts[entry]?.gpus !== undefined : reason !== 'NoGpuMatches';
}

function bringInLine(situation: RuleInput, policy: GpuPartitionPolicy, verdict: Verdict): Outcome {
  // 1. What NVIDIA's own tools will make of this device.
  const predicted = predict(situation, policy);
  const { resources, errors } = predicted.offer;
  // Missing labels because of an error must never be read as "remove all labels".
  const isDra = backendOf(situation) === 'DRA';
  const problem = predicted.errors[0] ?? (isDra ? findDriverProblem(situation) : errors[0]);
  if (problem) return waitOpen('Failed', 'Refused', `${problem.message}. ${problem.advice}`);
  // 2. The plugin's settings first, and the pods that read the devices only when they start.
  const configuring = configurePlugin(situation);
  if (configuring) return configuring;
  // 3. The node must offer exactly this before pods may come: never a slice that does not exist.
  const judged = judgeLabels(situation, predicted);
  const marks = combine(judged.labels, judged.stale !== undefined && !isDra ? holdPlugin(situation) : {});
  const fenced = refreshPlugin(situation, { resources, policy, marks });
  if ('needs' in fenced || ('verdict' in fenced && fenced.writesNothing === true)) return fenced;
  const restarts = restartClients(situation);
  if ('needs' in restarts) return restarts;
  // On a node that is open but offers nothing, labels follow a device that changes once more.
  const { node } = situation;
  const following = isUnfinished(node) && !isClosed(node) ? [patch(judged.labels)] : [];
  if ('verdict' in fenced) {
    return alsoWaits(alsoDoes(fenced, ...following, ...restarts.commands), restarts.waits);
  }
  // Its machine may be restarting, without the layout: a node on which nothing runs yet can wait for its kubelet.
  const silent = hasStartupTaint(node) ? nodeNotReady(node) : undefined;
  if (silent) return alsoWaits(silent, fenced.waits);
  // 4. Labels and opening, in one write.
  const opened = open(situation, policy, judged, verdict);
  return alsoWaits(alsoDoes(opened, ...restarts.commands), { ...fenced.waits, ...restarts.waits });
}

/** What ends the DRA driver is none of the policy's doing: an instance of somebody else's. */
function findDriverProblem({
  partition,
}: RuleInput): { readonly message: string; readonly advice: string } | undefined {
  const { problem } = publishDevices(partition.status?.device ?? {});
  if (problem === undefined) return undefined;
  return {
    message: `NVIDIA’s DRA driver exits on this node, for all of its GPUs: ${problem}`,
    advice:
      'Give each GPU instance one compute instance over all of it; a policy with backend DRA does so for the GPUs that it covers',
  };
}

function open(
  situation: RuleInput,
  policy: GpuPartitionPolicy,
  { atOpening, stale }: ReturnType<typeof judgeLabels>,
  verdict: Verdict,
): Ruling {
  const { node, partition, settings } = situation;
  const marks = combine(readyNode(policy.metadata.name, partition.status?.device?.gpus ?? []), {
    annotations: { [clientsAnnotation]: undefined },
  });
  if (stale === undefined) return { ifClosed: 'Opens', verdict, commands: [patch(combine(atOpening, marks))] };
  // GPU Feature Discovery may never come back; what the node offers is right.
  const { lastsMs, waits } = timer(situation, 'Labels');
  const isOverdue = lastsMs > settings.advertiseDeadlineMs;
  const opensInMs = isClosed(node) ? patienceForLabels(situation) - lastsMs : Infinity;
  const opening = isOverdue ? reopenNode('failed') : opensInMs <= 0 ? reopenNode('waiting') : {};
  return {
    verdict: {
      ...(isOverdue ? { phase: 'Failed' } : { phase: 'Updating', transient: true }),
      requeueAfterMs: opensInMs > 0 ? Math.min(5000, opensInMs + 10) : 5000,
      reason: 'LabelsStale',
      message: `GPU Feature Discovery has not published the layout yet: ${stale}; it updates labels at start and every 60 s: is its pod running?`,
    },
    commands: [patch(combine(atOpening, opening))],
    waits,
    ifClosed: 'Stays',
  };
}

/** Marks a node whose device matches the policy, and opens it. */
export function readyNode(policy: string, gpus: readonly GpuReport[]): NodeChange {
  return combine(markState('ready'), {
    labels: { [policyLabel]: policy, [layoutLabel]: layoutLabelValue(gpus) },
    removeTaints: [repartitioningTaint.key, ...startupTaintKeys],
  });
}

/** The label of a node with GPUs that differ. */
const various = 'various';

/**
 * The layouts as a label value: at most 63 of the allowed characters; `various` if GPUs differ or it gets too long. GPUs that cannot be
 * used do not count: what the others offer is the same as before.
 */
export function layoutLabelValue(gpus: readonly GpuReport[]): string {
  const working = gpus.filter(({ error }) => error === undefined);
  const values = new Set(
    working.map((gpu) =>
      gpu.mig === 'Enabled'
        ? listProfiles(layoutOf(gpu))
            .map(([profile, count]) => `${count}x${profile.replaceAll('+', '.')}`)
            .join('_') || 'empty'
        : 'whole',
    ),
  );
  const [only = 'whole', ...others] = values;
  return others.length > 0 || only.length > 63 ? various : only;
}

/** What a node that is not Ready may wait for without any doubt about what it offers: its slot, its policy, or the pods on its GPUs. */
const patience: ReadonlySet<string> = new Set<NodeReason>([
  'AwaitingPlan',
  'AwaitingSlot',
  'Paused',
  'PlanOnly',
  'PolicyInvalid',
  'UnknownProfile',
  'UnknownPreset',
  'DoesNotFit',
  'NotEnoughGpus',
  'SingleNeedsOneProfile',
  'SharingRefused',
  'ConfigUnavailable',
  'AgentTooOld',
  'AgentTooNew',
  'ForeignCordon',
  'EvictionBlocked',
  'DrainLoop',
  'DrainTimeout',
  'PodsUseGpus',
  'ProcessesUseGpus',
  'ClientsStay',
  'Refused',
]);

export function isPatient({ reason }: { readonly reason: string }): boolean {
  return patience.has(reason);
}

type Offering = Parameters<typeof backendOf>[0] & Pick<RuleInput, 'partition'>;

/**
 * Whether a node that does not match its policy is open and offers the layout that was verified when it was opened last. Our label tells
 * which that was. Where GPUs differ it does not: then the condition itself does, which no change leaves True, and the agent's memory of
 * the instances.
 */
export function keepsVerified(known: Offering, verdict: Verdict): boolean {
  const { node, partition } = known;
  const { device = {} } = partition.status ?? {};
  const { gpus, step, error } = device;
  // A DaemonSet update replaces agents one by one: Ready outlasts that too.
  const isReplaced = verdict.reason === 'AgentNotReporting' && verdict.transient === true;
  const isWaiting = isReplaced || isPatient(verdict);
  if (!isWaiting || isUnfinished(node) || hasStartupTaint(node) || isReadBeforeBoot(node, partition)) return false;
  const isQuiet = (step === 'Idle' || step === undefined) && error === undefined && !isUnanswered(partition);
  const label = node.metadata.labels?.[layoutLabel];
  const isNamed = label !== various || conditionOf(node)?.status === 'True';
  const isMarked = gpus !== undefined && label === layoutLabelValue(gpus) && isNamed;
  if (!isQuiet || !isMarked || !keepsLastGood(device)) return false;
  return offersDevice(known) && explainStaleLabels(node, partition) === undefined;
}

/** Whether what hands the GPUs out offers what they are, by the labelled strategy, however shared. Slices that were not read may be right. */
function offersDevice(known: Offering): boolean {
  if (backendOf(known) === 'DRA') return sliceOfferOf(known)?.isExact !== false;
  const { node, partition } = known;
  const { allocatable = {} } = node.status ?? {};
  const { labels = {} } = node.metadata;
  // That of the partition may be the next one already.
  const labelled = strategyByLabels(labels, true);
  return (labelled === undefined ? MIG_STRATEGIES : [labelled]).some((strategy) => {
    const { errors, resources } = predictDevice(partition.status?.device ?? {}, strategy, undefined).offer;
    const advertised = toldOffer(known, strategy);
    if (errors.length > 0 || (advertised?.stale ?? 0) > 0) return false;
    const { kind } = explainOffer({ allocatable, advertised, labels }, resources);
    return kind !== 'Nothing' && kind !== 'Other';
  });
}

/**
 * How long a closed node that offers exactly what it should waits for GPU Feature Discovery, in ms. A claim gets a device by its slices,
 * whatever the labels say. And a pod that does not tolerate our taint, and had to go for a change of the MIG mode, comes back only to a node
 * that is open.
 */
function patienceForLabels(situation: RuleInput): number {
  if (backendOf(situation) === 'DRA') return 3_000;
  const { pods } = situation;
  return pods === undefined || discoveryPods(situation, pods).length > 0 ? Infinity : 30_000;
}

/** Pods that read the devices before they were done are replaced, once. Nothing waits for them. */
function restartClients(
  situation: RuleInput,
): { readonly commands: readonly Command[]; readonly waits?: Waits | undefined } | { readonly needs: 'Pods' } {
  const { node, pods } = situation;
  const note = node.metadata.annotations?.[clientsAnnotation];
  if (note === undefined || runningTimer(situation, 'HoldersRestarted', note) !== undefined) return { commands: [] };
  if (pods === undefined) return { needs: 'Pods' };
  const uids = readClientsMark(note);
  const old = pods.filter(({ metadata }) => uids.includes(metadata.uid ?? ''));
  const staying = discoveryThatWouldStayAway(situation, old);
  const going = old.filter((pod) => !staying.includes(pod));
  // Evictions that a disruption budget refuses are repeated as long as the node is not open.
  const isDone = staying.length === 0 && going.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    commands: evictPods(situation, going).map((command) => ({ ...command, isClient: true as const })),
    waits: isDone ? timer(situation, 'HoldersRestarted', note).waits : undefined,
  };
}

/**
 * GPU Feature Discovery updates its labels every minute by itself. Evicted from a closed node, it would not come back unless it
 * tolerates the taint, be it ours or the node pool's, and the labels for which the node waits would never be right.
 */
function discoveryThatWouldStayAway(situation: RuleInput, pods: readonly PodView[]): readonly PodView[] {
  const taints = (situation.node.spec?.taints ?? []).filter(isOwnTaint);
  return discoveryPods(situation, pods).filter((pod) =>
    taints.some((taint) => !tolerates(pod.spec?.tolerations, taint)),
  );
}

function discoveryPods(situation: RuleInput, pods: readonly PodView[]): readonly PodView[] {
  const discovery = clientsOf(situation).find(({ name }) => name === 'gpu-feature-discovery');
  return discovery === undefined ? [] : clientPods(discovery, clusterPods(situation, pods));
}

/**
 * Keeps the device plugin away until GPU Feature Discovery has relabelled the node: a node that is open but offers nothing
 * would have new slices under outdated labels as soon as the plugin is back.
 */
function holdPluginBack(
  situation: RuleInput,
  policy: GpuPartitionPolicy,
): { readonly isAway: boolean; readonly waits: Waits } | undefined {
  const { node, settings } = situation;
  const [label, ...others] = pausedLabels(metadataOf(node));
  const isHeld = label === pluginDeployLabel && others.length === 0 && !isClosed(node);
  if (!isHeld || judgeLabels(situation, predict(situation, policy)).stale === undefined) return undefined;
  const { lastsMs, waits } = timer(situation, 'PluginHeld');
  return { isAway: lastsMs <= settings.advertiseDeadlineMs, waits };
}

/** Label keys that we borrowed for a pause. */
export function pausedLabels(node: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return Object.entries(borrowedLabelsOf(node))
    .filter(([, { set }]) => set === pausedForMigChange)
    .map(([key]) => key);
}

/** Keeps the plugin away with the label by which gpu-operator deploys it, if there is one. */
function holdPlugin({ node }: RuleInput): NodeChange {
  const isDeployed = node.metadata.labels?.[pluginDeployLabel] === 'true';
  return isDeployed ? { borrow: { [pluginDeployLabel]: pausedForMigChange } } : {};
}

function patch(change: NodeChange): Command {
  return { name: 'PatchNode', change };
}

/**
 * What else follows on a node, whichever rule decided: GPU clients come back, it is opened and labelled as it is. The only way to its
 * users: whatever a rule has forgotten, nothing is taken from them without a slot.
 */
export function settleNode(situation: RuleInput, ruling: Ruling): Outcome {
  const outcome = resumeClients(situation, ruling) ?? openMarked(situation, ruling);
  if ('needs' in outcome || !needsSlot(situation, outcome.commands ?? [])) return outcome;
  const waits = situation.claim.winner && awaitSlot(situation, 'Settings');
  if (waits === undefined) return { ...outcome, commands: [] };
  return 'needs' in waits ? waits : openMarked(situation, alsoWaits(waits, outcome.waits));
}

function openMarked(situation: RuleInput, ruling: Ruling): Outcome {
  const opened = openIdle(situation, ruling);
  return 'needs' in opened ? opened : tidyStatus(situation, followDevice(situation, markLasting(situation, opened)));
}

/** GPU clients that the operator keeps away come back as soon as no grant needs their absence, whatever became of the grant. */
function resumeClients(situation: RuleInput, { verdict, clientsPaused, ifClosed, waits }: Ruling): Ruling | undefined {
  const { node } = situation;
  const paused = pausedLabels(metadataOf(node));
  if (paused.length === 0 || clientsPaused === true) return undefined;
  const isDone = isDeviceDone(situation);
  const isFinishing = isDone && (verdict.phase === 'Ready' || verdict.phase === 'Updating');
  const opensLater = isClosed(node) && ifClosed === 'Opens' && verdict.phase !== 'Unmanaged';
  const unfinished = opensLater ? describeClosed(verdict, comingBack.message) : verdict;
  return {
    ifClosed: 'Opens',
    waits,
    verdict: { ...(isFinishing ? comingBack : unfinished), requeueAfterMs: 250 },
    commands: [
      { name: 'PatchNode', change: combine({ giveBack: paused }, isDone ? recordFreshPlugin(situation) : {}) },
    ],
  };
}

const comingBack = {
  phase: 'Updating',
  reason: 'AdvertisePending',
  message: 'the GPU clients are coming back',
  transient: true,
} as const satisfies Verdict;

/**
 * Our taint must not outlive its cause, even if a controller died between tainting and granting; nor may it be removed while the
 * node advertises what its device no longer is, whether the device matches the wish or not.
 */
function openIdle(situation: RuleInput, ruling: Ruling): Outcome {
  const { node, partition } = situation;
  const { phase, reason } = ruling.verdict;
  // The rule that finds a node Ready opens it, unless there is nothing to be ready.
  if (ruling.ifClosed === 'Stays' || (phase === 'Ready' && reason !== 'NoGpus')) return ruling;
  const isReleased = phase === 'Unmanaged';
  const change = isReleased ? releaseNode() : reopenNode(stateOf(ruling.verdict));
  if (!isUnfinished(node)) return isReleased ? addPatch(ruling, change) : ruling;
  // The start-up taint keeps the node closed: no layout of it was ever verified.
  if (hasStartupTaint(node)) return isReleased || isClosed(node) ? addPatch(ruling, change) : ruling;
  const { gpus, step } = partition.status?.device ?? {};
  // An unknown device cannot be compared with what is advertised.
  if (gpus === undefined) return addPatch(ruling, change);
  if (isUntouched(situation)) {
    const isOurs = listManagedLabels(metadataOf(node)).length > 0;
    const labels = isOurs ? layoutLabels(situation, currentOffer(situation).labels) : {};
    return addPatch(ruling, combine(change, labels));
  }
  const pending = step === 'Unknown' ? restartPlugin(situation) : advertiseDevice(situation);
  if ('needs' in pending) return pending;
  if (!('verdict' in pending)) return alsoWaits(addPatch(ruling, combine(change, pending.marks)), pending.waits);
  const commands = [...(ruling.commands ?? []), ...(pending.commands ?? [])];
  if (isReleased || phase === 'Ready') return alsoWaits({ ...pending, commands }, ruling.waits);
  const requeueAfterMs = Math.min(
    ruling.verdict.requeueAfterMs ?? Infinity,
    pending.verdict.requeueAfterMs ?? Infinity,
  );
  return {
    ...ruling,
    verdict: {
      ...describeClosed(ruling.verdict, pending.verdict.message),
      ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs }),
    },
    commands,
    waits: { ...ruling.waits, ...pending.waits },
    ifClosed: 'Stays',
  };
}

/** A verdict on a node that will be opened, and is not yet. */
function describeClosed(verdict: Verdict, why: string): Verdict {
  return { ...verdict, message: `${verdict.message}. The node stays closed: ${why}` };
}

/** The node's labels must tell other tools its true state, even if that is not going to change for a while. */
function markLasting(situation: RuleInput, ruling: Ruling): Ruling {
  const { node, claim } = situation;
  const state = stateOf(ruling.verdict);
  const isMarked = claim.winner !== undefined && node.metadata.labels?.[stateLabel] !== undefined;
  const isLeftAlone = ruling.writesNothing === true || onlyPlans(situation) || isUnfinished(node);
  if (!isMarked || state === undefined || ruling.verdict.transient === true || isLeftAlone) return ruling;
  return addPatch(ruling, markState(state));
}

/** The state mark for a verdict; undefined if the verdict implies none. */
function stateOf({ phase }: Verdict): 'waiting' | 'failed' | undefined {
  switch (phase) {
    case 'Waiting':
    case 'Pending':
      return 'waiting';
    case 'Failed':
    case 'Invalid':
      return 'failed';
    case 'Ready':
    case 'Updating':
    case 'Unmanaged':
      return undefined;
  }
}

/** What a node offers when it is opened, and the changes that label it so. */
interface Labelled {
  readonly waits: Waits;
  readonly marks: NodeChange;
}

/** Whatever the device has become, pods must not select the node by outdated labels. @returns why they may not come yet, or that they may */
function advertiseDevice(situation: RuleInput): Outcome | Labelled {
  // The plugin's pods tell with which strategy it runs.
  if (situation.pods === undefined) return { needs: 'Pods' };
  const { strategy, labels, resources } = currentOffer(situation);
  const marks = layoutLabels(situation, labels);
  const pending = refreshPlugin(situation, { strategy, resources, marks });
  if ('needs' in pending) return pending;
  if (!('verdict' in pending)) return { ...pending, marks };
  // On a node that is open but offers nothing, labels follow a device that changes once more.
  return isClosed(situation.node) ? pending : addPatch(pending, marks);
}

/** The last report is outdated, and no new one is awaited: a plugin that starts now advertises what exists. */
function restartPlugin(situation: RuleInput): Outcome | Labelled {
  const pending = refreshAfterSilence(situation, situation.partition.spec.granted?.epoch ?? 0);
  return 'needs' in pending || 'verdict' in pending ? pending : { ...pending, marks: withoutLayoutLabels(situation) };
}

/** A ruling that does something more, after all else. */
function alsoDoes(ruling: Ruling, ...more: readonly Command[]): Ruling {
  return { ...ruling, commands: [...(ruling.commands ?? []), ...more] };
}

function addPatch(ruling: Ruling, change: NodeChange): Ruling {
  return alsoDoes(ruling, { name: 'PatchNode', change });
}

/**
 * Our labels on an open node follow its device and its plugin's strategy, whatever keeps it from matching its policy, and even if no
 * policy is left: pods select by them, and nothing else corrects them. A node that matches is labelled where it is finished.
 */
function followDevice(situation: RuleInput, ruling: Ruling): Ruling {
  const { node, partition, agent } = situation;
  const isFinished = ruling.verdict.phase === 'Ready' && isDeviceDone(situation);
  const isOurs = listManagedLabels(metadataOf(node)).length > 0 && !isFinished && !onlyPlans(situation);
  const isThisBoot = partition.status?.device?.bootID === node.status?.nodeInfo?.bootID;
  if (!isOurs || !isThisBoot || agent.state !== 'Ready' || isUnfinished(node)) return ruling;
  const change = layoutLabels(situation, currentOffer(situation).labels);
  return alsoDoes(ruling, { name: 'PatchNode', change });
}

/** The kubelet reports the capacity of a removed resource for five minutes more. */
const afterMs = 10 * 60_000;

/**
 * Removes resources of layouts that are long gone from the status of a node that is Ready, if the administrator wants it. The kubelet
 * shows them with the amount 0 as long as the Node exists, which confuses schedulers (kai-scheduler/KAI-Scheduler#1120). What somebody
 * brings back is left alone until the device changes.
 */
function tidyStatus(situation: RuleInput, ruling: Ruling): Ruling {
  const { node, partition, settings } = situation;
  const { verdict } = ruling;
  if (!settings.tidyNodeStatus || verdict.phase !== 'Ready' || isUnfinished(node)) return ruling;
  const change = changeKey(partition);
  if (runningTimer(situation, 'Tidied', change) !== undefined) return ruling;
  const unused = listUnusedResources(node.status ?? {}, partition.status?.device?.advertised?.resources ?? {});
  if (unused.length === 0) return ruling;
  const leftMs = afterMs - (runningTimer(situation, 'Reason', verdict.reason)?.lastsMs ?? 0);
  if (leftMs > 0) {
    const requeueAfterMs = Math.min(verdict.requeueAfterMs ?? Infinity, leftMs);
    return { ...ruling, verdict: { ...verdict, requeueAfterMs } };
  }
  const gone = Object.fromEntries(unused.map((name) => [name, null]));
  const status = { allocatable: gone, capacity: gone };
  const tidied = alsoDoes(ruling, { name: 'AdvertiseDevices', status, change });
  return alsoWaits(tidied, timer(situation, 'Tidied', change).waits);
}
