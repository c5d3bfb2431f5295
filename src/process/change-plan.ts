import type { GpuPartitionPolicy } from '../api/types.ts';
import { type ChangePlan, planPrepared, type PreparedChange, prepareChange } from '../core/plan/change-plan.ts';
import type { ClusterState, ControllerSetup } from '../core/plan/cluster-state.ts';
import type { DemandOutlook } from '../core/plan/demand-outlook.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { wishesOf } from '../core/supply/demand-answer.ts';
import { askFor } from '../core/supply/demand-question.ts';
import { setMembersAside } from '../core/supply/member.ts';
import { noPast } from '../core/supply/demand-pool.ts';
import { layRest } from '../core/supply/demand-rest.ts';
import { reportDemand, reportFailure, reportUncounted, reportUnread } from '../core/supply/demand-report.ts';
import { planServed } from '../core/supply/pool-plan.ts';
import { indexHolders, weighGpus } from '../core/supply/eviction-weight.ts';
import { explainUnread, heldBy, type KueueReading } from '../core/supply/kueue.ts';
import { listWaiters, type Waiter } from '../core/supply/pod-demand.ts';
import { findStop } from '../core/rollout/gate.ts';
import { followsPods, wantedSlices } from '../core/supply/wanted-slices.ts';
import { describeError } from './logger.ts';
import { planPool } from './pool-plan.ts';
import { readMembers, readWaiting } from './pool-reading.ts';

/**
 * Plans what applying policies to a cluster does, with layouts chosen for demands as the controller would now. Nothing is written.
 *
 * @param at when it is done, which schedules tell apart
 */
export async function foreseeChange(
  cluster: ClusterState,
  given: readonly GpuPartitionPolicy[],
  setup: ControllerSetup,
  readKueue: () => Promise<KueueReading>,
  at: number = cluster.now,
): Promise<ChangePlan> {
  const prepared = prepareChange(cluster, given, setup, at);
  const waiters = listWaiters(cluster.pods, cluster.namespaces);
  const isQueued = prepared.demands.some(({ policy }) => policy.spec.demand?.from === 'Kueue');
  const kueue = isQueued ? await readKueue() : undefined;
  const demands: DemandOutlook[] = [];
  for (const record of prepared.demands) demands.push(await chooseLayouts(prepared, record, waiters, kueue));
  return planPrepared(prepared, demands);
}

/** What was asked for earlier, and which GPUs were re-laid lately, only the controller knows: it counts as steady, and rested. */
async function chooseLayouts(
  { cluster, fleet, at }: PreparedChange,
  record: PolicyRecord,
  waiters: readonly Waiter[],
  kueue: KueueReading | undefined,
): Promise<DemandOutlook> {
  const { name, policy } = record;
  const { demand = { slices: [] } } = policy.spec;
  const byName = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.metadata.name, one]));
  const sources = { fleet, nodes: byName(cluster.nodes), partitions: byName(cluster.partitions) };
  const read = await readMembers(sources, record, noPast);
  const held = demand.from === 'Kueue' ? kueue : undefined;
  const all = [...waiters, ...heldBy(held)];
  const share = followsPods(demand) ? await readWaiting(sources, record, all, at) : undefined;
  const members = setMembersAside(read, share?.takers);
  const wanted = wantedSlices(demand, members, { waiting: undefined, ...share, steady: (_, count) => count });
  const asked = askFor(policy, wanted, members);
  try {
    const served = planServed(members, asked);
    const { layouts, shortfall } = served
      ? { ...served, layouts: layRest(demand.rest, asked, members) }
      : await planPool(
          members,
          asked,
          asked.evict === 'Never'
            ? undefined
            : weighGpus(members, indexHolders(cluster), policy.spec.drain, {
                nodes: share?.waiting.ranks?.nodes,
                nowMs: cluster.now,
              }),
        );
    fleet.choose(policy, wishesOf(members, layouts));
    const report = reportUncounted(
      reportDemand(wanted, members, shortfall, findStop(policy, at)),
      name,
      share?.uncounted ?? [],
    );
    const trouble = explainUnread(
      held,
      [...record.nodes].flatMap((node) => sources.nodes.get(node) ?? []),
    );
    return outlookOf(name, trouble === undefined ? report : reportUnread(report, trouble));
  } catch (error) {
    return outlookOf(name, reportFailure({ states: [] }, describeError(error)));
  }
}

function outlookOf(policy: string, { states, condition }: ReturnType<typeof reportDemand>): DemandOutlook {
  return { policy, slices: states, reason: condition.reason, message: condition.message };
}
