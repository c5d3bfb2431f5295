import type { PolicyDemand } from '../api/types.ts';
import { DemandWindow } from '../core/demand/demand-window.ts';
import { RelayRest } from '../core/demand/relay-rest.ts';
import type { NodeView } from '../core/node/node-view.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { enforces } from '../core/policy/versions.ts';
import { askFor, isServed, type DemandAsked } from '../core/supply/demand-question.ts';
import { areUnchanged, listChanged, type MemberLayout, wishesOf } from '../core/supply/demand-answer.ts';
import { layRest } from '../core/supply/demand-rest.ts';
import { nameSlice, type WantedSlice } from '../core/policy/demand-profiles.ts';
import type { DemandReport } from '../core/policy/demand-report.ts';
import { reportDemand, reportFailure, type Shortfall } from '../core/supply/demand-report.ts';
import { listMembers, type Member } from '../core/supply/member.ts';
import { countWaiting } from '../core/supply/pod-demand.ts';
import { type Wanted, wantedOf } from '../core/supply/wanted.ts';
import { durationMs } from '../core/text/duration.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { type DemandPlan, planDemand } from '../process/demand-solver.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { Turn } from '../process/turn.ts';
import type { Cluster } from './cluster.ts';
import type { PendingPods } from './pending-pods.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;
/** A plan that leaves something unserved is made again when the pool changes, but takes at most this part of the time. */
const mostShare = 0.1;
const usualCooldown = '30m';
const usualStabilization = '10m';
/** A higher demand must last this long, unless the stabilization is shorter. */
const longestRiseMs = 60_000;
/** How often waiting pods are read at most, and at least, in ms. */
const podsPace = { least: 1000, most: 10_000 };

/** How often it is looked whether GPUs have rested, in ms. */
const restPaceMs = 30_000;

/** A plan, and the pool that it was made for. */
interface Planned {
  readonly members: readonly Member[];
  readonly asked: DemandAsked;
  readonly layouts: DemandPlan['layouts'];
  readonly shortfall: Shortfall;
}

/** Chooses layouts for the demands of policies: gathers their pools, has them planned, and hands the wishes to the nodes. */
export class DemandReconciler {
  readonly #cluster: Cluster;
  readonly #pods: PendingPods;
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
  readonly #short = new Map<string, { readonly planned: Planned; readonly untilMs: number }>();

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
    if (!record || !demand || !(record.isAccepted || record.inForce)) return this.#forget(name);
    const { policy } = record;
    const members = await this.#gather(record, demand);
    const wanted = await this.#want(record, demand, members);
    const asked = askFor(policy, wanted);
    const soon = demand.from === 'Pods' ? { requeueAfterMs: podsPaceOf(demand) } : undefined;
    try {
      const planned = await this.#plan(name, asked, members);
      if ('waitMs' in planned) return { requeueAfterMs: planned.waitMs };
      // 1. What was planned for a pool that has changed meanwhile is not taken.
      const current = await this.#gather(record, demand);
      if (this.#cluster.fleet.policy(name)?.policy !== policy) return { requeueAfterMs: 10 };
      const layouts = this.#layRest(record.name, demand, planned);
      const touched = listChanged(planned.members, layouts);
      if (!areUnchanged(touched, current)) return { requeueAfterMs: 100 };
      // 2. The nodes take it from here, each when it gets a slot.
      const rest = this.#restOf(name, demand);
      const now = this.#now();
      for (const { gpu } of touched) rest.relaid(gpu.id, now);
      if (touched.length > 0)
        this.#log.info('layouts chosen for the demand', { policy: name, gpusChanging: touched.length });
      this.#requeueNodes(this.#cluster.fleet.choose(policy, wishesOf(planned.members, layouts)));
      this.#report(record, reportDemand(wanted, current, planned.shortfall));
    } catch (error) {
      this.#report(record, reportFailure(record.demand, describeError(error)));
      throw error;
    }
    return soon ?? this.#untilRested(demand, members);
  }

  /** What the plan leaves as it is, by the demand's `rest`: once all is served, and it is known what has not been asked for lately. */
  #layRest(
    name: string,
    demand: PolicyDemand,
    { asked, members, layouts, shortfall }: Planned,
  ): readonly (MemberLayout | undefined)[] {
    const isDone = Object.keys(shortfall.lacking).length === 0 && listChanged(members, layouts).length === 0;
    const isSettled = (slice: WantedSlice): boolean =>
      slice.count !== undefined || this.#windowOf(name, demand, nameSlice(slice)).isSettled(this.#now());
    return isDone && demand.slices.every(isSettled) ? layRest(demand.rest, asked, members) : layouts;
  }

  /** A GPU that was re-laid may become part of the rest once it has rested, of which nothing tells. */
  #untilRested({ rest = 'Keep' }: PolicyDemand, members: readonly Member[]): ReconcileResult | undefined {
    return rest !== 'Keep' && members.some(({ rests }) => rests) ? { requeueAfterMs: restPaceMs } : undefined;
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

  async #gather(record: PolicyRecord, demand: PolicyDemand): Promise<readonly Member[]> {
    const { fleet, partitions } = this.#cluster;
    const { policy } = record;
    const { name } = policy.metadata;
    const rest = this.#restOf(name, demand);
    const now = this.#now();
    const turn = new Turn();
    const members: Member[] = [];
    for (const node of [...record.nodes].sort()) {
      // One that only plans takes no node from another, and shows what it would do with all.
      const partition = !enforces(policy) || fleet.winnerOf(node) === name ? partitions.get(node) : undefined;
      if (partition !== undefined)
        members.push(...listMembers(policy, partition, (uuid) => rest.isResting(`${node}/${uuid}`, now)));
      await turn.pause();
    }
    return members;
  }

  async #want(record: PolicyRecord, demand: PolicyDemand, members: readonly Member[]): Promise<readonly Wanted[]> {
    if (demand.from !== 'Pods') return wantedOf(demand, members, { waiting: undefined, steady: (_, count) => count });
    const { name } = record;
    const pods = await this.#pods.list(podsPaceOf(demand));
    const before = [...this.#cluster.fleet.policies].filter(
      (one) => one.name < name && one.policy.spec.demand?.from === 'Pods',
    );
    const waiting = countWaiting(
      pods,
      this.#nodesOf(record),
      before.flatMap((one) => this.#nodesOf(one)),
    );
    const now = this.#now();
    const steady = (slice: string, count: number): number => this.#windowOf(name, demand, slice).observe(count, now);
    return wantedOf(demand, members, { waiting, steady });
  }

  #nodesOf({ name, nodes }: PolicyRecord): readonly NodeView[] {
    const { fleet, nodes: known } = this.#cluster;
    return [...nodes].flatMap((node) => (fleet.winnerOf(node) === name ? (known.get(node) ?? []) : []));
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
  ): Promise<Planned | { readonly waitMs: number }> {
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
    const planned = await planMembers(members, asked);
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

/** The best plan that leaves resting GPUs alone; if that leaves something unserved, one that does not, where it serves more. */
async function planMembers(members: readonly Member[], asked: DemandAsked): Promise<Planned> {
  const all = { ...asked, seconds: planSeconds };
  const resting = members.map(({ gpu, rests }) => (rests ? { ...gpu, isResting: true } : gpu));
  const gentle = await planDemand(resting, all);
  const isShort = gentle.cost.unserved > 0;
  const gpus = members.map(({ gpu }) => gpu);
  const urgent = isShort && members.some(({ rests }) => rests) ? await planDemand(gpus, all) : gentle;
  const plan = urgent.cost.unserved < gentle.cost.unserved ? urgent : gentle;
  const isHeld = plan.cost.unserved > 0 && asked.evict === 'Never';
  const free = isHeld ? await planDemand(gpus, { ...all, evict: 'IfNeeded' }) : undefined;
  return {
    members,
    asked,
    layouts: plan.layouts,
    shortfall: { lacking: plan.unserved, lackingAtLeast: free?.unserved },
  };
}
