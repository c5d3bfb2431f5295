import type { PolicyDemand } from '../api/types.ts';
import { DemandWindow } from '../core/demand/demand-window.ts';
import { RelayRest } from '../core/demand/relay-rest.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { askFor, isServed, type DemandAsked } from '../core/supply/demand-question.ts';
import { areUnchanged, listChanged, wishesOf } from '../core/supply/demand-answer.ts';
import type { DemandReport } from '../core/policy/demand-report.ts';
import { reportDemand, reportFailure, reportUnread } from '../core/supply/demand-report.ts';
import { heldBy } from '../core/supply/kueue.ts';
import type { Member } from '../core/supply/member.ts';
import { listWaiters } from '../core/supply/pod-demand.ts';
import { shareWaiting } from '../core/supply/waiting-share.ts';
import { followsPods, type Wanted, wantedOf } from '../core/supply/wanted.ts';
import { durationMs } from '../core/text/duration.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { type PlannedPool, planPool } from '../process/pool-plan.ts';
import { readMembers, readPools } from '../process/pool-reading.ts';
import type { Cluster } from './cluster.ts';
import type { HeldWorkloads } from './held-workloads.ts';
import type { PendingPods } from './pending-pods.ts';

/** A plan that leaves something unserved is made again when the pool changes, but takes at most this part of the time. */
const mostShare = 0.1;
const usualCooldown = '30m';
const usualStabilization = '10m';
/** A higher demand must last this long, unless the stabilization is shorter. */
const longestRiseMs = 60_000;
/** How often waiting pods are read at most, and at least, in ms. */
const podsPace = { least: 1000, most: 10_000 };

/** Chooses layouts for the demands of policies: gathers their pools, has them planned, and hands the wishes to the nodes. */
export class DemandReconciler {
  readonly #cluster: Cluster;
  readonly #pods: PendingPods;
  readonly #held: HeldWorkloads;
  readonly #log: Logger;
  readonly #requeueNodes: (names: Iterable<string>) => void;
  readonly #tellPolicy: (name: string) => void;
  readonly #now: () => number;
  /** When the GPUs of a policy were re-laid; lost with the leader, which only means that they rest no longer. */
  readonly #rests = new Map<string, { readonly cooldown: string; readonly rest: RelayRest }>();
  /** What was asked for lately, by slice; lost with the leader, which then begins with what is asked for now. */
  readonly #windows = new Map<
    string,
    { readonly stabilization: string; readonly bySlice: Map<string, DemandWindow> }
  >();
  /** The last plan that left something unserved, and until when none is made for another pool. */
  readonly #short = new Map<string, { readonly planned: PlannedPool; readonly untilMs: number }>();

  constructor(parts: {
    readonly cluster: Cluster;
    readonly pods: PendingPods;
    readonly held: HeldWorkloads;
    readonly log: Logger;
    readonly requeueNodes: (names: Iterable<string>) => void;
    /** Called with a policy whose demand stands differently. */
    readonly tellPolicy: (name: string) => void;
    readonly now: () => number;
  }) {
    this.#cluster = parts.cluster;
    this.#pods = parts.pods;
    this.#held = parts.held;
    this.#log = parts.log;
    this.#requeueNodes = parts.requeueNodes;
    this.#tellPolicy = parts.tellPolicy;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const record = this.#cluster.fleet.policy(name);
    const { demand } = record?.policy.spec ?? {};
    if (!record || !demand || !(record.isAccepted || record.inForce)) return this.#forget(name);
    const { policy } = record;
    const members = await this.#gather(record, demand);
    const { wanted, trouble } = await this.#want(record, demand, members);
    const asked = askFor(policy, wanted);
    const soon = followsPods(demand) ? { requeueAfterMs: podsPaceOf(demand) } : undefined;
    try {
      const planned = await this.#plan(name, asked, members);
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      // 1. What was planned for a pool that has changed meanwhile is not taken.
      const current = await this.#gather(record, demand);
      if (this.#cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const touched = listChanged(planned.members, planned.layouts);
      if (!areUnchanged(touched, current)) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const rest = this.#restOf(name, demand);
      const now = this.#now();
      for (const { gpu } of touched) rest.relaid(gpu.id, now);
      if (touched.length > 0)
        this.#log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#requeueNodes(this.#cluster.fleet.choose(policy, wishesOf(planned.members, planned.layouts)));
      const report = reportDemand(wanted, current, planned.shortfall);
      this.#report(record, trouble === undefined ? report : reportUnread(report, trouble));
    } catch (error) {
      this.#report(record, reportFailure(record.demand, describeError(error)));
      throw error;
    }
    return soon;
  }

  #forget(name: string): void {
    this.#rests.delete(name);
    this.#windows.delete(name);
    this.#short.delete(name);
  }

  #report(record: PolicyRecord, report: DemandReport): void {
    // The status is about the newest generation, not about the one that is still in force.
    if (record.policy !== record.newest || sameJson(record.demand, report)) return;
    record.demand = report;
    this.#tellPolicy(record.name);
  }

  #gather(record: PolicyRecord, demand: PolicyDemand): Promise<readonly Member[]> {
    const rest = this.#restOf(record.policy.metadata.name, demand);
    const now = this.#now();
    return readMembers(this.#cluster, record, (node, uuid) => rest.isResting(`${node}/${uuid}`, now));
  }

  /** @returns with why what Kueue holds back cannot be read, if so */
  async #want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly Member[],
  ): Promise<{ readonly wanted: readonly Wanted[]; readonly trouble?: string }> {
    if (!followsPods(demand))
      return { wanted: wantedOf(demand, members, { waiting: undefined, steady: (_, count) => count }) };
    const { name } = record;
    const paceMs = podsPaceOf(demand);
    const held = demand.from === 'Kueue' ? await this.#held.read(paceMs) : undefined;
    const waiters = [...listWaiters(await this.#pods.list(paceMs)), ...heldBy(held)];
    const waiting =
      shareWaiting(waiters, await readPools(this.#cluster, record)).get(name) ?? new Map<string, number>();
    const now = this.#now();
    const steady = (slice: string, count: number): number => this.#windowOf(name, demand, slice).observe(count, now);
    const wanted = wantedOf(demand, members, { waiting, steady });
    return { wanted, ...(held && 'trouble' in held && { trouble: held.trouble }) };
  }

  #windowOf(name: string, { stabilization = usualStabilization }: PolicyDemand, slice: string): DemandWindow {
    const known = this.#windows.get(name);
    const bySlice = known?.stabilization === stabilization ? known.bySlice : new Map<string, DemandWindow>();
    if (bySlice !== known?.bySlice) this.#windows.set(name, { stabilization, bySlice });
    const fallMs = durationMs(stabilization);
    const window = bySlice.get(slice) ?? new DemandWindow({ riseMs: Math.min(longestRiseMs, fallMs), fallMs });
    bySlice.set(slice, window);
    return window;
  }

  #restOf(name: string, { cooldown = usualCooldown }: PolicyDemand): RelayRest {
    const known = this.#rests.get(name);
    if (known?.cooldown === cooldown) return known.rest;
    const rest = new RelayRest(durationMs(cooldown));
    this.#rests.set(name, { cooldown, rest });
    return rest;
  }

  /** @returns in how many ms to ask again, if the last answer took long */
  async #plan(
    name: string,
    asked: DemandAsked,
    members: readonly Member[],
  ): Promise<PlannedPool | { readonly waitMs: number }> {
    if (isServed(asked, members)) {
      this.#short.delete(name);
      return { members, asked, layouts: [], shortfall: { lacking: {} } };
    }
    const known = this.#short.get(name);
    if (known && sameJson(known.planned.asked, asked)) {
      const isSame = known.planned.members.length === members.length && areUnchanged(known.planned.members, members);
      if (isSame) return known.planned;
      const waitMs = known.untilMs - this.#now();
      if (waitMs > 0) return { waitMs };
    }
    const startedMs = this.#now();
    const planned = await planPool(members, asked);
    const now = this.#now();
    if (Object.keys(planned.shortfall.lacking).length === 0) this.#short.delete(name);
    else this.#short.set(name, { planned, untilMs: now + (now - startedMs) / mostShare });
    return planned;
  }
}

/** A demand that is to follow quickly is looked at often. */
function podsPaceOf({ stabilization = usualStabilization }: PolicyDemand): number {
  return Math.min(podsPace.most, Math.max(podsPace.least, durationMs(stabilization) / 4));
}
