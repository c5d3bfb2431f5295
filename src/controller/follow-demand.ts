import type { PolicyDemand, GpuNodePartition } from '../api/types.ts';
import type { PoolGpu } from '../core/demand/solver/pool.ts';
import type { PodView } from '../core/kubernetes/pod.ts';
import { mayUseClaims } from '../core/policy/rules.ts';
import type { DemandReport } from '../core/policy/slices.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { findStop } from '../core/rollout/budget.ts';
import { type DemandMemory, type KnownDemand, lookAgainAfter, podsPaceOf } from '../core/demand/state.ts';
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
  explainMoves,
  listMoves,
} from '../core/demand/defrag.ts';
import {
  isNewPolicy,
  type PoolCluster,
  type PoolPast,
  type DemandGpu,
  setMembersAside,
} from '../core/demand/members.ts';
import { askFor, type DemandAsked, type Planned, planServed } from '../core/demand/plan-pool.ts';
import {
  reportDemand,
  reportFailure,
  reportPodsUnread,
  reportUncounted,
  reportUnread,
  type ToldDemand,
} from '../core/demand/report.ts';
import { listGoing, weighGpus, indexHolders, type PoolHolders } from '../core/demand/eviction-cost.ts';
import { explainUnread, holding, type KueueReading } from '../core/demand/kueue.ts';
import { listWaiters, type NamespaceLabels, type Uncounted, type Waiter } from '../core/demand/waiting-pods.ts';
import { followsPods, type WantedSlice } from '../core/demand/wanted.ts';
import { omitUndefined, deepEqual } from '../core/text/json.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { describeError, type Logger } from '../process/log.ts';
import type { PoolQuestions } from '../planner/questions.ts';
import type { Cluster } from './cluster.ts';
import { nodePartitions, deviceClasses, disruptionBudgets, namespaces, pods } from '../api/resources.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { planPreview } from '../core/plan/node.ts';
import { type KubeVerbs, readKueue, listServed } from '../kube/client.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { DeviceClassView } from '../core/cluster/claim-requests.ts';
import { type ExtendedNames, extendedNamesOf } from '../core/cluster/judge.ts';
import { selectedKeys } from '../core/kubernetes/selectors.ts';
import type { BudgetView } from '../core/kubernetes/eviction.ts';
import { trimHolder, trimHoldings, trimWaitingPod } from '../core/demand/watched-objects.ts';
import { ApiError } from '../kube/api-error.ts';
import type { ListOptions } from '../kube/request.ts';
import { type Clock, EventLoopYield, steadyMs, systemClock } from '../process/clock.ts';
import { trimBudget, PacedReading } from './gather.ts';

/** How old a list of DeviceClasses may be, in ms. */
const classesPaceMs = 30_000;

/** The question for one plan. */
interface Question {
  readonly asked: DemandAsked;
  readonly members: readonly DemandGpu[];
  /** The demand of the pool, and the nodes on which others may go for pods that wait (`nodes`). */
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
  readonly pools: PoolQuestions;
  /** What is remembered of the demand of a policy from now on. */
  readonly newMemory: (record: PolicyRecord, known: KnownDemand) => DemandMemory;
  readonly clock: Clock;
  readonly now: () => number;
}

/** The slices that are wanted, by what could be read. */
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

/** The layouts of a plan that are taken: those of the GPUs that it touches. */
function layoutsOf(
  { members, layouts }: Planned,
  touched: readonly DemandGpu[],
): readonly (Planned['layouts'][number] | undefined)[] {
  const taken = new Set(touched.map(({ gpu }) => gpu.id));
  return members.map(({ gpu }, index) => (taken.has(gpu.id) ? layouts[index] : undefined));
}

/** Chooses layouts for the demands of policies: gathers their pools, has them planned, and hands the wishes to the nodes. */
export class DemandReconciler {
  readonly #parts: Parts;
  readonly #memories = new Map<string, DemandMemory>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const record = this.#parts.cluster.fleet.policy(name);
    const { demand } = record?.policy.spec ?? {};
    if (!record || !(record.isAccepted || record.inForce)) {
      this.#memories.delete(name);
      return;
    }
    // Another schedule may have layouts: what rests still does.
    if (!demand) {
      this.#memories.get(name)?.lapse();
      return;
    }
    const { policy } = record;
    const memory = this.#memories.get(name) ?? this.#begin(record);
    this.#memories.set(name, memory);
    const gathered = await this.#gather(record, demand, memory);
    const wants = await this.#want(record, demand, gathered, memory, signal);
    const { wanted, takers, nodes, uncounted = [], trouble } = wants;
    const members = setMembersAside(gathered, takers);
    const asked = askFor(policy, wanted, members);
    const requeueAfterMs = lookAgainAfter(demand, members);
    try {
      const { planned, defrag, part } = await this.#planFree(memory, record, {
        asked,
        members,
        demand,
        nodes,
        signal,
      });
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      const holders = planned.layouts.some(evicts) ? await this.#parts.holders.get() : undefined;
      // 1. What was planned for GPUs that have changed meanwhile is not taken.
      const current = await this.#gather(record, demand, memory);
      if (this.#parts.cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const chosen = memory.choose(demand, planned, current, this.#parts.now());
      if (!chosen) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const { wishes, touched, isWhole } = chosen;
      if (holders) memory.evict(listGoing(planned.members, layoutsOf(planned, touched), holders), this.#parts.now());
      if (touched.length > 0)
        this.#parts.log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#parts.requeueNodes(this.#parts.cluster.fleet.choose(policy, wishes));
      const stop = findStop(policy, this.#parts.now());
      const found = reportUncounted(reportDemand(wanted, current, planned.shortfall, stop), name, uncounted);
      const report = { ...found, ...omitUndefined({ defrag: isWhole ? defrag : (part ?? defrag) }) };
      this.#report(record, trouble === undefined ? report : reportUnread(report, trouble));
      if (!isWhole) return { requeueAfterMs: 100 };
    } catch (error) {
      signal.throwIfAborted();
      this.#report(record, reportFailure(this.#told(record), describeError(error)));
      throw error;
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #begin(record: PolicyRecord): DemandMemory {
    const { policies, partitions } = this.#parts.cluster;
    const { steady } = policies.get(record.name)?.status ?? {};
    const isNew = steady === undefined && isNewPolicy(record, partitions);
    return this.#parts.newMemory(record, { isNew, sinceMs: this.#parts.now(), ...(steady && { steady }) });
  }

  #report(record: PolicyRecord, found: DemandReport): void {
    const report = { ...found, ...omitUndefined({ generation: record.policy.metadata.generation }) };
    if (deepEqual(record.demand, report)) return;
    record.demand = report;
    this.#parts.tellPolicy(record.name);
  }

  #told({ name, demand }: PolicyRecord): ToldDemand {
    const { demand: states = [], defrag, steady } = this.#parts.cluster.policies.get(name)?.status ?? {};
    return demand
      ? { states: demand.states, ...omitUndefined({ defrag: demand.defrag, steady: demand.steady }) }
      : { states, ...omitUndefined({ defrag, steady }) };
  }

  async #gather(record: PolicyRecord, demand: PolicyDemand, memory: DemandMemory): Promise<readonly DemandGpu[]> {
    const cluster = await this.#readCluster();
    const { pools, clock } = this.#parts;
    const now = this.#parts.now();
    const past: PoolPast = {
      restOf: (id, grantedMs) => memory.restOf(demand, id, now, grantedMs),
      hasLost: (node, isOut) => memory.hasLost(demand, node, isOut, now),
    };
    return pools.readMembers(cluster, record, past, clock);
  }

  /** Reads the cluster, with the names of DeviceClasses where DRA drivers may hand out slices: pods ask by them. */
  async #readCluster(): Promise<PoolCluster> {
    const { fleet, nodes, partitions } = this.#parts.cluster;
    const mayBeDra = [...fleet.policies].some(({ policy }) => mayUseClaims(policy.spec));
    return { fleet, nodes, partitions, ...(mayBeDra && { names: await this.#parts.names.get(classesPaceMs) }) };
  }

  async #want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly DemandGpu[],
    memory: DemandMemory,
    signal: AbortSignal,
  ): Promise<Want> {
    if (!followsPods(demand)) return { wanted: memory.want(demand, members, undefined, this.#parts.now()) };
    const { pods, held, namespaces } = await this.#readPods(record, demand, memory, signal);
    const waiters = [...listWaiters(pods, namespaces), ...(held?.waiters ?? [])];
    const { pools, clock, now } = this.#parts;
    const share = await pools.readWaiting(await this.#readCluster(), record, waiters, now(), clock);
    const wanted = memory.want(demand, members, share.waiting, this.#parts.now(), share);
    const own = [...record.nodes].flatMap((node) => this.#parts.cluster.nodes.get(node) ?? []);
    const trouble = explainUnread(held?.reading, own);
    const { takers, uncounted, waiting } = share;
    return { wanted, takers, uncounted, nodes: waiting.ranks?.nodes, ...(trouble !== undefined && { trouble }) };
  }

  /** What cannot be read is told: else the last answer stands for good, and why pods wait is not known. */
  async #readPods(
    record: PolicyRecord,
    demand: PolicyDemand,
    memory: DemandMemory,
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
      return { pods: await this.#parts.pods.get(memory.longestMs(demand)), held, namespaces };
    } catch (error) {
      signal.throwIfAborted();
      this.#report(record, reportPodsUnread(this.#told(record), describeError(error)));
      throw error;
    }
  }

  /** Plans the demand, and with it what is to be freed if that can be done. @returns with how that stands if only a part of the plan is taken */
  async #planFree(
    memory: DemandMemory,
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
        planned: await this.#plan(memory, record, question),
        defrag: isOfRequest(status?.defrag, metadata?.annotations) ? status?.defrag : undefined,
      };
    const { defrag, freeing } = judgeRequest(requested, asked, members);
    if (!freeing) return { planned: await this.#plan(memory, record, question), defrag };
    if (wasPlanned(requested, record.demand?.defrag ?? status?.defrag))
      return { planned: await this.#plan(memory, record, question), defrag: judgeMade(requested, members) ?? defrag };
    const planned =
      planServed(members, freeing) ??
      (await this.#parts.pools.planPool(
        members,
        freeing,
        await this.#weigh(memory, record, { ...question, asked: freeing }),
        signal,
      ));
    if (Object.keys(planned.shortfall.lacking).length === 0) {
      const { podOf, partitionOf } = await this.#parts.holders.get();
      const pool = { members, layouts: planned.layouts, partitionOf };
      const why = explainMoves(pool, listMoves(pool, this.#parts.cluster.nodes, podOf));
      if (why.length === 0) return { planned, defrag, part: judgePart(requested) };
      return { planned: await this.#plan(memory, record, question), defrag: refuseMoves(requested, why) };
    }
    return { planned: await this.#plan(memory, record, question), defrag: judgeShortage(requested, planned) };
  }

  /** @returns in how many ms to ask again, if the last answer took long */
  async #plan(
    memory: DemandMemory,
    record: PolicyRecord,
    question: Question,
  ): Promise<Planned | { readonly waitMs: number }> {
    const { asked, members, signal } = question;
    const next = memory.next(asked, members, this.#parts.now());
    if (next) return 'planned' in next ? next.planned : next;
    const startedMs = this.#parts.now();
    const gpus = await this.#weigh(memory, record, question);
    const planned = await this.#parts.pools.planPool(members, asked, gpus, signal);
    memory.takePlan(planned, startedMs, this.#parts.now());
    return planned;
  }

  /** What evictions cost; undefined for a plan that has none. */
  async #weigh(
    memory: DemandMemory,
    { policy }: PolicyRecord,
    { asked: { evict }, members, demand, nodes }: Question,
  ): Promise<readonly PoolGpu[] | undefined> {
    const isInUse = members.some(({ gpu, present }) => [...gpu.instances, ...present].some(({ busy }) => busy));
    if (evict !== 'IfNeeded' || !isInUse) return undefined;
    const holders = await this.#parts.holders.get();
    const nowMs = this.#parts.now();
    memory.evict(listGoing(members, [], holders), nowMs);
    const isSpared = (pod: PodView): boolean => memory.isSpared(demand, pod, nowMs);
    return weighGpus(members, holders, policy.spec.drain, { nodes, isSpared, nowMs });
  }
}

interface PreviewParts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  /** Called with each policy whose status has changed. */
  readonly onNews: (policy: string) => void;
}

/**
 * Works out what policies of mode Plan would do to a node over which another policy decides. Its agent plans the wish of that one
 * alone, so this is done in memory.
 */
export class PreviewPlanner {
  readonly #parts: PreviewParts;
  /** The version of the partition that was planned last, by node. */
  readonly #planned = new Map<string, string | undefined>();

  constructor(parts: PreviewParts) {
    this.#parts = parts;
  }

  async plan({ node, claim }: NodeSnapshot): Promise<void> {
    const { name } = node.metadata;
    const { fleet, partitions } = this.#parts.cluster;
    const version = partitions.get(name)?.metadata.resourceVersion;
    const isSame = this.#planned.get(name) === version;
    const due = claim.planning.filter(
      ({ metadata }) => !isSame || fleet.policy(metadata.name)?.tally.unseen.has(name) === true,
    );
    if (claim.planning.length === 0) this.#planned.delete(name);
    if (due.length === 0) return;
    // The watch keeps no pods of slices.
    const partition = await this.#parts.client.find<GpuNodePartition & KubeObject>({ resource: nodePartitions, name });
    this.#planned.set(name, version);
    for (const policy of due) {
      const outcome = planPreview(name, fleet.previewClaim(policy, partition), partition);
      for (const told of fleet.count(policy, outcome)) this.#parts.onNews(told);
    }
  }

  /** Call this when the node is gone. */
  forget(node: string): void {
    this.#planned.delete(node);
  }
}

/** What was read of Kueue, and the pods that it holds back. */
interface HeldReading {
  readonly reading: KueueReading;
  readonly waiters: readonly Waiter[];
}

/** The readings, of all policies, by which layouts are chosen. */
interface DemandReads {
  /** The pods of the cluster that wait for a node. */
  readonly pods: PacedReading<readonly PodView[]>;
  /** What Kueue holds back; a long queue takes long to read. */
  readonly held: PacedReading<HeldReading>;
  /** Resources by which DRA drivers hand out slices; undefined: DeviceClasses may not be listed. */
  readonly names: PacedReading<ExtendedNames>;
  /** The pods that hold slices, and what their eviction costs: read for a plan that may evict. */
  readonly holders: PacedReading<PoolHolders>;
  /** Labels of namespaces: read where a demand says whose pods count. */
  readonly namespaces: PacedReading<NamespaceLabels>;
}

/** @param clock by which long work lets others go first @param now a clock that is never set */
export function readForDemands(client: KubeVerbs, clock: Clock = systemClock, now = steadyMs): DemandReads {
  return {
    pods: new PacedReading(() => listPendingPods(client), now),
    held: new PacedReading(async () => takeIn(await readKueue(client), clock), now),
    names: new PacedReading(() => listNames(client), now),
    holders: new PacedReading(() => listHolders(client), now),
    namespaces: new PacedReading(() => listNamespaces(client), now),
  };
}

async function listNamespaces(client: KubeVerbs): Promise<NamespaceLabels> {
  const { items } = await client.list<KubeObject>(namespaces, {}, { trim: trimNamespace });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

function trimNamespace({ metadata: { name, labels = {} }, ...object }: KubeObject): KubeObject {
  return { ...object, metadata: { name, labels } };
}

/** Pods that no node runs yet: their number is small, and the server knows them by these fields. */
const pending = 'spec.nodeName=,status.phase=Pending';

/**
 * Lists pending pods in one answer, which the server has in memory. In pages, for which it reads all pods, where somebody has made it too
 * long for us.
 */
async function listPendingPods(client: KubeVerbs): Promise<readonly PodView[]> {
  const list = async (options: ListOptions): Promise<readonly PodView[]> =>
    (await client.list<PodView & KubeObject>(pods, { fieldSelector: pending }, { ...options, trim: trimWaitingPod }))
      .items;
  return list({ paged: false }).catch((error: unknown) => {
    if (error instanceof ApiError && error.reason === 'TooLarge') return list({ pageSize: 100 });
    throw error;
  });
}

async function listNames(client: KubeVerbs): Promise<ExtendedNames> {
  try {
    return extendedNamesOf(await listServed<DeviceClassView & KubeObject>(client, deviceClasses));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function takeIn(reading: KueueReading, clock: Clock): Promise<HeldReading> {
  const turn = new EventLoopYield(clock);
  const waiters: Waiter[] = [];
  for (const held of 'trouble' in reading ? [] : holding(reading)) {
    waiters.push(...held);
    await turn.pause();
  }
  return { reading, waiters };
}

const bound = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/** The watch of partitions does not keep the names of pods. */
async function listHolders(client: KubeVerbs): Promise<PoolHolders> {
  const { items: budgets } = await client.list<BudgetView & KubeObject>(disruptionBudgets, {}, { trim: trimBudget });
  const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
  const trim = (pod: PodView): PodView => trimHolder(pod, labelKeys);
  const [partitions, found] = await Promise.all([
    client.list<GpuNodePartition & KubeObject>(nodePartitions, {}, { trim: trimHoldings }),
    client.list<PodView>(pods, { fieldSelector: bound }, { trim }),
  ]);
  return indexHolders({ partitions: partitions.items, pods: found.items, budgets });
}
