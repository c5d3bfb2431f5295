import { askAll } from '../../src/core/text/asking.ts';
import type { GpuPartitionPolicy, PolicyDemand } from '../../src/api/types.ts';
import type { Cluster } from '../../src/controller/cluster.ts';
import type { DemandGpu, PoolCluster } from '../../src/core/demand/members.ts';
import type { Planned, PlannedPool, PlanQuestion } from '../../src/core/demand/plan-pool.ts';
import { type ClassLayout, DemandPlanner } from '../../src/core/demand/solver/choose.ts';
import { PoolClasses } from '../../src/core/demand/solver/problem.ts';
import type { ChosenLayouts } from '../../src/core/demand/plan-pool.ts';
import { DemandMemory } from '../../src/core/demand/state.ts';
import { type WantedSlice, wantedSlices } from '../../src/core/demand/wanted.ts';
import type { PolicyRecord } from '../../src/core/policy/record.ts';
import type { think } from '../../src/planner/questions.ts';
import { EventLoopYield } from '../../src/process/clock.ts';
import type { ModelCluster } from './cluster.ts';

/** Who looks at what a demand asks for and is given. */
export interface DemandOnlooker {
  isWanted(by: string, record: PolicyRecord, demand: PolicyDemand, wanted: readonly WantedSlice[]): void;
  isChosen(
    by: string,
    record: PolicyRecord,
    planned: Planned,
    chosen: ChosenLayouts,
    current: readonly DemandGpu[],
  ): void;
}

/** The members of a pool as they were once. */
export interface ReadPool {
  readonly members: readonly DemandGpu[];
  readonly atMs: number;
}

/** A process's thoughts about its pools: the product's, in virtual time and seen by the onlooker, with the planted bug if there is one. */
export class PoolThoughts {
  readonly #world: ModelCluster;
  readonly #by: string;
  readonly #cluster: Cluster;
  readonly #pause: (ms: number) => Promise<void>;
  /** Pools as they were seen, by policy. */
  readonly #seen = new Map<string, ReadPool>();
  /** Pools as they really are, by policy. */
  readonly #current = new Map<string, readonly DemandGpu[]>();

  /** @param by name of the process @param pause lets time pass */
  constructor(world: ModelCluster, by: string, cluster: Cluster, pause: (ms: number) => Promise<void>) {
    this.#world = world;
    this.#by = by;
    this.#cluster = cluster;
    this.#pause = pause;
  }

  /** What a process remembers of a demand from now on. */
  begin(record: PolicyRecord): DemandMemory {
    const known = (): PolicyRecord => this.#cluster.fleet.policy(record.name) ?? record;
    return new SeenMemory(this.#world, this.#by, known, this);
  }

  /** The pool of a policy, as the process sees it. @param found what it has read */
  see(record: PolicyRecord, found: readonly DemandGpu[]): readonly DemandGpu[] {
    const members = this.#startsOver(record, found);
    this.#current.set(record.name, members);
    const known = this.#seen.get(record.name);
    const seen = this.#world.seePool(members, known);
    if (seen !== known?.members) this.#seen.set(record.name, { members: seen, atMs: this.#world.timeline.now });
    return seen;
  }

  /** The members of a policy's pool as they really are, as far as they were read. */
  currentOf({ name }: PolicyRecord): readonly DemandGpu[] {
    return this.#current.get(name) ?? [];
  }

  /** Without what is chosen for nodes that do not know it yet. */
  aware(cluster: PoolCluster): PoolCluster {
    const { fleet } = cluster;
    if (!this.#world.hasBug('ForgetChoice')) return cluster;
    const winnerOf = (node: string): string | undefined => fleet.winnerOf(node);
    return { ...cluster, fleet: { policies: fleet.policies, winnerOf, chosenFor: () => undefined } };
  }

  /** Only what exists counts, not what an earlier leader has chosen, and each leader begins at another end. */
  #startsOver(record: PolicyRecord, members: readonly DemandGpu[]): readonly DemandGpu[] {
    const { fleet } = this.#cluster;
    const isFirst = members.every(({ node }) => fleet.chosenFor(record.policy, node) === undefined);
    if (!isFirst || !this.#world.hasBug('StartOver')) return members;
    const isEven = Number.parseInt(this.#by.split('-')[1] ?? '', 10) % 2 === 0;
    return members.map((one, index) => {
      const id = isEven ? `x${1000 - index}` : one.gpu.id;
      return { ...one, gpu: { ...one.gpu, id, instances: one.present } };
    });
  }

  readonly think: typeof think = async (thought, thinking) => {
    const turn = new EventLoopYield(thinking?.clock);
    return askAll(thought, async (question) => {
      if (question === undefined) {
        await turn.pause();
        return undefined;
      }
      const { random } = this.#world;
      // A large pool takes the solver up to its limit.
      await this.#pause(random.chance(0.8) ? random.between(2, 200) : random.between(200, 20_000));
      return planPool(question);
    });
  };
}

/** A memory of a demand into which the onlooker sees. */
class SeenMemory extends DemandMemory {
  readonly #world: ModelCluster;
  readonly #by: string;
  readonly #record: () => PolicyRecord;
  readonly #thoughts: PoolThoughts;

  constructor(world: ModelCluster, by: string, record: () => PolicyRecord, thoughts: PoolThoughts) {
    super();
    this.#world = world;
    this.#by = by;
    this.#record = record;
    this.#thoughts = thoughts;
  }

  override *gather(...[record, demand, cluster, ...more]: Parameters<DemandMemory['gather']>) {
    return this.#thoughts.see(record, yield* super.gather(record, demand, this.#thoughts.aware(cluster), ...more));
  }

  override restOf(...question: Parameters<DemandMemory['restOf']>): ReturnType<DemandMemory['restOf']> {
    return this.#world.hasBug('ForgetCooldown') ? false : super.restOf(...question);
  }

  override *ask(...[policy, demand, pool, pods, ...more]: Parameters<DemandMemory['ask']>) {
    const isAlone = pods && this.#world.hasBug('CountForEach');
    return yield* super.ask(policy, demand, pool, isAlone ? countAlone(pods) : pods, ...more);
  }

  override *plan(...[policy, demand, question, ...more]: Parameters<DemandMemory['plan']>) {
    const asked = this.#world.seeAsked(question.asked);
    return yield* super.plan(policy, demand, { ...question, asked }, ...more);
  }

  override want(...question: Parameters<DemandMemory['want']>): readonly WantedSlice[] {
    const [demand, members, waiting, , share] = question;
    const isHasty = this.#world.hasBug('NoStabilization') && waiting !== undefined;
    const wanted = isHasty
      ? wantedSlices(demand, members, { ...share, waiting, steady: (_, count) => count })
      : super.want(...question);
    this.#world.checks.demands?.isWanted(this.#by, this.#record(), demand, wanted);
    return wanted;
  }

  override next(...[asked, ...more]: Parameters<DemandMemory['next']>): ReturnType<DemandMemory['next']> {
    return super.next(this.#world.seeAsked(asked), ...more);
  }

  override choose(...question: Parameters<DemandMemory['choose']>): ChosenLayouts | undefined {
    const [demand, planned, current, ...more] = question;
    const unchecked = this.#world.hasBug('StalePool') ? planned.members : current;
    const chosen = super.choose(demand, planned, unchecked, ...more);
    if (chosen)
      this.#world.checks.demands?.isChosen(
        this.#by,
        this.#record(),
        planned,
        chosen,
        this.#thoughts.currentOf(this.#record()),
      );
    return chosen;
  }
}

type PodsRead = NonNullable<Parameters<DemandMemory['ask']>[3]>;

/** The pods that wait, as if theirs were the only policy. */
function countAlone(pods: PodsRead): PodsRead {
  const { record, cluster } = pods;
  const { fleet } = cluster;
  const alone = {
    policies: [record],
    winnerOf: (node: string) => fleet.winnerOf(node),
    chosenFor: (policy: GpuPartitionPolicy, node: string) => fleet.chosenFor(policy, node),
  };
  return { ...pods, cluster: { ...cluster, fleet: alone } };
}

/** The priority of all pods of a story, where it is not asked for. */
const rank = 0;

/** As `src/planner/solver-process.ts` plans small pools. @throws Error if the pool is too large for a model */
export function planPool({ gpus, asked }: PlanQuestion): PlannedPool {
  const pool = new PoolClasses();
  for (const gpu of gpus)
    pool.add({ ...gpu, instances: gpu.instances.map((one) => (one.busy ? { rank, ...one } : one)) });
  const classes = pool.list();
  const plan = new DemandPlanner({ classes, ...asked }).planSmall(true);
  if (plan === undefined) throw new Error('the pool is too large for a model');
  const byId = new Map<string, ClassLayout>();
  for (const [ids, layout] of pool.handOut(classes, plan.layouts)) for (const id of ids) byId.set(id, layout);
  const layouts = gpus.flatMap(({ id }) => byId.get(id) ?? []);
  return { cost: plan.cost, unserved: plan.unserved, layouts };
}
