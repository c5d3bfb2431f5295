import {
  type PodPool,
  isNewPolicy,
  listPodPools,
  listPool,
  type PoolCluster,
  type DemandGpu,
  setMembersAside,
} from '../../src/core/demand/members.ts';
import { shareSlices, listWaiters } from '../../src/core/demand/waiting-pods.ts';
import type { Cluster } from '../../src/controller/cluster.ts';
import type { PolicyDemand } from '../../src/api/types.ts';
import { type ClassLayout, DemandPlanner } from '../../src/core/demand/solver/choose.ts';
import { PoolClasses } from '../../src/core/demand/solver/problem.ts';
import type { PolicyRecord } from '../../src/core/policy/record.ts';
import { findStop } from '../../src/core/rollout/budget.ts';
import { type ChosenLayouts, DemandMemory, lookAgainAfter } from '../../src/core/demand/state.ts';
import {
  askFor,
  type DemandAsked,
  type Planned,
  planMembers,
  type PlannedPool,
  type PlanQuestion,
} from '../../src/core/demand/plan-pool.ts';
import { reportDemand } from '../../src/core/demand/report.ts';
import { type WantedSlice, wantedSlices } from '../../src/core/demand/wanted.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { ControllerWorld } from './controller-world.ts';
import type { NodeShell } from './shell.ts';
import type { WorkerTask } from './worker.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

/** A world whose policies may have demands. */
export interface DemandWorld {
  /** Pods that no node runs yet. */
  pendingPods(): readonly PodView[];
  readonly demandChecks: {
    isWanted(by: string, record: PolicyRecord, demand: PolicyDemand, wanted: readonly WantedSlice[]): void;
    isChosen(
      by: string,
      record: PolicyRecord,
      planned: Planned,
      chosen: ChosenLayouts,
      current: readonly DemandGpu[],
    ): void;
  };
  /** What a planted bug makes of the pool. @param known how it was read before, and when, in ms */
  seePool(members: readonly DemandGpu[], known: ReadPool | undefined): readonly DemandGpu[];
  seePods(pods: readonly PodView[]): readonly PodView[];
  seeAsked(asked: DemandAsked): DemandAsked;
}

/** The members of a pool as they were once. */
export interface ReadPool {
  readonly members: readonly DemandGpu[];
  readonly atMs: number;
}

/** What `src/controller/follow-demand.ts` does for a policy, in virtual time. */
export class DemandWork {
  readonly #world: ControllerWorld;
  readonly #demands: DemandWorld;
  readonly #cluster: Cluster;
  readonly #shell: NodeShell;
  readonly #by: string;
  readonly #lookAt: (node: string) => void;
  readonly #tellPolicy: (name: string) => void;
  readonly #memories = new Map<string, DemandMemory>();
  readonly #pools = new Map<string, ReadPool>();
  #pods: { readonly atMs: number; readonly pods: readonly PodView[] } | undefined;

  constructor(parts: {
    readonly world: ControllerWorld;
    readonly demands: DemandWorld;
    readonly cluster: Cluster;
    readonly shell: NodeShell;
    /** Name of the process. */
    readonly by: string;
    readonly lookAt: (node: string) => void;
    readonly tellPolicy: (name: string) => void;
  }) {
    this.#world = parts.world;
    this.#demands = parts.demands;
    this.#cluster = parts.cluster;
    this.#shell = parts.shell;
    this.#by = parts.by;
    this.#lookAt = parts.lookAt;
    this.#tellPolicy = parts.tellPolicy;
  }

  get #now(): number {
    return this.#world.timeline.now;
  }

  *reconcile(name: string): WorkerTask {
    const { fleet } = this.#cluster;
    const record = fleet.policy(name);
    const { demand } = record?.policy.spec ?? {};
    if (!record || !(record.isAccepted || record.inForce)) {
      this.#memories.delete(name);
      return undefined;
    }
    if (!demand) {
      this.#memories.get(name)?.lapse();
      return undefined;
    }
    const { policy } = record;
    const memory = this.#memories.get(name) ?? this.#begin(record);
    this.#memories.set(name, memory);
    const seen = this.#demands.seePool(this.#gather(record, demand, memory), this.#pools.get(name));
    if (seen !== this.#pools.get(name)?.members) this.#pools.set(name, { members: seen, atMs: this.#now });
    const { wanted, takers } = yield* this.#want(record, demand, seen, memory);
    this.#demands.demandChecks.isWanted(this.#by, record, demand, wanted);
    const asked = this.#demands.seeAsked(askFor(policy, wanted, seen));
    const planned = yield* this.#plan(memory, asked, setMembersAside(seen, takers));
    if ('waitMs' in planned) return planned.waitMs;
    const current = this.#gather(record, demand, memory);
    if (fleet.policy(name)?.policy !== policy) return 10;
    const unchecked = this.#world.hasBug('StalePool') ? planned.members : current;
    const chosen = memory.choose(demand, planned, unchecked, this.#now);
    if (!chosen) return 100;
    this.#demands.demandChecks.isChosen(this.#by, record, planned, chosen, current);
    for (const node of fleet.choose(policy, chosen.wishes)) this.#lookAt(node);
    const report = reportDemand(wanted, current, planned.shortfall, findStop(policy, this.#now));
    if (record.policy === record.newest && !deepEqual(record.demand, report)) {
      record.demand = report;
      this.#tellPolicy(name);
    }
    if (!chosen.isWhole) return 100;
    return lookAgainAfter(demand, seen);
  }

  #begin(record: PolicyRecord): DemandMemory {
    const { policies, partitions } = this.#cluster;
    const { steady } = policies.get(record.name)?.status ?? {};
    const isNew = steady === undefined && isNewPolicy(record, partitions);
    return new DemandMemory({ isNew, sinceMs: this.#now, ...(steady && { steady }) });
  }

  #gather(record: PolicyRecord, demand: PolicyDemand, memory: DemandMemory): readonly DemandGpu[] {
    const now = this.#now;
    const forgets = this.#world.hasBug('ForgetCooldown');
    const { fleet, nodes, partitions } = this.#cluster;
    const unaware = this.#world.hasBug('ForgetChoice') && {
      fleet: { policies: fleet.policies, winnerOf: (node: string) => fleet.winnerOf(node), chosenFor: () => undefined },
      nodes,
      partitions,
    };
    const found = listPool(record, unaware || this.#cluster, {
      restOf: (id, grantedMs) => (forgets ? false : memory.restOf(demand, id, now, grantedMs)),
      hasLost: (node, isOut) => memory.hasLost(demand, node, isOut, now),
    });
    const members = [...found].flat();
    // Only what exists counts, not what an earlier leader has chosen, and each leader begins at another end.
    const isFirst = members.every(({ node }) => fleet.chosenFor(record.policy, node) === undefined);
    if (!isFirst || !this.#world.hasBug('StartOver')) return members;
    const isEven = Number.parseInt(this.#by.split('-')[1] ?? '', 10) % 2 === 0;
    return members.map((one, index) => {
      const id = isEven ? `x${1000 - index}` : one.gpu.id;
      return { ...one, gpu: { ...one.gpu, id, instances: one.present } };
    });
  }

  *#want(
    record: PolicyRecord,
    demand: PolicyDemand,
    members: readonly DemandGpu[],
    memory: DemandMemory,
  ): Generator<
    number,
    { readonly wanted: readonly WantedSlice[]; readonly takers?: ReadonlySet<string> | undefined },
    undefined
  > {
    if (demand.from !== 'Pods') return { wanted: memory.want(demand, members, undefined, this.#now) };
    const pods = this.#demands.seePods(yield* this.#listPods(memory.longestMs(demand)));
    const isHasty = this.#world.hasBug('NoStabilization');
    const pools = this.#listPools(record, this.#world.hasBug('CountForEach') ? this.#alone(record) : this.#cluster);
    const share = shareSlices(listWaiters(pods), pools).get(record.name);
    const waiting = share?.waiting ?? new Map<string, number>();
    const wanted = isHasty
      ? wantedSlices(demand, members, { ...share, waiting, steady: (_, count) => count })
      : memory.want(demand, members, waiting, this.#now, share);
    return { wanted, takers: share?.takers };
  }

  /** As if there were no other policies. */
  #alone(record: PolicyRecord): PoolCluster {
    const { fleet, nodes, partitions } = this.#cluster;
    return {
      nodes,
      partitions,
      fleet: {
        policies: [record],
        winnerOf: (node) => fleet.winnerOf(node),
        chosenFor: (policy, node) => fleet.chosenFor(policy, node),
      },
    };
  }

  #listPools(record: PolicyRecord, cluster: PoolCluster): readonly PodPool[] {
    const reading = listPodPools(record, cluster, this.#now);
    let step = reading.next();
    while (step.done !== true) step = reading.next();
    return step.value;
  }

  *#listPods(longestMs: number): Generator<number, readonly PodView[], undefined> {
    const atMs = this.#now;
    if (this.#pods && atMs - this.#pods.atMs < longestMs) return this.#pods.pods;
    const pods = yield* this.#shell.call('Read', () => this.#demands.pendingPods());
    this.#pods = { atMs, pods };
    return pods;
  }

  *#plan(
    memory: DemandMemory,
    asked: DemandAsked,
    members: readonly DemandGpu[],
  ): Generator<number, Planned | { readonly waitMs: number }, undefined> {
    const next = memory.next(asked, members, this.#now);
    if (next) return 'planned' in next ? next.planned : next;
    const startedMs = this.#now;
    const planning = planMembers(members, asked);
    let step = planning.next();
    while (step.done !== true) {
      const { random } = this.#world;
      // A large pool takes the solver up to its limit.
      yield random.chance(0.8) ? random.between(2, 200) : random.between(200, 20_000);
      step = planning.next(planPool(step.value));
    }
    memory.takePlan(step.value, startedMs, this.#now);
    return step.value;
  }
}

/** The priority of all pods of a story. */
const rank = 0;

/** As `src/planner/solver-process.ts` plans small pools. @throws Error if the pool is too large for a model */
export function planPool({ gpus, asked }: PlanQuestion): PlannedPool {
  const pool = new PoolClasses();
  for (const gpu of gpus)
    pool.add({ ...gpu, instances: gpu.instances.map((one) => (one.busy ? { ...one, rank } : one)) });
  const classes = pool.list();
  const plan = new DemandPlanner({ classes, ...asked }).planSmall(true);
  if (plan === undefined) throw new Error('the pool is too large for a model');
  const byId = new Map<string, ClassLayout>();
  for (const [ids, layout] of pool.handOut(classes, plan.layouts)) for (const id of ids) byId.set(id, layout);
  const layouts = gpus.flatMap(({ id }) => byId.get(id) ?? []);
  return { cost: plan.cost, unserved: plan.unserved, layouts };
}
