import { policies } from '../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { setConditions } from '../core/status/conditions.ts';
import { type NodeOutcome, policyStatus, type PolicyStatusDraft } from '../core/status/policy-status.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import { OwnWrites } from './own-writes.ts';
import type { World } from './world.ts';

/** Writes the status of a policy from what was found of its nodes. */
export class PolicyReconciler {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #events: EventRecorder;
  readonly #requeueNodes: (names: readonly string[]) => void;
  readonly #written: OwnWrites<GpuPartitionPolicy & KubeObject>;
  readonly #refusals = new Map<string, string | undefined>();

  constructor(parts: {
    readonly client: KubeClient;
    readonly world: World;
    readonly events: EventRecorder;
    readonly requeueNodes: (names: readonly string[]) => void;
  }) {
    this.#client = parts.client;
    this.#world = parts.world;
    this.#events = parts.events;
    this.#requeueNodes = parts.requeueNodes;
    this.#written = new OwnWrites(parts.world.policies);
  }

  async reconcile(name: string): Promise<void> {
    // 1. Gather.
    const policy = this.#written.get(name);
    if (!policy) {
      this.#refusals.delete(name);
      return;
    }
    const { nodes, refusals } = this.#world.fleet;
    const refusal = refusals.get(name);
    const outcomes: NodeOutcome[] = [];
    for (const [node, { winner, losers }] of nodes) {
      if (winner?.metadata.name === name) outcomes.push(this.#outcome(node, policy));
      else if (losers.some(({ metadata }) => metadata.name === name)) {
        outcomes.push({ ...this.#outcome(node, policy), wonBy: winner?.metadata.name ?? '' });
      }
    }
    // 2. One node's refusal stops all nodes of the policy, and its end lets them go on.
    if (this.#refusals.get(name) !== refusal?.message) {
      this.#refusals.set(name, refusal?.message);
      this.#requeueNodes(outcomes.map(({ node }) => node));
    }
    // 3. Report.
    await this.#write(policy, policyStatus(policy, refusal, outcomes));
  }

  #outcome(node: string, { metadata }: GpuPartitionPolicy): NodeOutcome {
    const partition = this.#world.partitions.get(node);
    const verdict = this.#world.verdicts.get(node);
    // Never Ready because of the past.
    const isCurrent =
      verdict?.policy === metadata.name &&
      verdict.generation === metadata.generation &&
      verdict.nodeUID === this.#world.nodes.get(node)?.metadata.uid;
    const { phase, reason, message } =
      verdict && isCurrent
        ? verdict
        : { phase: 'Pending' as const, reason: 'AwaitingPlan', message: 'not looked at yet' };
    const plan = partition?.status?.device?.plan;
    const inFlight = partition && inFlightOf(partition);
    return { node, phase, reason, message, ...(plan ? { plan } : {}), ...(inFlight ? { inFlight } : {}) };
  }

  async #write(policy: GpuPartitionPolicy & KubeObject, draft: PolicyStatusDraft): Promise<void> {
    const now = new Date().toISOString();
    const current = policy.status;
    const generation = policy.metadata.generation;
    const drafts = draft.conditions.map((condition) => ({
      ...condition,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }));
    const conditions = setConditions(current?.conditions ?? [], drafts, now);
    const failures = (draft.failures ?? []).map((failure) => ({ ...failure, time: timeOf(failure, current) ?? now }));
    const status: PolicyStatus = { ...draft, conditions: [...conditions], failures };
    if (sameJson(status, { inFlight: [], failures: [], ...current })) return;
    const { name } = policy.metadata;
    const written = await this.#client.applyStatus<GpuPartitionPolicy & KubeObject>(
      { resource: policies, name },
      status,
    );
    this.#written.remember(written);
    this.#announce(written, current);
  }

  #announce(policy: GpuPartitionPolicy & KubeObject, before: PolicyStatus | undefined): void {
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    const earlier = before?.conditions?.find(({ type }) => type === 'Ready');
    if (
      !ready ||
      (ready.reason === earlier?.reason && ready.status === earlier.status) ||
      ready.reason === 'Reconciling'
    )
      return;
    this.#events.record({
      object: policy,
      resource: policies,
      type: ready.status === 'True' ? 'Normal' : 'Warning',
      reason: ready.reason,
      action: 'Reconcile',
      message: ready.message,
    });
  }
}

function inFlightOf(partition: GpuNodePartition): NodeOutcome['inFlight'] {
  const { granted, nodeUID } = partition.spec;
  if (!granted || (partition.status?.device?.observedEpoch ?? 0) >= granted.epoch) return undefined;
  return { node: partition.metadata.name, nodeUID, epoch: granted.epoch, deadline: granted.deadline };
}

/** A failure keeps its time as long as it is the same failure: else every look at it would be a write. */
function timeOf(
  failure: NonNullable<PolicyStatus['failures']>[number],
  current: PolicyStatus | undefined,
): string | undefined {
  return current?.failures?.find(({ node, reason }) => node === failure.node && reason === failure.reason)?.time;
}
