import { gpuPresenceLabel } from '../../../api/names.ts';
import { describeRefusal } from '../../policy/resolve-node.ts';
import { backendOf, isPolicyCurrent, isUnfinished, wishOf } from '../snapshot.ts';
import {
  askInOrder,
  waitOpen,
  type Outcome,
  waitClosed,
  type Ruling,
  type RuleInput,
  type WishFields,
} from '../commands.ts';
import { knownStrategy, backendToTell, findBackend } from './backend.ts';
import type { GpuWish, PolicyLayout, Wish } from '../../../api/types.ts';
import { scheduleOf } from '../../policy/versions.ts';
import { deviceMeets, meetsWish, wishHash } from '../../device/plan.ts';
import { countWords } from '../../text/words.ts';
import { deepEqual } from '../../text/json.ts';
import { driftEndsAt, retryAskedWith } from '../grants.ts';

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
  const message = 'no policy selects this node; it keeps its layout';
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

/** Created for a policy that selected a node without GPUs: it is deleted with the policy. */
function isDisposable({ node, partition }: RuleInput): boolean {
  const { gpus = [], lastGood } = partition.status?.device ?? {};
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  return !isMarked && gpus.length === 0 && (lastGood?.gpus ?? []).length === 0 && partition.spec.granted === undefined;
}

/** Whether the policy that selects the node cannot be followed as it was read, and why. */
export function policyUnusable(situation: RuleInput): Outcome | undefined {
  return askInOrder([policyRefused, policyOutdated], situation);
}

/** Tells the node's agent what the policy wants of it, where that can be told and is not told yet. */
export function tellWish(situation: RuleInput): Outcome | undefined {
  return askInOrder([nodeRefused, findBackend, gpusGone, wishOutdated], situation);
}

/** The policy has no generation that counts here, and no other policy wants the node: nothing is done, and why is said. */
export function policyRefused({ claim }: RuleInput): Ruling | undefined {
  const { winner, isInForce, hold } = claim;
  if (!winner || isInForce || hold === undefined) return undefined;
  if (hold.kind === 'Checking') return waitClosed('Pending', 'AwaitingPlan', hold.message);
  return waitOpen('Invalid', 'PolicyInvalid', `${hold.message}. Nothing is touched`);
}

/** What is in line with the generation in force stays so; nothing that is not starts to change. */
export function onHold({ claim }: RuleInput): Ruling | undefined {
  const { winner, hold } = claim;
  if (hold === undefined) return undefined;
  if (hold.kind === 'Checking') return waitClosed('Pending', 'AwaitingPlan', hold.message);
  const reason = hold.kind === 'Plan' ? 'PlanOnly' : 'PolicyInvalid';
  const message = `${hold.message}. The node does not match generation ${winner?.metadata.generation}, and no change to it starts`;
  return waitOpen('Pending', reason, message);
}

/** Refuses a policy that this node cannot match; no other node is blocked. */
function nodeRefused({ claim }: RuleInput): Ruling | undefined {
  const { wish } = claim;
  if (!wish || !('refusal' in wish)) return undefined;
  const { reason, message } = describeRefusal(wish);
  return waitOpen('Invalid', reason, `${message}. Nothing on this node is touched`);
}

/**
 * A list of policies may come from a server that lags: a generation lower than the one that this node already serves is outdated, unless
 * the API server itself has it told. The generation that the node serves was undone by a restore from a backup, or it only planned, and
 * the one after it is not accepted.
 */
function policyOutdated(situation: RuleInput): Outcome | undefined {
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

export const awaitingPlan = 'waiting for the agent’s plan';

/** Writes in one go which policy decides, and the layout that each GPU is to get. */
export function wishOutdated(situation: RuleInput): Ruling | undefined {
  const { claim, partition, now } = situation;
  const { winner } = claim;
  const wish = wishOf(situation);
  if (!winner || !wish) return undefined;
  const { name, uid, generation = 0 } = winner.metadata;
  const { spec } = partition;
  const backend = backendToTell(situation);
  const schedule = winner.spec.demand && scheduleOf(winner.spec);
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
    ...waitClosed('Pending', 'AwaitingPlan', awaitingPlan, isPlanned ? 10 : undefined),
    commands: [{ name: 'WriteWish', fields }],
  };
}

/** Whether somebody has asked for a retry since the node was left alone because something else changes its GPUs. */
function isRetryAsked({ memory, node }: RuleInput): boolean {
  const { Drift: wait } = memory.waits;
  return wait !== undefined && wait.of !== retryAskedWith(node);
}

/** Whether the policy that decides has mode Plan. */
export function onlyPlans({ claim }: Pick<RuleInput, 'claim'>): boolean {
  return claim.winner?.spec.mode === 'Plan';
}

/** Whether the device matches the policy, as far as GPU instances are concerned. */
export function isDeviceDone(situation: RuleInput): boolean {
  const wish = wishOf(situation);
  return wish !== undefined && deviceMeets(situation.partition.status?.device?.gpus ?? [], wish.gpus);
}
