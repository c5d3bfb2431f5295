import type { PolicyDemand } from '../api/types.ts';
import type { DemandReport } from '../core/policy/demand-report.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { DemandCourse, podsPaceOf } from '../core/supply/demand-course.ts';
import { listPool, waitingOf } from '../core/supply/demand-pool.ts';
import { askFor, type DemandAsked } from '../core/supply/demand-question.ts';
import { reportDemand, reportFailure } from '../core/supply/demand-report.ts';
import type { Member } from '../core/supply/member.ts';
import { type Planned, planMembers } from '../core/supply/pool-plan.ts';
import { type Wanted, wantedOf } from '../core/supply/wanted.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { planDemand } from '../process/demand-solver.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { Turn } from '../process/turn.ts';
import type { Cluster } from './cluster.ts';
import type { PendingPods } from './pending-pods.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;

/** Chooses layouts for the demands of policies: gathers their pools, has them planned, and hands the wishes to the nodes. */
export class DemandReconciler {
  readonly #cluster: Cluster;
  readonly #pods: PendingPods;
  readonly #log: Logger;
  readonly #requeueNodes: (names: Iterable<string>) => void;
  readonly #tellPolicy: (name: string) => void;
  readonly #now: () => number;
  readonly #courses = new Map<string, DemandCourse>();

  constructor(parts: {
    readonly cluster: Cluster;
    readonly pods: PendingPods;
    readonly log: Logger;
    readonly requeueNodes: (names: Iterable<string>) => void;
    /** Called with a policy whose demand stands differently. */
    readonly tellPolicy: (name: string) => void;
    readonly now: () => number;
  }) {
    this.#cluster = parts.cluster;
    this.#pods = parts.pods;
    this.#log = parts.log;
    this.#requeueNodes = parts.requeueNodes;
    this.#tellPolicy = parts.tellPolicy;
    this.#now = parts.now;
  }

  async reconcile(name: string): Promise<ReconcileResult | void> {
    const record = this.#cluster.fleet.policy(name);
    const { demand } = record?.policy.spec ?? {};
    if (!record || !demand || !(record.isAccepted || record.inForce)) {
      this.#courses.delete(name);
      return;
    }
    const { policy } = record;
    const course = this.#courses.get(name) ?? new DemandCourse();
    this.#courses.set(name, course);
    const members = await this.#gather(record, demand, course);
    const wanted = await this.#want(record, demand, members, course);
    const asked = askFor(policy, wanted);
    const soon = demand.from === 'Pods' ? { requeueAfterMs: podsPaceOf(demand) } : undefined;
    try {
      const planned = await this.#plan(course, asked, members);
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      // 1. What was planned for a pool that has changed meanwhile is not taken.
      const current = await this.#gather(record, demand, course);
      if (this.#cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const chosen = course.choose(demand, planned, current, this.#now());
      if (!chosen) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const { wishes, touched } = chosen;
      if (touched.length > 0)
        this.#log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#requeueNodes(this.#cluster.fleet.choose(policy, wishes));
      this.#report(record, reportDemand(wanted, current, planned.shortfall));
    } catch (error) {
      this.#report(record, reportFailure(record.demand, describeError(error)));
      throw error;
    }
    return soon;
  }

  #report(record: PolicyRecord, report: DemandReport): void {
    // The status is about the newest generation, not about the one that is still in force.
    if (record.policy !== record.newest || sameJson(record.demand, report)) return;
    record.demand = report;
    this.#tellPolicy(record.name);
  }

  async #gather(record: PolicyRecord, demand: PolicyDemand, course: DemandCourse): Promise<readonly Member[]> {
    const now = this.#now();
    const turn = new Turn();
    const members: Member[] = [];
    for (const found of listPool(record, this.#cluster, (id) => course.isResting(demand, id, now))) {
      members.push(...found);
      await turn.pause();
    }
    return members;
  }

  async #want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly Member[],
    course: DemandCourse,
  ): Promise<readonly Wanted[]> {
    if (demand.from !== 'Pods') return wantedOf(demand, members, { waiting: undefined, steady: (_, count) => count });
    const pods = await this.#pods.list(course.longestMs(demand));
    const now = this.#now();
    const steady = (slice: string, count: number): number => course.steady(demand, slice, count, now);
    return wantedOf(demand, members, { waiting: waitingOf(record, pods, this.#cluster), steady });
  }

  /** @returns in how many ms to ask again, if the last answer took long */
  async #plan(
    course: DemandCourse,
    asked: DemandAsked,
    members: readonly Member[],
  ): Promise<Planned | { readonly waitMs: number }> {
    const next = course.next(asked, members, this.#now());
    if (next) return 'planned' in next ? next.planned : next;
    const startedMs = this.#now();
    const planning = planMembers(members, asked);
    let step = planning.next();
    while (step.done !== true) {
      const question = step.value;
      step = planning.next(await planDemand(question.gpus, { ...question.asked, seconds: planSeconds }));
    }
    course.takePlan(step.value, startedMs, this.#now());
    return step.value;
  }
}
