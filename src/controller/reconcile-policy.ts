import { policies } from '../api/resources.ts';
import type { GpuPartitionPolicy, PolicyStatus } from '../api/types.ts';
import { listRefused, type PolicyRecord } from '../core/policy/fleet.ts';
import { setConditions } from '../core/status/conditions.ts';
import { type PolicyFacts, policyStatus, type PolicyStatusDraft } from '../core/status/policy-status.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { timeText } from '../core/text/time.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';
import { Turn } from '../process/turn.ts';

type Policy = GpuPartitionPolicy & KubeObject;

/** Accepts a policy's generations, and writes its status from what was found of its nodes. */
export class PolicyReconciler {
  readonly #client: KubeClient;
  readonly #cluster: Cluster;
  readonly #events: EventRecorder;
  readonly #requeueNodes: (names: Iterable<string>) => void;
  readonly #now: () => number;

  constructor(parts: {
    readonly client: KubeClient;
    readonly cluster: Cluster;
    readonly events: EventRecorder;
    readonly requeueNodes: (names: Iterable<string>) => void;
    readonly now: () => number;
  }) {
    this.#client = parts.client;
    this.#cluster = parts.cluster;
    this.#events = parts.events;
    this.#requeueNodes = parts.requeueNodes;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<void> {
    const policy = this.#cluster.policies.get(name);
    const record = this.#cluster.fleet.policy(name);
    if (!policy || !record || record.policy.metadata.generation !== policy.metadata.generation) return;
    // 1. A new generation is accepted when every node that has reported can take it.
    const { generation } = policy.metadata;
    const isNew = record.acceptedGeneration !== generation && record.refusal === undefined;
    const isComplete = !isNew || (await this.#check(record));
    // Edited meanwhile: the newer one is in the queue.
    if (!isComplete || this.#cluster.fleet.policy(name) !== record) return;
    const isAccepted = !isNew || record.refused.size === 0;
    const accepted = isNew && isAccepted ? generation : record.acceptedGeneration;
    // 2. Report. What is accepted is written before anything of it starts.
    await this.#write(policy, policyStatus(factsOf(record, accepted, isAccepted), record.tally));
    record.acceptedGeneration = accepted;
    const told = isNew && !isAccepted ? listRefused(record) : undefined;
    if (!isNew || (!isAccepted && told === record.toldRefusal)) return;
    record.toldRefusal = told;
    this.#requeueNodes(record.nodes);
  }

  /** Asks each node whether it can take the policy, a few at a time. @returns false where the policy was edited meanwhile */
  async #check(record: PolicyRecord): Promise<boolean> {
    const { fleet, partitions } = this.#cluster;
    const turn = new Turn();
    for (const node of record.unchecked) {
      fleet.claimOf(node, partitions.get(node));
      await turn.pause();
      if (fleet.policy(record.policy.metadata.name) !== record) return false;
    }
    return true;
  }

  async #write(policy: Policy, draft: PolicyStatusDraft): Promise<void> {
    const now = timeText(this.#now());
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
    const ref = { resource: policies, name: policy.metadata.name };
    const written = await this.#client.applyStatus<Policy>(ref, status);
    this.#cluster.policies.remember(written);
    this.#announce(written, current);
  }

  #announce(policy: Policy, before: PolicyStatus | undefined): void {
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    const earlier = before?.conditions?.find(({ type }) => type === 'Ready');
    const isSame = ready?.reason === earlier?.reason && ready?.status === earlier?.status;
    if (!ready || isSame || ready.reason === 'Reconciling') return;
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

function factsOf(record: PolicyRecord, acceptedGeneration: number | undefined, isAccepted: boolean): PolicyFacts {
  const { policy, refusal, refused } = record;
  const [first] = refused.values();
  const words = listRefused(record);
  return {
    policy,
    refusal,
    acceptedGeneration,
    ...(!isAccepted && first && words !== undefined && { refusedBy: { reason: first.reason, message: words } }),
  };
}

/** A failure keeps its time as long as it is the same failure: else every look at it would be a write. */
function timeOf(
  failure: NonNullable<PolicyStatus['failures']>[number],
  current: PolicyStatus | undefined,
): string | undefined {
  return current?.failures?.find(({ node, reason }) => node === failure.node && reason === failure.reason)?.time;
}
