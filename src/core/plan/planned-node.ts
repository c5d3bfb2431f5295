import type { NodeReason } from '../../api/names.ts';
import type { EvictionOutlook } from './eviction-outlook.ts';
import { describeGpus, type GpuOutlook } from './gpu-outlook.ts';
import type { NodeOutlook } from './node-outlook.ts';
import type { Waves } from './waves.ts';

/**
 * What becomes of a node. `Changes`: in one of the waves. `Held`: it would, but its rollout does not continue by itself. `PlanOnly`:
 * the policy changes nothing. `UnderWay`: it is changing now, and is planned again when that has ended. `Waits`: for something
 * temporary. `Refused`: it cannot take the policy. `OtherPolicy`: another policy has won it, as before. `Released`: no policy
 * selects it any more.
 */
export type NodeFate =
  'Changes' | 'Held' | 'PlanOnly' | 'UnderWay' | 'Waits' | 'Refused' | 'Done' | 'OtherPolicy' | 'Released';

export interface PlannedNode {
  readonly node: string;
  /** The policy that decides over it. */
  readonly policy?: string;
  readonly fate: NodeFate;
  /** The controller's reason, as in a condition. */
  readonly reason: NodeReason;
  readonly message: string;
  /** Whether this change concerns it: its policy is new or edited, or another one than before. */
  readonly isAffected: boolean;
  /** From 1. */
  readonly wave?: number;
  /** As in `status.device.plan`, once the agent has planned. */
  readonly plan?: {
    readonly hash: string;
    readonly keep: number;
    readonly destroy: number;
    readonly create: number;
  };
  readonly gpus: readonly GpuOutlook[];
  readonly evictions: readonly EvictionOutlook[];
}

/** Whether a node belongs to the given policies, or changes because of them, unless another policy had won it before. */
export function isConcerned(outlook: NodeOutlook | undefined, { all }: GivenPolicies): boolean {
  const winner = outlook?.snapshot.claim.winner?.metadata.name;
  return winner === undefined || all.has(winner) || outlook?.isTold === true;
}

/** The policies whose change is planned, by name. */
export interface GivenPolicies {
  readonly all: ReadonlySet<string>;
  /** Those that are new or edited. */
  readonly changed: ReadonlySet<string>;
}

export function describeNode(
  outlook: NodeOutlook,
  evictions: readonly EvictionOutlook[],
  { waves, held }: Waves,
  given: GivenPolicies,
): PlannedNode {
  const { snapshot, plan, verdict } = outlook;
  const { node, partition, claim } = snapshot;
  const { name } = node.metadata;
  const policy = claim.winner?.metadata.name;
  const wave = waves.findIndex(({ nodes }) => nodes.includes(name));
  const fate = wave === -1 ? judgeFate(outlook, given) : 'Changes';
  const hold = fate === 'Held' && policy !== undefined ? held.get(policy) : undefined;
  const moves = fate === 'Changes' || fate === 'Held' || fate === 'PlanOnly';
  return {
    node: name,
    ...(policy !== undefined && { policy }),
    fate,
    reason: verdict.reason,
    isAffected: outlook.isTold || policy === undefined || given.changed.has(policy),
    message: hold ?? (fate === 'OtherPolicy' ? explainWinner(policy ?? '') : verdict.message),
    ...(wave !== -1 && { wave: wave + 1 }),
    ...(plan && { plan: countPlan(plan.report) }),
    gpus: describeGpus(partition?.status?.device ?? {}, moves ? plan : undefined),
    // A node may wait because of these.
    evictions: moves ? evictions : evictions.filter(({ fate: end }) => end === 'Stays'),
  };
}

function judgeFate(outlook: NodeOutlook, given: GivenPolicies): NodeFate {
  const { snapshot, plan, verdict, rolloutState } = outlook;
  if (snapshot.claim.winner === undefined) return 'Released';
  if (!isConcerned(outlook, given)) return 'OtherPolicy';
  if (rolloutState.isUnderWay) return 'UnderWay';
  if (rolloutState.request !== undefined) return 'Held';
  if (verdict.reason === 'PlanOnly') return plan?.report.refusal === undefined ? 'PlanOnly' : 'Refused';
  if (verdict.phase === 'Failed' || verdict.phase === 'Invalid') return 'Refused';
  const isDone = verdict.phase === 'Ready' || (verdict.phase === 'Updating' && plan?.work.length === 0);
  return isDone ? 'Done' : 'Waits';
}

function explainWinner(policy: string): string {
  return `policy ${policy} applies to this node, as before: it has the higher priority, or is older`;
}

function countPlan({
  hash,
  keep,
  destroy,
  create,
}: NonNullable<NodeOutlook['plan']>['report']): NonNullable<PlannedNode['plan']> {
  return { hash, keep, destroy, create };
}
