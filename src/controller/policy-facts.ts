import type { GpuPartitionPolicy } from '../api/types.ts';
import { listRefused, type PolicyRecord } from '../core/policy/policy-record.ts';
import type { ScheduleTimes } from '../core/policy/timetable.ts';
import { accept } from '../core/policy/versions.ts';
import type { PolicyFacts } from '../core/status/policy-status.ts';

/**
 * What is known of a policy besides its nodes and its rollout.
 * @param accepts whether the newest generation is accepted with this status
 */
export function factsOf(
  record: PolicyRecord,
  stored: GpuPartitionPolicy,
  accepts: boolean,
  times: ScheduleTimes | undefined,
): PolicyFacts {
  const { newest, refusal, refused, demand } = record;
  const { acceptedGeneration, inForce } = accepts ? accept(record.versions) : record.versions;
  const [first] = refused.values();
  const words = listRefused(record);
  return {
    policy: newest,
    refusal,
    acceptedGeneration,
    inForce,
    demand,
    ...(record.policy.spec.demand && { knownDemand: stored.status?.demand }),
    // What was done once is not forgotten with the leader.
    defrag: demand ? demand.defrag : stored.status?.defrag,
    // A new leader continues with it; a schedule with layouts in between ends it.
    steady: demand ? demand.steady : record.policy.spec.demand && stored.status?.steady,
    ...(times && { schedule: { ...times.mark, ...(times.next && { next: times.next }) } }),
    ...(first && words !== undefined && { refusedBy: { reason: first.reason, message: words } }),
  };
}
