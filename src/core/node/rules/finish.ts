import type { GpuPartitionPolicy, GpuReport, Wish, PolicyLayout } from '../../../api/types.ts';
import type { NodeClaim } from '../../policy/claim.ts';
import { combine, type NodeChange } from '../../metadata/node-change.ts';
import { describeStaleLabels, type StaleLabel } from '../../nvidia/feature-discovery/stale-labels.ts';
import { handOver } from '../../nvidia/feature-discovery/writer-mode.ts';
import { dropInvalidLabels } from '../../nvidia/labels/label-value.ts';
import { pausedForMigChange, pausedLabels, pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { holderPods, holdersAnnotation, readHoldersMark } from '../../pods/holder-pods.ts';
import { publishDevices } from '../../dra/published-devices.ts';
import { backendOf } from '../backend.ts';
import type { Command } from '../commands.ts';
import { resumeWait, waitFor, type Waits } from '../memory.ts';
import { readyNode, reopenNode } from '../node-marks.ts';
import { hasStartupTaint, isClosed, isOwnTaint, isUnfinished, metadataOf } from '../node-view.ts';
import { alsoDoes, alsoWaits, leaveOpen, type Outcome, type Ruling, type Situation, type Verdict } from '../outcome.ts';
import { clusterPods } from './cluster-pods.ts';
import { evictPods } from './evictions.ts';
import { checkBackend } from './check-driver.ts';
import { foreignOwner, takeOver } from './foreign-owner.ts';
import { layoutLabels, predict, listStaleLabels, writerModeFor } from './labels.ts';
import { configurePlugin } from './configure-plugin.ts';
import { nodeNotReady } from './plan.ts';
import type { SkippedEntry } from '../../policy/skipped-entry.ts';
import type { Prediction } from './prediction.ts';
import { refreshPlugin } from './refresh-plugin.ts';
import { isDeviceDone, wishOf } from './wish.ts';
import { type PodView, tolerates } from '../../pods/pod-view.ts';
import { joinWithin } from '../../text/cut-text.ts';

/** How often the slices of a Ready node are read even though nothing was heard of them, in ms. */
const slicesAgainMs = 120_000;

/** The device matches: labels, device plugin and GPU holders follow it, then the node is opened. */
export function finish(situation: Situation): Outcome | undefined {
  const { claim } = situation;
  const { winner } = claim;
  if (!winner || winner.spec.mode === 'Plan') return undefined;
  const wish = wishOf(situation);
  if (!wish || !isDeviceDone(situation)) return undefined;
  const isDra = backendOf(situation) === 'DRA';
  const verdict = describeDone(wish, claim, isDra, situation.partition.status?.device?.gpus ?? []);
  const owner = foreignOwner(situation) ?? takeOver(situation, 'Settings');
  if (owner) return owner;
  const mismatch = isDra ? checkBackend(situation) : undefined;
  if (mismatch) return mismatch;
  const outcome = bringInLine(situation, winner, verdict);
  const held = holdPluginBack(situation, winner);
  if ('needs' in outcome || held === undefined) return outcome;
  return alsoWaits(held.isAway ? { ...outcome, keepsHoldersAway: true } : outcome, held.waits);
}

/** Entries of the policy that have no effect on this node, and GPUs that do not work, are reported, so that they do not pass for done. */
function describeDone(
  { gpus }: Wish,
  { wish, winner }: NodeClaim,
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
  const out = broken.length > 0 ? `; out of service: ${joinWithin(broken, 600)}` : '';
  if (gpus.length > 0) {
    const message = `device, labels and ${isDra ? 'ResourceSlices' : 'resources'} match the policy${remarkable.length > 0 ? `; skipped${remarks}` : ''}${out}`;
    return { phase: 'Ready', reason: 'Ready', message, ...again };
  }
  const message = `no layout of the policy applies to a GPU of this node; its GPUs are left alone${remarks}${out}`;
  return { phase: 'Ready', reason: 'NothingToDo', message, ...again };
}

/** Entries for GPUs of other nodes, and a last one for all GPUs that are left, skip most nodes of any policy with several entries. */
function isUnexpected({ reason, entry }: SkippedEntry, layouts: readonly PolicyLayout[]): boolean {
  return reason === 'Taken' ? layouts[entry]?.gpus !== undefined : reason !== 'NoGpuMatches';
}

function bringInLine(situation: Situation, policy: GpuPartitionPolicy, verdict: Verdict): Outcome {
  // 1. What NVIDIA's own tools will make of this device.
  const predicted = predict(situation, policy);
  const { resources, errors } = predicted.offer;
  // Missing labels because of an error must never be read as "remove all labels".
  const isDra = backendOf(situation) === 'DRA';
  const problem = predicted.errors[0] ?? (isDra ? findDriverProblem(situation) : errors[0]);
  if (problem) return leaveOpen('Failed', 'Refused', `${problem.message}. ${problem.advice}`);
  // 2. The plugin's settings first, and the pods that read the devices only when they start.
  const configuring = configurePlugin(situation);
  if (configuring) return configuring;
  // 3. The node must offer exactly this before pods may come: never a slice that does not exist.
  const stale = listStaleLabels(situation, predicted);
  const labels = layoutLabels(situation, predicted);
  const marks = combine(labels, stale.length > 0 && !isDra ? holdPlugin(situation) : {});
  const fenced = refreshPlugin(situation, { resources, policy, marks });
  if ('needs' in fenced || ('verdict' in fenced && fenced.leavesAlone === true)) return fenced;
  const restarts = restartHolders(situation);
  if ('needs' in restarts) return restarts;
  // On a node that is open but offers nothing, labels follow a device that changes once more.
  const { node } = situation;
  const following = isUnfinished(node) && !isClosed(node) ? [patch(labels)] : [];
  if ('verdict' in fenced) {
    return alsoWaits(alsoDoes(fenced, ...following, ...restarts.commands), restarts.waits);
  }
  // Its machine may be restarting, without the layout: a node on which nothing runs yet can wait for its kubelet.
  const silent = hasStartupTaint(node) ? nodeNotReady(node) : undefined;
  if (silent) return alsoWaits(silent, fenced.waits);
  // 4. Labels and opening, in one write.
  const opened = open(situation, policy, { predicted, labels, stale }, verdict);
  return alsoWaits(alsoDoes(opened, ...restarts.commands), { ...fenced.waits, ...restarts.waits });
}

/** What ends the DRA driver is none of the policy's doing: an instance of somebody else's. */
function findDriverProblem({
  partition,
}: Situation): { readonly message: string; readonly advice: string } | undefined {
  const { problem } = publishDevices(partition.status?.device ?? {});
  if (problem === undefined) return undefined;
  return {
    message: `NVIDIA’s DRA driver exits on this node, for all of its GPUs: ${problem}`,
    advice:
      'Give each GPU instance one compute instance over all of it; a policy with backend DRA does so for the GPUs that it covers',
  };
}

interface Labelling {
  /** What NVIDIA's tools make of the device. */
  readonly predicted: Prediction;
  /** The labels to write, if they are ours. */
  readonly labels: NodeChange;
  /** Labels that GPU Feature Discovery has not updated yet. */
  readonly stale: readonly StaleLabel[];
}

function open(
  situation: Situation,
  policy: GpuPartitionPolicy,
  { predicted, labels, stale }: Labelling,
  verdict: Verdict,
): Ruling {
  const { node, partition, settings } = situation;
  const marks = combine(readyNode(policy.metadata.name, partition.status?.device?.gpus ?? []), {
    annotations: { [holdersAnnotation]: undefined },
  });
  if (writerModeFor(situation) === 'Patch') {
    return { ifClosed: 'Opens', verdict, commands: [patch(combine(labels, marks))] };
  }
  const handedOver = handOver(metadataOf(node), Object.keys(dropInvalidLabels(predicted.labels)));
  if (stale.length === 0) return { ifClosed: 'Opens', verdict, commands: [patch(combine(handedOver, marks))] };
  // GPU Feature Discovery may never come back; what the node offers is right.
  const { lastsMs, waits } = waitFor(situation, 'Labels');
  const isOverdue = lastsMs > settings.advertiseDeadlineMs;
  const opensInMs = isClosed(node) ? patienceForLabels(situation) - lastsMs : Infinity;
  const opening = isOverdue ? reopenNode('failed') : opensInMs <= 0 ? reopenNode('waiting') : {};
  return {
    verdict: {
      ...(isOverdue ? { phase: 'Failed' } : { phase: 'Updating', transient: true }),
      requeueAfterMs: opensInMs > 0 ? Math.min(5000, opensInMs + 10) : 5000,
      reason: 'LabelsStale',
      message: `GPU Feature Discovery has not published the layout yet: ${describeStaleLabels(stale)}; it updates labels at start and every 60 s: is its pod running?`,
    },
    commands: [patch(combine(handedOver, opening))],
    waits,
    ifClosed: 'Stays',
  };
}

/**
 * How long a closed node that offers exactly what it should waits for GPU Feature Discovery, in ms. A claim gets a device by its slices,
 * whatever the labels say. And a pod that does not tolerate our taint, and had to go for a change of the MIG mode, comes back only to a node
 * that is open.
 */
function patienceForLabels(situation: Situation): number {
  if (backendOf(situation) === 'DRA') return 3_000;
  const { pods } = situation;
  return pods === undefined || discoveryPods(situation, pods).length > 0 ? Infinity : 30_000;
}

/** Pods that read the devices before they were done are replaced, once. Nothing waits for them. */
function restartHolders(
  situation: Situation,
): { readonly commands: readonly Command[]; readonly waits?: Waits | undefined } | { readonly needs: 'Pods' } {
  const { node, pods } = situation;
  const note = node.metadata.annotations?.[holdersAnnotation];
  if (note === undefined || resumeWait(situation, 'HoldersRestarted', note) !== undefined) return { commands: [] };
  if (pods === undefined) return { needs: 'Pods' };
  const uids = readHoldersMark(note);
  const old = pods.filter(({ metadata }) => uids.includes(metadata.uid ?? ''));
  const staying = discoveryThatWouldStayAway(situation, old);
  const going = old.filter((pod) => !staying.includes(pod));
  // Evictions that a disruption budget refuses are repeated as long as the node is not open.
  const isDone = staying.length === 0 && going.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    commands: evictPods(situation, going).map((command) => ({ ...command, isHolder: true as const })),
    waits: isDone ? waitFor(situation, 'HoldersRestarted', note).waits : undefined,
  };
}

/**
 * GPU Feature Discovery updates its labels every minute by itself. Evicted from a closed node, it would not come back unless it
 * tolerates the taint, be it ours or the node pool's, and the labels for which the node waits would never be right.
 */
function discoveryThatWouldStayAway(situation: Situation, pods: readonly PodView[]): readonly PodView[] {
  const taints = (situation.node.spec?.taints ?? []).filter(isOwnTaint);
  return discoveryPods(situation, pods).filter((pod) =>
    taints.some((taint) => !tolerates(pod.spec?.tolerations, taint)),
  );
}

function discoveryPods(situation: Situation, pods: readonly PodView[]): readonly PodView[] {
  const discovery = situation.settings.gpuHolders.find(({ name }) => name === 'gpu-feature-discovery');
  return discovery === undefined ? [] : holderPods(discovery, clusterPods(situation, pods));
}

/**
 * Keeps the device plugin away until GPU Feature Discovery has relabelled the node: a node that is open but offers nothing
 * would have new slices under outdated labels as soon as the plugin is back.
 */
function holdPluginBack(
  situation: Situation,
  policy: GpuPartitionPolicy,
): { readonly isAway: boolean; readonly waits: Waits } | undefined {
  const { node, settings } = situation;
  const [label, ...others] = pausedLabels(metadataOf(node));
  const isHeld = label === pluginDeployLabel && others.length === 0 && !isClosed(node);
  if (!isHeld || listStaleLabels(situation, predict(situation, policy)).length === 0) return undefined;
  const { lastsMs, waits } = waitFor(situation, 'PluginHeld');
  return { isAway: lastsMs <= settings.advertiseDeadlineMs, waits };
}

/** Keeps the plugin away with the label by which gpu-operator deploys it, if there is one. */
function holdPlugin({ node }: Situation): NodeChange {
  const isDeployed = node.metadata.labels?.[pluginDeployLabel] === 'true';
  return isDeployed ? { borrow: { [pluginDeployLabel]: pausedForMigChange } } : {};
}

function patch(change: NodeChange): Command {
  return { name: 'PatchNode', change };
}
