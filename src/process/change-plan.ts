import type { GpuPartitionPolicy } from '../api/types.ts';
import type { WorkloadPod } from '../core/explain/workload.ts';
import { type ChangePlan, planPrepared, type PreparedChange, prepareChange } from '../core/plan/change-plan.ts';
import type { ClusterState, ControllerSetup } from '../core/plan/cluster-state.ts';
import type { DemandOutlook } from '../core/plan/demand-outlook.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { wishesOf } from '../core/supply/demand-answer.ts';
import { askFor, isServed } from '../core/supply/demand-question.ts';
import { reportDemand, reportFailure } from '../core/supply/demand-report.ts';
import { waitingOf } from '../core/supply/demand-pool.ts';
import { wantedOf } from '../core/supply/wanted.ts';
import { describeError } from './logger.ts';
import { planPool } from './pool-plan.ts';
import { readMembers, readPodPools } from './pool-reading.ts';

/** Plans what applying policies to a cluster does, with layouts chosen for demands as the controller would now. Nothing is written. */
export async function foreseeChange(
  cluster: ClusterState,
  given: readonly GpuPartitionPolicy[],
  setup: ControllerSetup,
): Promise<ChangePlan> {
  const prepared = prepareChange(cluster, given, setup);
  // A saved cluster, and one that was just read, have whole pods.
  const pods = cluster.pods as readonly unknown[] as readonly WorkloadPod[];
  const demands: DemandOutlook[] = [];
  for (const record of prepared.demands) demands.push(await chooseLayouts(prepared, record, pods));
  return planPrepared(prepared, demands);
}

/** What was asked for earlier, and which GPUs were re-laid lately, only the controller knows: it counts as steady, and rested. */
async function chooseLayouts(
  { cluster, fleet }: PreparedChange,
  record: PolicyRecord,
  pods: readonly WorkloadPod[],
): Promise<DemandOutlook> {
  const { name, policy } = record;
  const { demand = { slices: [] } } = policy.spec;
  const byName = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.metadata.name, one]));
  const sources = { fleet, nodes: byName(cluster.nodes), partitions: byName(cluster.partitions) };
  const members = await readMembers(sources, record, () => false);
  const waiting = demand.from === 'Pods' ? waitingOf(record, pods, await readPodPools(sources, record)) : undefined;
  const wanted = wantedOf(demand, members, { waiting, steady: (_, count) => count });
  const asked = askFor(policy, wanted);
  try {
    const { layouts, shortfall } = isServed(asked, members)
      ? { layouts: [], shortfall: { lacking: {} } }
      : await planPool(members, asked);
    fleet.choose(policy, wishesOf(members, layouts));
    return outlookOf(name, reportDemand(wanted, members, shortfall));
  } catch (error) {
    return outlookOf(name, reportFailure(undefined, describeError(error)));
  }
}

function outlookOf(policy: string, { states, condition }: ReturnType<typeof reportDemand>): DemandOutlook {
  return { policy, slices: states, reason: condition.reason, message: condition.message };
}
