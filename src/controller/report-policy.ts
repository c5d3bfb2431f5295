import { definedOnly } from '../core/text/defined-fields.ts';
import { statusBounds } from '../api/generated/gpu-partition-policy.bounds.ts';
import { policies } from '../api/resources.ts';
import type { PolicyReason } from '../api/names.ts';
import type { GpuPartitionPolicy, PolicyStatus } from '../api/types.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import type { PolicyTally } from '../core/policy/tally.ts';
import { setConditions } from '../core/status/conditions.ts';
import { isNews } from '../core/status/policy-news.ts';
import type { PolicyStatusDraft } from '../core/status/policy-status.ts';
import { noteWrite, writeDueInMs } from '../core/policy/write-pace.ts';
import { fitWithin } from '../core/text/cut-text.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { timeText } from '../core/text/duration.ts';
import { ApiError, orRefusal } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventNote, EventRecorder } from '../kube/events.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Cluster } from './cluster.ts';

type Policy = GpuPartitionPolicy & KubeObject;

const mostLeft = 10;
/** A status that is refused is sent again after so long, in ms, unless there is news. */
export const refusedMs = 60_000;
/** Reasons of a rollout that is not stalled, but may need somebody to continue. A pause, a window or a soak was asked for. */
const blocked: ReadonlySet<string> = new Set<PolicyReason>(['Waiting', 'NodesUnavailable']);

interface Parts {
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly events: EventRecorder;
  readonly now: () => number;
}

/** Writes what was found on a policy's nodes to its status, and as Events. */
export class PolicyReporter {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @returns in how many ms the status may be written, if it was written too often lately, or is refused */
  async tell(record: PolicyRecord, policy: Policy, draft: PolicyStatusDraft): Promise<number | undefined> {
    const nowMs = this.#parts.now();
    const now = timeText(nowMs);
    const current = policy.status;
    const observed = definedOnly({ observedGeneration: policy.metadata.generation });
    const drafts = draft.conditions.map((condition) => ({ ...observed, ...condition }));
    // Of a demand that the policy no longer has.
    const kept = (current?.conditions ?? []).filter(({ type }) => type !== 'DemandMet' || record.policy.spec.demand);
    const conditions = setConditions(kept, drafts, now);
    const failures = (draft.failures ?? []).map((failure) => ({ ...failure, time: timeOf(failure, current) ?? now }));
    const status: PolicyStatus = fitWithin({ ...draft, conditions: [...conditions], failures }, statusBounds);
    const { inFlight: _ledgers, canary: _alsoLedgers, pace: _ledgersToo, history: _kept, ...known } = current ?? {};
    if (sameJson(status, { failures: [], ...known })) return undefined;
    const leftMs = writeDueInMs(record.writes, isNews(current, status), nowMs);
    if (leftMs > 0) return leftMs;
    record.writes = noteWrite(record.writes, nowMs);
    const { name } = policy.metadata;
    // What was found of a policy, above all that its generation is accepted, must not be said of another one of the same name.
    const { resourceVersion } = (this.#parts.cluster.policies.get(name) ?? policy).metadata;
    const ref = { resource: policies, name };
    const sent = this.#parts.client.applyStatus<Policy>(ref, status, { resourceVersion });
    const written = await orRefusal(sent);
    // The ledger does not wait for words: nodes in flight proceed, and others get their slots.
    if (written instanceof ApiError) {
      const message = `status not written, and nodes proceed as before: ${written.message}`;
      this.#record(policy, { type: 'Warning', reason: 'StatusRefused', action: 'Reconcile', message });
      return refusedMs;
    }
    this.#parts.cluster.policies.remember(written);
    this.#announce(written, current);
    this.#announceSwitch(written, current);
    return undefined;
  }

  #announceSwitch(policy: Policy, before: PolicyStatus | undefined): void {
    const { schedule, acceptedGeneration } = policy.status ?? {};
    const isEdit = before?.acceptedGeneration !== acceptedGeneration;
    if (!schedule || !before?.schedule || isEdit || schedule.name === before.schedule.name) return;
    const what =
      schedule.name === undefined ? "the policy's own layouts or demand are" : `schedule ${schedule.name} is`;
    const until = schedule.next === undefined ? '' : ` until ${schedule.next.time}`;
    const message = `${what} in force${until}; nodes follow as a rollout`;
    this.#record(policy, { type: 'Normal', reason: 'ScheduleSwitched', action: 'Reconcile', message });
  }

  #announce(policy: Policy, before: PolicyStatus | undefined): void {
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    const earlier = before?.conditions?.find(({ type }) => type === 'Ready');
    const isSame = ready?.reason === earlier?.reason && ready?.status === earlier?.status;
    if (!ready || isSame || ready.reason === 'Reconciling') return;
    const isStalled = policy.status?.conditions?.some(({ type, status }) => type === 'Stalled' && status === 'True');
    const type = isStalled === true || blocked.has(ready.reason) ? 'Warning' : 'Normal';
    this.#record(policy, { type, reason: ready.reason, action: 'Reconcile', message: ready.message });
  }

  /** A policy is gone although some of its nodes were not finished: a dead node must not keep it forever. */
  tellLeft(policy: Policy, tally: PolicyTally, deadlineMs: number): void {
    const left = tally.first('unfinished', mostLeft).map(({ node, reason }) => `${node} (${reason})`);
    if (left.length === 0) return;
    const message = `the policy is deleted although MIG was not disabled on ${left.join(', ')}: not done within ${deadlineMs / 1000} s`;
    this.#record(policy, { type: 'Warning', reason: 'NotDisabled', action: 'Delete', message });
  }

  #record(policy: Policy, note: Omit<EventNote, 'object' | 'resource'>): void {
    this.#parts.events.record({ ...note, object: policy, resource: policies });
  }
}

/** A failure keeps its time while it stays the same failure: otherwise every look at it would be a write. */
function timeOf(
  failure: NonNullable<PolicyStatus['failures']>[number],
  current: PolicyStatus | undefined,
): string | undefined {
  return current?.failures?.find(({ node, reason }) => node === failure.node && reason === failure.reason)?.time;
}
