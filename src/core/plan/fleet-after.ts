import { Fleet } from '../policy/fleet.ts';
import { listRefused, type PolicyRecord } from '../policy/policy-record.ts';
import { judgeSchedules } from '../policy/timetable.ts';
import { currentOf } from '../policy/versions.ts';
import type { ClusterState, ControllerSetup } from './cluster-state.ts';
import type { Located } from './involved.ts';
import type { PoliciesAfter } from './policy-change.ts';

export function fillFleet(cluster: ClusterState, after: PoliciesAfter, setup: ControllerSetup): Fleet {
  const fleet = new Fleet({ sharing: setup.pluginConfigMap !== undefined });
  // An edit leaves in force what was: the fleet has to know it.
  for (const policy of [...cluster.policies, ...after.policies]) fleet.setPolicy(policy);
  for (const { metadata } of cluster.nodes) fleet.setNode(metadata.name, metadata.labels ?? {});
  for (const partition of cluster.partitions) fleet.review(partition.metadata.name, partition);
  return fleet;
}

/**
 * Accepts what the controller would accept; of the given policies also what it would not because of some nodes: the plan is for the
 * others, once those are gone.
 *
 * @returns why policies are not accepted, by name
 */
export function acceptAll(
  fleet: Fleet,
  { partitionOf }: Located,
  given: ReadonlySet<string>,
  at: number,
): ReadonlyMap<string, string | undefined> {
  const refusals = new Map([...fleet.policies].map(({ name, refusal }) => [name, refusal?.message]));
  for (const record of fleet.policies) {
    if (!record.awaitsAcceptance) {
      switchSchedule(fleet, record, at);
      continue;
    }
    for (const node of record.unchecked) fleet.check(record, node, partitionOf.get(node));
    refusals.set(record.name, listRefused(record));
    if (record.refused.size === 0 || given.has(record.name)) fleet.accept(record);
    switchSchedule(fleet, record, at);
  }
  return refusals;
}

function switchSchedule(fleet: Fleet, record: PolicyRecord, at: number): void {
  const { versions } = record;
  const times = judgeSchedules(currentOf(versions).spec, versions.schedule, at);
  if (times) fleet.switch(record, times.mark);
}
