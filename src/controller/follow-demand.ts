import type { PolicyDemand, GpuNodePartition } from '../api/types.ts';
import type { PodView } from '../core/kubernetes/pod.ts';
import { mayUseClaims } from '../core/policy/spec.ts';
import type { DemandReport } from '../core/policy/spec.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { type DemandMemory, readHolders, reportFailure } from '../core/demand/state.ts';
import type { KueueReading } from '../core/demand/kueue.ts';
import { trimWaitingPod } from '../core/demand/waiting-pods.ts';
import { omitUndefined, deepEqual } from '../core/text/json.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { describeError, type Logger } from '../process/log.ts';
import type { think } from '../planner/questions.ts';
import type { Cluster } from './cluster.ts';
import { nodePartitions, deviceClasses, disruptionBudgets, namespaces, pods } from '../api/resources.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { planPreview } from '../core/node/decide.ts';
import { type KubeVerbs, readKueue, listServed } from '../kube/client.ts';
import type { KubeObject } from '../kube/watch.ts';
import { type ClusterFacts, extendedNamesOf } from '../core/cluster/facts.ts';
import type { BudgetView } from '../core/node/eviction.ts';
import { ApiError } from '../kube/api-error.ts';
import type { ListOptions } from '../kube/request.ts';
import { type Clock, steadyMs } from '../process/clock.ts';
import { PacedReading } from './gather.ts';
import { trimBudget } from './watched-objects.ts';

type PoolCluster = Parameters<DemandMemory['gather']>[2];
type PodsRead = NonNullable<Parameters<DemandMemory['ask']>[3]>;
type AskedPool = Parameters<DemandMemory['plan']>[2];
type Planned = Parameters<DemandMemory['takePlan']>[0];
type Holders = NonNullable<Parameters<DemandMemory['choose']>[4]>;

/** How old a list of DeviceClasses may be, in ms. */
const classesPaceMs = 30_000;

/** What the demand of a policy asks of its pool, and what is remembered of it. */
interface Question extends AskedPool {
  readonly record: PolicyRecord;
  readonly demand: PolicyDemand;
  readonly memory: DemandMemory;
  /** Aborts when the term is over. */
  readonly signal: AbortSignal;
}

interface Parts extends DemandReads {
  readonly cluster: Cluster;
  readonly log: Logger;
  readonly requeueNodes: (names: Iterable<string>) => void;
  /** Called with a policy whose demand stands differently. */
  readonly tellPolicy: (name: string) => void;
  readonly think: typeof think;
  /** What is remembered of the demand of a policy from now on. */
  readonly newMemory: (record: PolicyRecord) => DemandMemory;
  readonly clock: Clock;
  readonly now: () => number;
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
    const pool = await this.#gather(record, demand, memory);
    const read = await this.#readPods(record, demand, memory, signal);
    const { clock, now } = this.#parts;
    const asked = await this.#parts.think(memory.ask(policy, demand, pool, read, now()), { clock });
    const requeueAfterMs = asked.lookAgainMs;
    try {
      const { planned, defrag, part } = await this.#planFree({ ...asked, record, demand, memory, signal });
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      const evicts = planned.layouts.some(({ destroy }) => destroy.some(({ busy }) => busy));
      const holders = evicts ? await this.#parts.holders.get() : undefined;
      // 1. What was planned for GPUs that have changed meanwhile is not taken.
      const current = await this.#gather(record, demand, memory);
      if (this.#parts.cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const chosen = memory.choose(demand, planned, current, this.#parts.now(), holders);
      if (!chosen) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const { wishes, touched, isWhole } = chosen;
      if (touched.length > 0)
        this.#parts.log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#parts.requeueNodes(this.#parts.cluster.fleet.choose(policy, wishes));
      const found = asked.report(current, planned.shortfall, this.#parts.now());
      this.#report(record, { ...found, ...omitUndefined({ defrag: isWhole ? defrag : (part ?? defrag) }) });
      if (!isWhole) return { requeueAfterMs: 100 };
    } catch (error) {
      signal.throwIfAborted();
      this.#reportFailure(record, 'PlannerFailed', error);
      throw error;
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #begin(record: PolicyRecord): DemandMemory {
    const { policies, partitions } = this.#parts.cluster;
    const { status } = policies.get(record.name) ?? {};
    const memory = this.#parts.newMemory(record);
    memory.recall(record, status, partitions, this.#parts.now());
    return memory;
  }

  #report(record: PolicyRecord, found: DemandReport): void {
    const report = { ...found, ...omitUndefined({ generation: record.policy.metadata.generation }) };
    if (deepEqual(record.demand, report)) return;
    record.demand = report;
    this.#parts.tellPolicy(record.name);
  }

  #reportFailure(record: PolicyRecord, reason: Parameters<typeof reportFailure>[0], error: unknown): void {
    const { status } = this.#parts.cluster.policies.get(record.name) ?? {};
    this.#report(record, reportFailure(reason, describeError(error), record.demand, status));
  }

  async #gather(record: PolicyRecord, demand: PolicyDemand, memory: DemandMemory): Promise<AskedPool['members']> {
    const cluster = await this.#readCluster();
    const { clock, now } = this.#parts;
    return this.#parts.think(memory.gather(record, demand, cluster, now()), { clock });
  }

  /** Reads the cluster, with the names of DeviceClasses where DRA drivers may hand out slices: pods ask by them. */
  async #readCluster(): Promise<PoolCluster> {
    const { fleet, nodes, partitions } = this.#parts.cluster;
    const mayBeDra = [...fleet.policies].some(({ policy }) => mayUseClaims(policy.spec));
    return { fleet, nodes, partitions, ...(mayBeDra && { names: await this.#parts.names.get(classesPaceMs) }) };
  }

  /**
   * Reads the pods that wait; undefined if the demand does not follow pods. What cannot be read is told: else the last answer stands for
   * good, and why pods wait is not known.
   */
  async #readPods(
    record: PolicyRecord,
    demand: PolicyDemand,
    memory: DemandMemory,
    signal: AbortSignal,
  ): Promise<PodsRead | undefined> {
    const paces = memory.pacesOf(demand);
    if (!paces) return undefined;
    const { podsMs, paceMs } = paces;
    const isTold = [...this.#parts.cluster.fleet.policies].some(({ policy }) => policy.spec.demand?.namespaceSelector);
    try {
      const held = demand.from === 'Kueue' ? await this.#parts.held.get(paceMs) : undefined;
      const labels = isTold ? await this.#parts.namespaces.get(paceMs) : undefined;
      const waiting = { pods: await this.#parts.pods.get(podsMs), namespaces: labels };
      return { record, cluster: await this.#readCluster(), waiting, held };
    } catch (error) {
      signal.throwIfAborted();
      this.#reportFailure(record, 'PodsUnavailable', error);
      throw error;
    }
  }

  /** Plans the demand, and with it what is to be freed if that can be done. @returns with how that stands if only a part of the plan is taken */
  async #planFree(question: Question): Promise<{
    readonly planned: Planned | { readonly waitMs: number };
    readonly defrag: DemandReport['defrag'];
    readonly part?: DemandReport['defrag'];
  }> {
    const { record } = question;
    const { policies, nodes } = this.#parts.cluster;
    const { defrag, freeing } = question.judgeRequest(policies.get(record.name), record.demand?.defrag);
    if (!freeing) return { planned: await this.#plan(question), defrag };
    const planned = freeing.served ?? (await this.#planNow({ ...question, asked: freeing.asked }));
    const isShort = Object.keys(planned.shortfall.lacking).length > 0;
    const freed = freeing.judge(planned, nodes, isShort ? undefined : await this.#parts.holders.get());
    return freed.part ? { planned, ...freed } : { planned: await this.#plan(question), ...freed };
  }

  /** @returns in how many ms to ask again, if the last answer took long */
  async #plan(question: Question): Promise<Planned | { readonly waitMs: number }> {
    const { memory, asked, members } = question;
    const next = memory.next(asked, members, this.#parts.now());
    if (next) return 'planned' in next ? next.planned : next;
    const startedMs = this.#parts.now();
    const planned = await this.#planNow(question);
    memory.takePlan(planned, startedMs, this.#parts.now());
    return planned;
  }

  /** A plan, for which it is read what evictions cost if it may have some. */
  async #planNow(question: Question): Promise<Planned> {
    const { memory, record, demand, mayEvict, signal } = question;
    const holders = mayEvict ? await this.#parts.holders.get() : undefined;
    return this.#parts.think(memory.plan(record.policy, demand, question, holders, this.#parts.now()), { signal });
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

/** The readings, of all policies, by which layouts are chosen. */
interface DemandReads {
  /** The pods of the cluster that wait for a node. */
  readonly pods: PacedReading<readonly PodView[]>;
  /** What Kueue holds back; a long queue takes long to read. */
  readonly held: PacedReading<KueueReading>;
  /** Resources by which DRA drivers hand out slices; undefined: DeviceClasses may not be listed. */
  readonly names: PacedReading<PoolCluster['names']>;
  /** The pods that hold slices, and what their eviction costs: read for a plan that may evict. */
  readonly holders: PacedReading<Holders>;
  /** Labels of namespaces: read where a demand says whose pods count. */
  readonly namespaces: PacedReading<ClusterFacts['namespaces']>;
}

/** @param now a clock that is never set */
export function readForDemands(client: KubeVerbs, now = steadyMs): DemandReads {
  return {
    pods: new PacedReading(() => listPendingPods(client), now),
    held: new PacedReading(() => readKueue(client), now),
    names: new PacedReading(() => listNames(client), now),
    holders: new PacedReading(() => listHolders(client), now),
    namespaces: new PacedReading(() => listNamespaces(client), now),
  };
}

async function listNamespaces(client: KubeVerbs): Promise<ClusterFacts['namespaces']> {
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

type DeviceClass = NonNullable<ClusterFacts['classes']>[number];

async function listNames(client: KubeVerbs): Promise<PoolCluster['names']> {
  try {
    return extendedNamesOf(await listServed<DeviceClass & KubeObject>(client, deviceClasses));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const bound = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/** The watch of partitions does not keep the names of pods. */
async function listHolders(client: KubeVerbs): Promise<Holders> {
  const { items: budgets } = await client.list<BudgetView & KubeObject>(disruptionBudgets, {}, { trim: trimBudget });
  const { trimPod, trimPartition, index } = readHolders(budgets);
  const [partitions, found] = await Promise.all([
    client.list<GpuNodePartition & KubeObject>(nodePartitions, {}, { trim: trimPartition }),
    client.list<PodView>(pods, { fieldSelector: bound }, { trim: trimPod }),
  ]);
  return index(partitions.items, found.items);
}
