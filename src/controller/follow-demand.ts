import type { PolicyDemand } from '../api/types.ts';
import type { PoolGpu } from '../core/demand/pool.ts';
import type { PodView } from '../core/pods/pod-view.ts';
import { mayUseClaims } from '../core/policy/rules.ts';
import type { DemandReport } from '../core/policy/demand-report.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { findStop } from '../core/rollout/gate.ts';
import { DemandCourse, lookAgainAfter, podsPaceOf } from '../core/supply/demand-course.ts';
import {
  type DefragState,
  isOfRequest,
  judgeMade,
  judgePart,
  judgeRequest,
  judgeShortage,
  refuseMoves,
  requestedFree,
  wasPlanned,
} from '../core/supply/defrag.ts';
import { explainMoves, listMoves } from '../core/supply/defrag-moves.ts';
import { isNewPolicy, type PoolCluster } from '../core/supply/demand-pool.ts';
import { askFor, type DemandAsked } from '../core/supply/demand-question.ts';
import {
  reportDemand,
  reportFailure,
  reportPodsUnread,
  reportUncounted,
  reportUnread,
  type ToldDemand,
} from '../core/supply/demand-report.ts';
import { listGoing, weighGpus } from '../core/supply/eviction-weight.ts';
import { explainUnread } from '../core/supply/kueue.ts';
import { type Member, setMembersAside } from '../core/supply/member.ts';
import { listWaiters, type NamespaceLabels } from '../core/supply/pod-demand.ts';
import { type Planned, planServed } from '../core/supply/pool-plan.ts';
import type { Uncounted } from '../core/supply/waiting-share.ts';
import { followsPods, type WantedSlice } from '../core/supply/wanted-slices.ts';
import { definedOnly } from '../core/text/defined-fields.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { planPool } from '../process/pool-plan.ts';
import { readMembers, readWaiting } from '../process/pool-reading.ts';
import type { Cluster } from './cluster.ts';
import type { DemandReads, HeldReading } from './demand-reads.ts';

/** How old a list of DeviceClasses may be, in ms. */
const classesPaceMs = 30_000;

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

/** What is wanted, by what could be read. */
interface Want {
  readonly wanted: readonly WantedSlice[];
  /** Nodes that would take pods for which nothing is idle. */
  readonly takers?: ReadonlySet<string> | undefined;
  /** Nodes on which others may go for pods that wait. */
  readonly nodes?: ReadonlySet<string> | undefined;
  readonly uncounted?: readonly Uncounted[];
  /** Why what Kueue holds back is not known. */
  readonly trouble?: string;
}

function evicts({ destroy }: Planned['layouts'][number]): boolean {
  return destroy.some(({ busy }) => busy);
}

/** Of a plan, what is taken of it. */
function layoutsOf(
  { members, layouts }: Planned,
  touched: readonly Member[],
): readonly (Planned['layouts'][number] | undefined)[] {
  const taken = new Set(touched.map(({ gpu }) => gpu.id));
  return members.map(({ gpu }, index) => (taken.has(gpu.id) ? layouts[index] : undefined));
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
    if (!record || !(record.isAccepted || record.inForce)) {
      this.#courses.delete(name);
      return;
    }
    // Another schedule may have layouts: what rests still does.
    if (!demand) return;
    const { policy } = record;
    const course = this.#courses.get(name) ?? this.#begin(record);
    this.#courses.set(name, course);
    const gathered = await this.#gather(record, demand, course);
    const wants = await this.#want(record, demand, gathered, course, signal);
    const { wanted, takers, nodes, uncounted = [], trouble } = wants;
    const members = setMembersAside(gathered, takers);
    const asked = askFor(policy, wanted, members);
    const requeueAfterMs = lookAgainAfter(demand, members);
    try {
      const { planned, defrag, part } = await this.#planFree(course, record, {
        asked,
        members,
        demand,
        nodes,
        signal,
      });
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      const holders = planned.layouts.some(evicts) ? await this.#parts.holders.get() : undefined;
      // 1. What was planned for GPUs that have changed meanwhile is not taken.
      const current = await this.#gather(record, demand, course);
      if (this.#parts.cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const chosen = course.choose(demand, planned, current, this.#parts.now());
      if (!chosen) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const { wishes, touched, isWhole } = chosen;
      if (holders) course.evict(listGoing(planned.members, layoutsOf(planned, touched), holders), this.#parts.now());
      if (touched.length > 0)
        this.#parts.log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#parts.requeueNodes(this.#parts.cluster.fleet.choose(policy, wishes));
      const stop = findStop(policy, this.#parts.now());
      const found = reportUncounted(reportDemand(wanted, current, planned.shortfall, stop), name, uncounted);
      const report = { ...found, ...definedOnly({ defrag: isWhole ? defrag : (part ?? defrag) }) };
      this.#report(record, trouble === undefined ? report : reportUnread(report, trouble));
      if (!isWhole) return { requeueAfterMs: 100 };
    } catch (error) {
      signal.throwIfAborted();
      this.#report(record, reportFailure(this.#told(record), describeError(error)));
      throw error;
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #begin(record: PolicyRecord): DemandCourse {
    const { policies, partitions } = this.#parts.cluster;
    const { steady } = policies.get(record.name)?.status ?? {};
    const isNew = steady === undefined && isNewPolicy(record, partitions);
    return new DemandCourse({ isNew, sinceMs: this.#parts.now(), ...(steady && { steady }) });
  }

  #report(record: PolicyRecord, found: DemandReport): void {
    const report = { ...found, ...definedOnly({ generation: record.policy.metadata.generation }) };
    if (sameJson(record.demand, report)) return;
    record.demand = report;
    this.#parts.tellPolicy(record.name);
  }

  #told({ name, demand }: PolicyRecord): ToldDemand {
    const { demand: states = [], defrag, steady } = this.#parts.cluster.policies.get(name)?.status ?? {};
    return demand
      ? { states: demand.states, ...definedOnly({ defrag: demand.defrag, steady: demand.steady }) }
      : { states, ...definedOnly({ defrag, steady }) };
  }

  async #gather(record: PolicyRecord, demand: PolicyDemand, course: DemandCourse): Promise<readonly Member[]> {
    const cluster = await this.#readCluster();
    const now = this.#parts.now();
    return readMembers(cluster, record, {
      restOf: (id, grantedMs) => course.restOf(demand, id, now, grantedMs),
      hasLost: (node, isOut) => course.hasLost(demand, node, isOut, now),
    });
  }

  /** With the names of DeviceClasses, where DRA drivers may hand out slices: pods ask by them. */
  async #readCluster(): Promise<PoolCluster> {
    const { fleet, nodes, partitions } = this.#parts.cluster;
    const mayBeDra = [...fleet.policies].some(({ policy }) => mayUseClaims(policy.spec));
    return { fleet, nodes, partitions, ...(mayBeDra && { names: await this.#parts.names.get(classesPaceMs) }) };
  }

  async #want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly Member[],
    course: DemandCourse,
    signal: AbortSignal,
  ): Promise<Want> {
    if (!followsPods(demand)) return { wanted: course.want(demand, members, undefined, this.#parts.now()) };
    const { pods, held, namespaces } = await this.#readPods(record, demand, course, signal);
    const waiters = [...listWaiters(pods, namespaces), ...(held?.waiters ?? [])];
    const share = await readWaiting(await this.#readCluster(), record, waiters, this.#parts.now());
    const wanted = course.want(demand, members, share.waiting, this.#parts.now(), share);
    const own = [...record.nodes].flatMap((node) => this.#parts.cluster.nodes.get(node) ?? []);
    const trouble = explainUnread(held?.reading, own);
    const { takers, uncounted, waiting } = share;
    return { wanted, takers, uncounted, nodes: waiting.ranks?.nodes, ...(trouble !== undefined && { trouble }) };
  }

  /** What cannot be read is told: else the last answer stands for good, and why pods wait is not known. */
  async #readPods(
    record: PolicyRecord,
    demand: PolicyDemand,
    course: DemandCourse,
    signal: AbortSignal,
  ): Promise<{
    readonly pods: readonly PodView[];
    readonly held: HeldReading | undefined;
    readonly namespaces: NamespaceLabels | undefined;
  }> {
    const paceMs = podsPaceOf(demand);
    const isTold = [...this.#parts.cluster.fleet.policies].some(({ policy }) => policy.spec.demand?.namespaceSelector);
    try {
      const held = demand.from === 'Kueue' ? await this.#parts.held.get(paceMs) : undefined;
      const namespaces = isTold ? await this.#parts.namespaces.get(paceMs) : undefined;
      return { pods: await this.#parts.pods.get(course.longestMs(demand)), held, namespaces };
    } catch (error) {
      signal.throwIfAborted();
      this.#report(record, reportPodsUnread(this.#told(record), describeError(error)));
      throw error;
    }
  }

  /** Plans the demand, and with it what is to be freed if that can be done. @returns with how that stands if only a part of the plan is taken */
  async #planFree(
    course: DemandCourse,
    record: PolicyRecord,
    question: Question,
  ): Promise<{
    readonly planned: Planned | { readonly waitMs: number };
    readonly defrag?: DefragState | undefined;
    readonly part?: DefragState;
  }> {
    const { asked, members, signal } = question;
    const { metadata, status } = this.#parts.cluster.policies.get(record.name) ?? {};
    const requested = requestedFree(metadata?.annotations, status?.defrag);
    if (!requested)
      return {
        planned: await this.#plan(course, record, question),
        defrag: isOfRequest(status?.defrag, metadata?.annotations) ? status?.defrag : undefined,
      };
    const { defrag, freeing } = judgeRequest(requested, asked, members);
    if (!freeing) return { planned: await this.#plan(course, record, question), defrag };
    if (wasPlanned(requested, record.demand?.defrag ?? status?.defrag))
      return { planned: await this.#plan(course, record, question), defrag: judgeMade(requested, members) ?? defrag };
    const planned =
      planServed(members, freeing) ??
      (await planPool(members, freeing, await this.#weigh(course, record, { ...question, asked: freeing }), signal));
    if (Object.keys(planned.shortfall.lacking).length === 0) {
      const { podOf, partitionOf } = await this.#parts.holders.get();
      const pool = { members, layouts: planned.layouts, partitionOf };
      const why = explainMoves(pool, listMoves(pool, this.#parts.cluster.nodes, podOf));
      if (why.length === 0) return { planned, defrag, part: judgePart(requested) };
      return { planned: await this.#plan(course, record, question), defrag: refuseMoves(requested, why) };
    }
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
