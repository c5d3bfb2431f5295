import type { PolicyReason } from '../../api/names.ts';
import type { GpuPartitionPolicy, Phase, PlanReport, PolicyStatus } from '../../api/types.ts';
import type { PolicyRefusal } from '../policy/refusal.ts';

/** One selected node as the policy's status counts it. */
export interface NodeOutcome {
  readonly node: string;
  /** The policy that won the node, where it is not this one. */
  readonly wonBy?: string;
  readonly phase: Phase;
  readonly reason: string;
  readonly message: string;
  readonly plan?: PlanReport;
  readonly inFlight?: NonNullable<PolicyStatus['inFlight']>[number];
}

/** A condition before it is merged with the one that is there. */
export interface ConditionDraft {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled' | 'Valid';
  readonly status: 'True' | 'False';
  readonly reason: PolicyReason;
  readonly message: string;
}

export type PolicyStatusDraft = Omit<PolicyStatus, 'conditions'> & { readonly conditions: readonly ConditionDraft[] };

const maxNames = 5;
const maxFailures = 50;
const maxInFlight = 500;

/** Status of a policy from what is known of its nodes; kstatus conditions. Pure: times are the caller's. */
export function policyStatus(
  policy: GpuPartitionPolicy,
  refusal: PolicyRefusal | undefined,
  outcomes: readonly NodeOutcome[],
): PolicyStatusDraft {
  const own = outcomes.filter(({ wonBy }) => wonBy === undefined);
  const count = (...phases: Phase[]) => own.filter(({ phase }) => phases.includes(phase)).length;
  const skipped = own.filter(({ reason }) => reason === 'NothingToDo').length;
  const nodes = {
    matched: outcomes.length,
    ready: count('Ready') - skipped,
    updating: count('Updating'),
    pending: count('Pending', 'Waiting', 'Invalid', 'Unmanaged'),
    failed: count('Failed'),
    conflicted: outcomes.length - own.length,
    skipped,
  };
  const conditions = conditionsOf(policy, refusal, outcomes);
  const generation = policy.metadata.generation;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    summary: summarise(nodes),
    conditions,
    nodes,
    plan: sumPlans(own),
    inFlight: own.flatMap(({ inFlight }) => inFlight ?? []).slice(0, maxInFlight),
    failures: own
      .filter(({ phase }) => phase === 'Failed')
      .slice(0, maxFailures)
      .map(({ node, reason, message }) => ({ node, reason, message: message.slice(0, 1024) })),
  };
}

function summarise(nodes: NonNullable<PolicyStatus['nodes']>): string {
  if (nodes.matched === 0) return 'no nodes';
  const parts = (['updating', 'pending', 'failed', 'conflicted', 'skipped'] as const)
    .filter((state) => (nodes[state] ?? 0) > 0)
    .map((state) => `${nodes[state]} ${state}`);
  return [`${nodes.ready}/${nodes.matched} ready`, ...parts].join(', ');
}

function sumPlans(outcomes: readonly NodeOutcome[]): NonNullable<PolicyStatus['plan']> {
  const plans = outcomes.flatMap(({ plan }) => plan ?? []);
  const sum = (pick: (plan: PlanReport) => number | undefined) =>
    plans.reduce((total, plan) => total + (pick(plan) ?? 0), 0);
  return {
    gpusChanging: sum((plan) => plan.gpusChanging),
    instancesKept: sum((plan) => plan.keep),
    instancesDestroyed: sum((plan) => plan.destroy),
    instancesCreated: sum((plan) => plan.create),
    podsToEvict: 0,
  };
}

type State = 'ready' | 'progressing' | 'stalled';

function conditionsOf(
  policy: GpuPartitionPolicy,
  refusal: PolicyRefusal | undefined,
  outcomes: readonly NodeOutcome[],
): readonly ConditionDraft[] {
  const valid: ConditionDraft = refusal
    ? { type: 'Valid', status: 'False', reason: refusal.reason, message: refusal.message }
    : { type: 'Valid', status: 'True', reason: 'Valid', message: 'every layout fits the GPUs that it can meet' };
  const { state, reason, message } = refusal
    ? { state: 'stalled' as const, reason: refusal.reason, message: `nothing is touched: ${refusal.message}` }
    : judgePolicy(policy, outcomes);
  const condition = (type: ConditionDraft['type'], holds: boolean): ConditionDraft => ({
    type,
    status: holds ? 'True' : 'False',
    reason,
    message,
  });
  return [
    condition('Ready', state === 'ready'),
    condition('Reconciling', state === 'progressing'),
    condition('Stalled', state === 'stalled'),
    valid,
  ];
}

function judgePolicy(
  policy: GpuPartitionPolicy,
  outcomes: readonly NodeOutcome[],
): { readonly state: State; readonly reason: PolicyReason; readonly message: string } {
  if (outcomes.length === 0) {
    return {
      state: 'ready',
      reason: 'NoNodes',
      message: 'no node matches spec.nodeSelector; nodes that join are partitioned',
    };
  }
  const lost = outcomes.filter(({ wonBy }) => wonBy !== undefined);
  if (lost.length > 0) {
    const message = `${listNodes(lost, ({ wonBy }) => `won by policy ${wonBy}`)}; the higher priority wins, then the older policy, then the name`;
    return { state: 'stalled', reason: 'Conflicted', message };
  }
  if (policy.spec.mode === 'Plan') {
    return {
      state: 'ready',
      reason: 'PlanOnly',
      message: 'mode Plan: status.plan says what would be done; nothing is changed',
    };
  }
  const failed = outcomes.filter(({ phase }) => phase === 'Failed');
  if (failed.length > 0) {
    return { state: 'stalled', reason: 'Failed', message: listNodes(failed, ({ message }) => message) };
  }
  const waiting = outcomes.filter(({ phase }) => phase === 'Waiting');
  if (waiting.length > 0) {
    return { state: 'progressing', reason: 'Waiting', message: listNodes(waiting, ({ message }) => message) };
  }
  const unfinished = outcomes.filter(({ phase }) => phase !== 'Ready');
  if (unfinished.length > 0) {
    return { state: 'progressing', reason: 'Reconciling', message: listNodes(unfinished, ({ message }) => message) };
  }
  const message =
    outcomes.length === 1
      ? 'the selected node is as the policy says'
      : `all ${outcomes.length} selected nodes are as the policy says`;
  return { state: 'ready', reason: 'Ready', message };
}

function listNodes(outcomes: readonly NodeOutcome[], say: (outcome: NodeOutcome) => string): string {
  const named = outcomes.slice(0, maxNames).map((outcome) => `${outcome.node}: ${say(outcome)}`);
  const more = outcomes.length > maxNames ? [`and ${outcomes.length - maxNames} more`] : [];
  return [...named, ...more].join('; ').slice(0, 4096);
}
