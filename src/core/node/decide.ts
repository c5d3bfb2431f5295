import { gpuPresenceLabel } from '../../api/names.ts';
import { releaseNode } from './node-marks.ts';
import { isUnfinished, metadataOf } from './node-view.ts';
import { planRelease } from './release.ts';
import { combine } from '../metadata/node-change.ts';
import { patchNode } from '../metadata/node-patch.ts';
import { pausedLabels } from '../pods/gpu-holders.ts';
import type { Command } from './commands.ts';
import { grantFailureOf, isGrantLive, keepFailure } from './grant-failure.ts';
import { type NodeMemory, WaitList } from './memory.ts';
import { askInOrder, type Outcome, type Rule, type Ruling } from './outcome.ts';
import { agentSilent, deviceUnreadable, driverReplaced, noGpus, notReadSinceBoot } from './rules/agent.ts';
import { agentSkewed } from './rules/agent-version.ts';
import { agentAway } from './rules/agent-away.ts';
import { finish } from './rules/finish.ts';
import { followDevice } from './rules/follow-device.ts';
import { grant } from './rules/grant.ts';
import { grantInFlight, grantUnanswered } from './rules/grant-in-flight.ts';
import { markLasting, openIdle } from './rules/open.ts';
import {
  drifting,
  nodeUnavailable,
  paused,
  planMissing,
  planOnly,
  planRefused,
  resting,
  retryLater,
} from './rules/plan.ts';
import { nodeRefused, noPolicy, policyRefused } from './rules/policy.ts';
import { noteFreshPlugin } from './rules/refresh-plugin.ts';
import { isUntouched } from './rules/untouched.ts';
import { isDeviceDone, policyOutdated, wishOutdated } from './rules/wish.ts';
import type { Look, NodeSnapshot, Situation } from './snapshot.ts';
import { describeStanding, standAside, type Standing } from './standing.ts';
import type { Verdict } from './verdict.ts';

/** What becomes of a node: what is said of it, what is done, and what is remembered. */
export type Decision =
  /** More has to be read first; then the same is asked again. */
  | { readonly look: Look }
  | {
      readonly verdict: Verdict;
      readonly commands: readonly Command[];
      readonly memory: NodeMemory;
      /** How the node stands towards the rollout of its policy. */
      readonly standing: Standing;
    };

/** In order of precedence: the first that has something to say decides. */
const rules: readonly Rule[] = [
  grantInFlight,
  grantUnanswered,
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
  wishOutdated,
  finish,
  planOnly,
  agentSkewed,
  planMissing,
  planRefused,
  resting,
  retryLater,
  drifting,
  paused,
  nodeUnavailable,
  grant,
];

/**
 * Decides what happens next on a node, from what was read and what is remembered of it. Pure: the same snapshot and memory give the
 * same answer, and an unchanged world gives no command.
 */
export function decide(snapshot: NodeSnapshot, memory: NodeMemory): Decision {
  const { partition } = snapshot;
  if (partition === undefined || partition.spec.nodeUID !== snapshot.node.metadata.uid) {
    return { ...decidePartition(snapshot), memory, standing: standAside(snapshot) };
  }
  const waits = new WaitList(memory.waits, snapshot.now);
  const situation: Situation = { ...snapshot, partition, memory, waits };
  const outcome = judge(situation);
  if ('look' in outcome) return outcome;
  const { verdict } = outcome;
  const commands = dropVain(snapshot, joinPatches(outcome.commands ?? []));
  if (snapshot.fresh === undefined && opensNode(commands)) return { look: 'All' };
  waits.lasts('Reason', verdict.reason);
  const failure = grantFailureOf(situation);
  // Whatever keeps the node waiting meanwhile: how often its pods did not go is no news before they have gone.
  if (verdict.phase !== 'Ready') waits.resume('DrainRest');
  if (failure && verdict.phase !== 'Ready') waits.put('GrantFailed', keepFailure(failure));
  const standing = describeStanding(situation, outcome);
  return {
    verdict,
    commands: [...commands, ...endDrain(situation, standing, commands)],
    memory: { waits: waits.waits, evictions: keepKnown(memory, snapshot) },
    standing,
  };
}

function judge(situation: Situation): Outcome {
  // Whichever rule speaks: a wait that nobody asks for ends.
  isUntouched(situation);
  const outcome = askInOrder(rules, situation);
  if (outcome === undefined) throw new Error('no rule has anything to say of this node');
  if ('look' in outcome) return outcome;
  return resumeHolders(situation, outcome) ?? openMarked(situation, outcome);
}

function openMarked(situation: Situation, ruling: Ruling): Outcome {
  const opened = openIdle(situation, ruling);
  return 'look' in opened ? opened : followDevice(situation, markLasting(situation, opened));
}

/** GPU holders that are away because of us come back as soon as no grant needs that, whatever became of the grant. */
function resumeHolders(situation: Situation, { verdict, keepsHoldersAway }: Ruling): Ruling | undefined {
  const paused = pausedLabels(metadataOf(situation.node));
  if (paused.length === 0 || keepsHoldersAway === true) return undefined;
  const isDone = isDeviceDone(situation);
  const isFinishing = isDone && (verdict.phase === 'Ready' || verdict.phase === 'Updating');
  return {
    verdict: { ...(isFinishing ? comingBack : verdict), requeueAfterMs: 250 },
    commands: [{ name: 'PatchNode', change: combine({ giveBack: paused }, isDone ? noteFreshPlugin(situation) : {}) }],
  };
}

const comingBack = {
  phase: 'Updating',
  reason: 'AdvertisePending',
  message: 'the GPU holders are coming back',
  transient: true,
} as const satisfies Verdict;

/** The object of the node: made for a node with GPUs, and made anew where it belongs to an earlier node of the same name. */
function decidePartition({ partition, node, claim }: NodeSnapshot): {
  readonly verdict: Verdict;
  readonly commands: readonly Command[];
} {
  const verdict: Verdict = {
    phase: 'Pending',
    reason: 'AgentNotReporting',
    message: 'the agent on this node has not reported its GPUs yet',
    transient: true,
  };
  const soon = { ...verdict, requeueAfterMs: 1000 };
  if (partition !== undefined) {
    // The old object must not tell the new node's agent what to do.
    return { verdict: soon, commands: [{ name: 'DeletePartition', uid: partition.metadata.uid ?? '' }] };
  }
  // Where the API has no such objects any more none can be made, and what is on the node has to go all the same. A closed one waits for its agent's word.
  const isMarked =
    claim.winner === undefined && !isUnfinished(node) && planRelease(node, undefined, 0).state === 'Marked';
  const released: readonly Command[] = isMarked ? [{ name: 'PatchNode', change: releaseNode() }] : [];
  const isGpuNode = claim.winner !== undefined || node.metadata.labels?.[gpuPresenceLabel] === 'true';
  if (!isGpuNode || node.metadata.uid === undefined) return { verdict, commands: released };
  return { verdict: soon, commands: [...released, { name: 'CreatePartition' }] };
}

/** Of pods that are gone nothing has to be remembered, but of those whose owner may make others in their place. */
function keepKnown({ evictions }: NodeMemory, { pods, slot }: NodeSnapshot): NodeMemory['evictions'] {
  if (pods === undefined || slot !== undefined) return evictions;
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  return Object.fromEntries(Object.entries(evictions).filter(([uid]) => uids.has(uid)));
}

/** Nobody is told to go any more. */
function endDrain(
  { partition, now }: Situation,
  { isUnderWay }: Standing,
  commands: readonly Command[],
): readonly Command[] {
  const isWritten = commands.some(
    ({ name }) => name === 'WriteWish' || name === 'WriteDrain' || name === 'DeletePartition',
  );
  if (partition.spec.drain === undefined || isUnderWay || isWritten || isGrantLive(partition, now)) return [];
  return [{ name: 'WriteDrain', drain: null }];
}

/** A Node that is as it shall be is not written, and nobody is told that it was opened which was open. */
function dropVain({ node }: NodeSnapshot, commands: readonly Command[]): readonly Command[] {
  const metadata = metadataOf(node);
  return commands.flatMap((command): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    const { removeTaints = [] } = command.change;
    const present = removeTaints.filter((removed) => metadata.taints.some(({ key }) => key === removed));
    const change = { ...command.change, removeTaints: present };
    return patchNode(metadata, change).length > 0 ? [{ name: 'PatchNode', change }] : [];
  });
}

/** Pods come at once: that cannot be taken back. */
function opensNode(commands: readonly Command[]): boolean {
  return commands.some((command) => command.name === 'PatchNode' && (command.change.removeTaints?.length ?? 0) > 0);
}

/** One write for all that changes on the Node: a second one would start from what is no longer there. */
function joinPatches(commands: readonly Command[]): readonly Command[] {
  const changes = commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []));
  if (changes.length < 2) return commands;
  const last = commands.findLastIndex(({ name }) => name === 'PatchNode');
  return commands.flatMap((command, index): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    return index === last ? [{ name: 'PatchNode', change: combine(...changes) }] : [];
  });
}
