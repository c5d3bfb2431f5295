import { gpuPresenceLabel } from '../../../api/names.ts';
import { describeRefusal } from '../../policy/claim.ts';
import { backendOf } from '../backend.ts';
import { isUnfinished } from '../node-view.ts';
import { leaveOpen, type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { knownStrategy } from './current-offer.ts';

/** No policy selects the node: it keeps its layout. A missing policy is never a wish. */
export function noPolicy(situation: Situation): Outcome | undefined {
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
function isDisposable({ node, partition }: Situation): boolean {
  const { gpus = [], lastGood } = partition.status?.device ?? {};
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  return !isMarked && gpus.length === 0 && (lastGood?.gpus ?? []).length === 0 && partition.spec.granted === undefined;
}

/** The policy has no generation that counts here, and no other policy wants the node: nothing is done, and why is said. */
export function policyRefused({ claim }: Situation): Ruling | undefined {
  const { winner, isInForce, hold } = claim;
  if (!winner || isInForce || hold === undefined) return undefined;
  if (hold.kind === 'Checking') return passing('Pending', 'AwaitingPlan', hold.message);
  return leaveOpen('Invalid', 'PolicyInvalid', `${hold.message}. Nothing is touched`);
}

/** What is in line with the generation in force stays so; nothing that is not starts to change. */
export function onHold({ claim }: Situation): Ruling | undefined {
  const { winner, hold } = claim;
  if (hold === undefined) return undefined;
  if (hold.kind === 'Checking') return passing('Pending', 'AwaitingPlan', hold.message);
  const reason = hold.kind === 'Plan' ? 'PlanOnly' : 'PolicyInvalid';
  const message = `${hold.message}. The node does not match generation ${winner?.metadata.generation}, and no change to it starts`;
  return leaveOpen('Pending', reason, message);
}

/** This node cannot match its policy, and blocks no other node. */
export function nodeRefused({ claim }: Situation): Ruling | undefined {
  const { wish } = claim;
  if (!wish || !('refusal' in wish)) return undefined;
  const { reason, message } = describeRefusal(wish);
  return leaveOpen('Invalid', reason, `${message}. Nothing on this node is touched`);
}
