import { defragAnnotation } from '../api/names.ts';
import type { PolicyDemand } from '../api/types.ts';
import type { PoolGpu } from '../core/demand/pool.ts';
import type { DemandReport } from '../core/policy/demand-report.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { DemandCourse, lookAgainAfter, podsPaceOf } from '../core/supply/demand-course.ts';
import { type DefragState, judgeRequest, judgeShortage, requestedFree } from '../core/supply/defrag.ts';
import { askFor, type DemandAsked } from '../core/supply/demand-question.ts';
import { reportDemand, reportFailure, reportUnread } from '../core/supply/demand-report.ts';
import { listGoing, weighGpus } from '../core/supply/eviction-weight.ts';
import { explainUnread } from '../core/supply/kueue.ts';
import type { Member } from '../core/supply/member.ts';
import { listWaiters } from '../core/supply/pod-demand.ts';
import { type Planned, planServed } from '../core/supply/pool-plan.ts';
import { followsPods, type WantedSlice } from '../core/supply/wanted-slices.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { PodView } from '../core/pods/pod-view.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { planPool } from '../process/pool-plan.ts';
import { readMembers, readWaiting } from '../process/pool-reading.ts';
import type { Cluster } from './cluster.ts';
import type { DemandReads } from './demand-reads.ts';

/** What is planned. */
interface Question {
  readonly asked: DemandAsked;
  readonly members: readonly Member[];
  /** For what the demand is, and the nodes on which others may go for pods that wait. */
  readonly demand: PolicyDemand;
  readonly nodes?: ReadonlySet<string> | undefined;
  /** Aborts when the term is over. */
  readonly signal: AbortSignal;
}

interface Parts extends DemandReads {
  readonly cluster: Cluster;
  readonly log: Logger;
  readonly requeueNodes: (names: Iterable<string>) => void;
  /** Called with a policy whose demand stands differently. */
  readonly tellPolicy: (name: string) => void;
  readonly now: () => number;
}

/** Chooses layouts for the demands of policies: gathers their pools, has them planned, and hands the wishes to the nodes. */
export class DemandReconciler {
  readonly #parts: Parts;
  readonly #courses = new Map<string, DemandCourse>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const record = this.#parts.cluster.fleet.policy(name);
    const { demand } = record?.policy.spec ?? {};
    if (!record || !demand || !(record.isAccepted || record.inForce)) {
      this.#courses.delete(name);
      return;
    }
    const { policy } = record;
    const course = this.#courses.get(name) ?? new DemandCourse();
    this.#courses.set(name, course);
    const members = await this.#gather(record, demand, course);
    const { wanted, trouble, nodes } = await this.#want(record, demand, members, course);
    const asked = askFor(policy, wanted);
    const requeueAfterMs = lookAgainAfter(demand, members);
    try {
      const { planned, defrag } = await this.#planFree(course, record, { asked, members, demand, nodes, signal });
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      // 1. What was planned for a pool that has changed meanwhile is not taken.
      const current = await this.#gather(record, demand, course);
      if (this.#parts.cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const chosen = course.choose(demand, planned, current, this.#parts.now());
      if (!chosen) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const { wishes, touched } = chosen;
      if (asked.evict === 'IfNeeded' && touched.length > 0)
        course.evict(listGoing(planned.members, planned.layouts, await this.#parts.holders.get()), this.#parts.now());
      if (touched.length > 0)
        this.#parts.log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#parts.requeueNodes(this.#parts.cluster.fleet.choose(policy, wishes));
      const report = { ...reportDemand(wanted, current, planned.shortfall), ...(defrag && { defrag }) };
      this.#report(record, trouble === undefined ? report : reportUnread(report, trouble));
    } catch (error) {
      signal.throwIfAborted();
      this.#report(record, reportFailure(record.demand, describeError(error)));
      throw error;
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #report(record: PolicyRecord, report: DemandReport): void {
    // The status is about the newest generation, not about the one that is still in force.
    if (record.policy !== record.newest || sameJson(record.demand, report)) return;
    record.demand = report;
    this.#parts.tellPolicy(record.name);
  }

  #gather(record: PolicyRecord, demand: PolicyDemand, course: DemandCourse): Promise<readonly Member[]> {
    const now = this.#parts.now();
    return readMembers(this.#parts.cluster, record, (id) => course.isResting(demand, id, now));
  }

  /** @returns with why what Kueue holds back is not known, if so */
  async #want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly Member[],
    course: DemandCourse,
  ): Promise<{
    readonly wanted: readonly WantedSlice[];
    readonly trouble?: string;
    readonly nodes?: ReadonlySet<string> | undefined;
  }> {
    if (!followsPods(demand)) return { wanted: course.want(demand, members, undefined, this.#parts.now()) };
    const paceMs = podsPaceOf(demand);
    const held = demand.from === 'Kueue' ? await this.#parts.held.get(paceMs) : undefined;
    const isTold = [...this.#parts.cluster.fleet.policies].some(({ policy }) => policy.spec.demand?.namespaceSelector);
    const namespaces = isTold ? await this.#parts.namespaces.get(paceMs) : undefined;
    const pods = await this.#parts.pods.get(course.longestMs(demand));
    const waiters = [...listWaiters(pods, namespaces), ...(held?.waiters ?? [])];
    const waiting = await readWaiting(this.#parts.cluster, record, waiters);
    const wanted = course.want(demand, members, waiting, this.#parts.now());
    const own = [...record.nodes].flatMap((node) => this.#parts.cluster.nodes.get(node) ?? []);
    const trouble = explainUnread(held?.reading, own);
    return { wanted, nodes: waiting.ranks?.nodes, ...(trouble !== undefined && { trouble }) };
  }

  /** Plans the demand, and with it what is to be freed if that can be done. */
  async #planFree(
    course: DemandCourse,
    record: PolicyRecord,
    question: Question,
  ): Promise<{ readonly planned: Planned | { readonly waitMs: number }; readonly defrag?: DefragState | undefined }> {
    const { asked, members, signal } = question;
    const { metadata, status } = this.#parts.cluster.policies.get(record.name) ?? {};
    const requested = requestedFree(metadata?.annotations, status?.defrag);
    const isKnown = status?.defrag?.request === metadata?.annotations?.[defragAnnotation];
    if (!requested)
      return {
        planned: await this.#plan(course, record, question),
        defrag: isKnown ? status?.defrag : undefined,
      };
    const { defrag, freeing } = judgeRequest(requested, asked, members);
    if (!freeing) return { planned: await this.#plan(course, record, question), defrag };
    const planned =
      planServed(members, freeing) ??
      (await planPool(members, freeing, await this.#weigh(course, record, { ...question, asked: freeing }), signal));
    if (Object.keys(planned.shortfall.lacking).length === 0) return { planned, defrag };
    return { planned: await this.#plan(course, record, question), defrag: judgeShortage(requested, planned) };
  }

  /** @returns in how many ms to ask again, if the last answer took long */
  async #plan(
    course: DemandCourse,
    record: PolicyRecord,
    question: Question,
  ): Promise<Planned | { readonly waitMs: number }> {
    const { asked, members, signal } = question;
    const next = course.next(asked, members, this.#parts.now());
    if (next) return 'planned' in next ? next.planned : next;
    const startedMs = this.#parts.now();
    const planned = await planPool(members, asked, await this.#weigh(course, record, question), signal);
    course.takePlan(planned, startedMs, this.#parts.now());
    return planned;
  }

  /** What evictions cost; undefined for a plan that has none. */
  async #weigh(
    course: DemandCourse,
    { policy }: PolicyRecord,
    { asked: { evict }, members, demand, nodes }: Question,
  ): Promise<readonly PoolGpu[] | undefined> {
    const isInUse = members.some(({ gpu, present }) => [...gpu.instances, ...present].some(({ busy }) => busy));
    if (evict !== 'IfNeeded' || !isInUse) return undefined;
    const holders = await this.#parts.holders.get();
    const nowMs = this.#parts.now();
    course.evict(listGoing(members, [], holders), nowMs);
    const isSpared = (pod: PodView): boolean => course.isSpared(demand, pod, nowMs);
    return weighGpus(members, holders, policy.spec.drain, { nodes, isSpared, nowMs });
  }
}
