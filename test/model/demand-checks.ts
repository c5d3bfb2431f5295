import { findModel } from '../../src/core/gpu/geometry.ts';
import { computeInstancesOf } from '../../src/core/gpu/device-state.ts';
import { isDeepStrictEqual } from 'node:util';
import type { GpuPartitionPolicy, GpuWish, PolicySpec } from '../../src/api/types.ts';
import { explainAside as setAside } from '../../src/core/cluster/facts.ts';
import type { PolicyRecord } from '../../src/core/policy/record.ts';
import { variantsOf } from '../../src/core/policy/spec.ts';
import { profilesServing } from '../../src/core/policy/spec.ts';
import type { DemandGpu } from '../../src/core/demand/members.ts';
import type { ChosenLayouts } from '../../src/core/demand/plan-pool.ts';
import { isServed, type Planned } from '../../src/core/demand/plan-pool.ts';
import type { WantedSlice } from '../../src/core/demand/wanted.ts';
import type { ApiChange, Pod, Policy } from './api.ts';
import { planPool } from './follow-demand.ts';
import { Violation } from './violation.ts';
import { nodeOf } from './pods.ts';
import { isAbsurd, resourceOf } from './fleet-pods.ts';
import { msOf } from './fleet-policies.ts';
import type { FleetWorld } from './fleet-world.ts';

type Demand = NonNullable<PolicySpec['demand']>;

/** How long pods may be reported as running after they ended: their node or its agent is down. */
const silenceMs = 200_000;
/** A plan takes up to three times the solver's limit. */
const planMs = 80_000;
/** Policies read the waiting pods at different moments, at most this far apart. */
const paceMs = 15_000;
const keptMs = 1_000_000;
/** A grant is written a moment after it was decided. */
const writeMs = 5_000;

interface Asks {
  readonly at: number;
  /** By what they request. */
  readonly running: ReadonlyMap<string, number>;
  readonly waiting: ReadonlyMap<string, number>;
  /** Pods that wait, by uid. */
  readonly pods: readonly string[];
}

/** An observer of demands: what pods ask for, what is chosen for it, and what that does to pods. */
export class DemandChecks {
  readonly #world: FleetWorld;
  #asks: readonly Asks[] = [];
  /** Since when the agents report an instance as used, by node and UUID. */
  readonly #busySince = new Map<string, ReadonlyMap<string, number>>();
  readonly #relaidAt = new Map<string, number>();
  /** When it was re-laid before that. */
  readonly #relaidBefore = new Map<string, number>();
  /** When a node was last granted a change for a policy, by both. */
  readonly #granted = new Map<string, { readonly at: number; readonly epoch: number }>();
  /** Since when nodes are cordoned, being removed or silent. */
  readonly #asideSince = new Map<string, number>();
  /** GPUs for which something was chosen, by leader and generation of a policy. */
  readonly #chosen = new Map<string, { readonly asked: string; readonly pending: ReadonlyMap<string, GpuWish> }>();
  readonly #waiting = new Map<
    string,
    { readonly at: number; readonly by: string; readonly count: number; readonly short: readonly number[] }
  >();
  readonly #editedAt = new Map<string, number>();
  /** When what belongs to a pool last changed. */
  #poolsChangedAt = -Infinity;
  /** When a pool was last found to have room for more of what it counts. */
  #roomCameAt = -Infinity;
  /** When an agent last reported another instance, or another use of one. */
  #slicesChangedAt = -Infinity;
  /** GPUs that plans have re-laid. */
  relaid = 0;

  constructor(world: FleetWorld) {
    this.#world = world;
  }

  get #now(): number {
    return this.#world.timeline.now;
  }

  apiHasChanged(change: ApiChange): void {
    if (change.kind === 'nodes') {
      const { name } = change.object.metadata;
      const isAside = change.type !== 'delete' && setAside((change as ApiChange<'nodes'>).object) !== undefined;
      if (!isAside) this.#asideSince.delete(name);
      else if (!this.#asideSince.has(name)) this.#asideSince.set(name, this.#now);
    }
    if (change.kind === 'pods') this.#countPods();
    if (change.kind === 'policies') this.#policyHasChanged(change as ApiChange<'policies'>);
    if (change.kind === 'nodes' && (change.type === 'delete' || !change.before)) {
      this.#poolsChangedAt = this.#now;
      // Another machine of the name has other GPUs.
      for (const key of this.#relaidAt.keys())
        if (key.includes(` ${change.object.metadata.name}/`)) this.#relaidAt.delete(key);
    }
    if (change.kind === 'partitions') this.#partitionHasChanged(change as ApiChange<'partitions'>);
  }

  #countPods(): void {
    if (this.#world.setup.hasDemands !== true) return;
    const running = new Map<string, number>();
    const waiting = new Map<string, number>();
    const pods: string[] = [];
    for (const pod of this.#world.api.list('pods')) {
      if (pod.status?.phase === 'Failed' || isAbsurd(pod)) continue;
      const counts = nodeOf(pod) === '' ? waiting : running;
      const resource = resourceOf(pod);
      counts.set(resource, (counts.get(resource) ?? 0) + 1);
      if (counts === waiting) pods.push(pod.metadata.uid ?? '');
    }
    // With what had stood for longer than that.
    const from = Math.max(
      0,
      this.#asks.findLastIndex(({ at }) => at <= this.#now - keptMs),
    );
    this.#asks = [...this.#asks.slice(from), { at: this.#now, running, waiting, pods }];
  }

  #policyHasChanged({ object, before, type }: ApiChange<'policies'>): void {
    if (type === 'apply' && object.metadata.generation === before?.metadata.generation) {
      if (object.status?.acceptedGeneration === before?.status?.acceptedGeneration) return;
    }
    this.#editedAt.set(object.metadata.name, this.#now);
    // One that has had layouts meanwhile begins again.
    const { uid = '' } = object.metadata;
    if (object.spec.demand === undefined)
      for (const key of this.#relaidAt.keys()) if (key.includes(` ${uid} `)) this.#relaidAt.delete(key);
    this.#poolsChangedAt = this.#now;
  }

  // --- what is chosen ---------------------------------------------------------------------------------------------

  /**
   * No more is wanted of a slice than pods have asked for lately, and each pod counts once.
   *
   * @param demand for which it is wanted: the policy may have been edited since
   */
  isWanted(by: string, record: PolicyRecord, demand: Demand, wanted: readonly WantedSlice[]): void {
    if (demand.from !== 'Pods') return;
    const onlooks = record.policy.spec.mode === 'Plan';
    const lookBackMs = msOf(demand.stabilization ?? '10m') + silenceMs + this.#world.checks.lagMs;
    const { product } = this.#world.setup;
    const model = findModel(product);
    for (const [index, { name, count }] of wanted.entries()) {
      const range = demand.slices[index];
      if (!model || !range || range.count !== undefined) continue;
      const resources = profilesServing(range, model, product).map((profile) => `nvidia.com/mig-${profile}`);
      const asks =
        this.#mostWithin(lookBackMs, ({ running }) => sumOf(running, resources)) +
        this.#mostWithin(lookBackMs, ({ waiting }) => sumOf(waiting, resources));
      const { min = 0, max = Infinity, spare = 0 } = range;
      const extra = typeof spare === 'number' ? spare : Math.ceil((asks * Number.parseInt(spare, 10)) / 100);
      const most = Math.max(min, Math.min(max, asks + extra));
      const words = `${by} wants ${count} of ${name} for ${record.name}`;
      insist(count <= most, 'D1', `${words}, and pods asked for ${asks}, ${extra} spare, at most`);
    }
    // One that only plans shows what it would do: it takes no pod from another.
    if (!onlooks) this.#countOnce(by, record, demand, wanted);
  }

  /** Each pod counts for one pool, and for others only where that cannot serve it. */
  #countOnce(by: string, record: PolicyRecord, demand: Demand, wanted: readonly WantedSlice[]): void {
    const followed = wanted.filter((_, index) => demand.slices[index]?.count === undefined);
    const short = followed.map(({ name, waiting = 0, beyond }) => {
      const { unmet = 0 } = record.demand?.states.find((one) => one.name === name) ?? {};
      return Math.min(waiting, unmet + beyond);
    });
    const before = this.#waiting.get(record.name)?.short ?? [];
    if (short.some((one, index) => one < (before[index] ?? 0))) this.#roomCameAt = this.#now;
    const count = followed.reduce((sum, { waiting = 0 }, index) => sum + waiting - (short[index] ?? 0), 0);
    this.#waiting.set(record.name, { at: this.#now, by, count, short });
    if (this.#now - this.#poolsChangedAt < silenceMs) return;
    // A pod counts for the pool with an idle slice for it, or with room, which another may be a moment later.
    const changedAt = Math.max(this.#slicesChangedAt + this.#world.checks.lagMs, this.#roomCameAt);
    const since = Math.max(this.#now - paceMs, changedAt);
    const all = [...this.#waiting.values()].filter((one) => one.by === by && one.at > since);
    const sum = all.reduce((total, one) => total + one.count, 0);
    // Pools are read at different moments: each may count other pods, and none the pods of another.
    const most = new Set(this.#asksWithin(2 * paceMs + this.#world.checks.lagMs).flatMap(({ pods }) => pods)).size;
    insist(sum <= most, 'D1', `${by} counts ${sum} waiting pods in ${all.length} pools, and there were ${most}`);
  }

  #mostWithin(ms: number, count: (asks: Asks) => number): number {
    return Math.max(0, ...this.#asksWithin(ms).map(count));
  }

  /** With what they were when that time began. */
  #asksWithin(ms: number): readonly Asks[] {
    const before = this.#asks.findLast(({ at }) => at <= this.#now - ms);
    const since = this.#asks.filter(({ at }) => at > this.#now - ms);
    return [...(before ? [before] : []), ...since];
  }

  /** @param current the pool for which it is chosen: pods may have come since it was planned */
  isChosen(
    by: string,
    record: PolicyRecord,
    planned: Planned,
    { touched, wishes }: ChosenLayouts,
    current: readonly DemandGpu[],
  ): void {
    const { demand } = record.policy.spec;
    if (!demand || record.policy.spec.mode === 'Plan') return;
    this.relaid += touched.length;
    this.#mayChange(by, touched);
    this.#restsAfterwards(by, record.policy, demand, planned, touched);
    this.#staysChosen(by, record.policy, { ...planned, members: current }, { touched, wishes });
  }

  /** Nothing is chosen for a node that is cordoned, being removed or silent for longer than a leader may be late to know. */
  #mayChange(by: string, touched: readonly DemandGpu[]): void {
    for (const { node } of touched) {
      const since = this.#asideSince.get(node);
      const isLong = since !== undefined && this.#now - since > planMs + this.#world.checks.lagMs;
      insist(!isLong, 'D6', `${by} chooses a layout for ${node}, which takes no pods`);
    }
  }

  /** A GPU is not re-laid twice within its cooldown, unless nothing else can serve what is wanted. */
  #restsAfterwards(
    by: string,
    { metadata }: GpuPartitionPolicy,
    { cooldown = '30m' }: Demand,
    { members, asked, shortfall }: Planned,
    touched: readonly DemandGpu[],
  ): void {
    const keyOf = (id: string): string => `${by} ${metadata.uid} ${id}`;
    // A leader knows of its predecessor's changes by the grants of their nodes.
    const inherited = (id: string): number => {
      const [node = ''] = id.split('/');
      const { at = Infinity, epoch } = this.#granted.get(`${metadata.uid} ${node}`) ?? {};
      // One that was taken back, or that another policy's followed, says nothing any more.
      const { granted } = this.#world.api.find('partitions', node)?.spec ?? {};
      if (granted?.epoch !== epoch || granted?.planHash === '') return -Infinity;
      const leads = this.#world.controllers.at(-1)?.name === by;
      return leads && at + this.#world.checks.lagMs < this.#world.ledAt ? at - writeMs : -Infinity;
    };
    const rests = (id: string, slackMs: number): boolean =>
      Math.max(inherited(id), this.#relaidAt.get(keyOf(id)) ?? -Infinity) + msOf(cooldown) + slackMs > this.#now;
    const again = touched.filter(({ gpu }) => rests(gpu.id, 0));
    if (again.length > 0) {
      // A leader may take a GPU for resting of which only its predecessor knew that it has rested, and the GPU of another machine for its own.
      const gpus = members.map(({ gpu, rests: isSaid, isAside }) => {
        const isLeft = isAside === true || (isSaid && !touched.some((one) => one.gpu.id === gpu.id));
        return isLeft || rests(gpu.id, planMs) ? { ...gpu, isResting: true } : gpu;
      });
      const without = planPool({ gpus, asked }).cost.unserved;
      const unserved = asked.slices.reduce((sum, { name, weight }) => sum + weight * (shortfall.lacking[name] ?? 0), 0);
      const names = again.map(({ gpu }) => gpu.id).join();
      insist(without > unserved, 'D2', `${by} re-lays ${names} within ${cooldown}, and others would serve as much`);
    }
    for (const { gpu } of touched) {
      const key = keyOf(gpu.id);
      const [at = -Infinity, before = -Infinity] = [this.#relaidAt.get(key), this.#relaidBefore.get(key)];
      const isHeld = at < before + msOf(cooldown) && this.#now < at + msOf(cooldown);
      insist(!isHeld, 'D2', `${by} re-lays ${gpu.id} for the third time within ${cooldown}`);
      this.#relaidBefore.set(key, at);
      this.#relaidAt.set(key, this.#now);
    }
  }

  /** What was chosen for a GPU, and is not made yet, is not taken back while the same is asked for. */
  #staysChosen(
    by: string,
    policy: GpuPartitionPolicy,
    planned: Pick<Planned, 'members' | 'asked'>,
    { touched, wishes }: Omit<ChosenLayouts, 'isWhole'>,
  ): void {
    const key = `${by} ${policy.metadata.uid} ${policy.metadata.generation}`;
    const before = this.#chosen.get(key);
    const asked = JSON.stringify(planned.asked);
    const ids = new Set(touched.map(({ gpu }) => gpu.id));
    const pending = new Map<string, GpuWish>();
    const isMade = isServed(planned.asked, planned.members, ({ present }) => present);
    for (const { node, gpu, wish, present, instead } of planned.members) {
      const next = wishes.get(node)?.get(wish.uuid);
      // A node that does not change now stays as it is once what it was to make is there elsewhere.
      if (isMade && instead && isDeepStrictEqual(next, instead)) continue;
      const earlier = before?.asked === asked ? before.pending.get(gpu.id) : undefined;
      const isFree = !evictsNever(policy.spec.demand ?? {}) || present.every(({ busy }) => !busy);
      if (earlier && isFree && !ids.has(gpu.id))
        insist(isDeepStrictEqual(earlier, next), 'D5', `${by} takes back what it has chosen for ${gpu.id}`);
      if (next && (earlier || ids.has(gpu.id))) pending.set(gpu.id, next);
    }
    this.#chosen.set(key, { asked, pending });
  }

  // --- what that does to pods -------------------------------------------------------------------------------------

  #partitionHasChanged({ type, object, before, by }: ApiChange<'partitions'>): void {
    const { name } = object.metadata;
    if (type === 'delete') {
      this.#busySince.delete(name);
      for (const key of this.#granted.keys()) if (key.endsWith(` ${name}`)) this.#granted.delete(key);
      return;
    }
    if (by === 'agent') {
      const known = this.#busySince.get(name);
      if (!isDeepStrictEqual(object.status?.device?.gpus, before?.status?.device?.gpus))
        this.#slicesChangedAt = this.#now;
      const busy = (object.status?.device?.gpus ?? []).flatMap(({ instances }) =>
        instances.flatMap((one) => (one.busy === true ? [computeInstancesOf(one)[0]?.uuid ?? ''] : [])),
      );
      this.#busySince.set(name, new Map(busy.map((uuid) => [uuid, known?.get(uuid) ?? this.#now])));
      return;
    }
    const { wish, policy, granted } = object.spec;
    if (granted?.policy && granted.planHash !== '' && granted.epoch !== before?.spec.granted?.epoch)
      this.#granted.set(`${granted.policy.uid} ${name}`, { at: this.#now, epoch: granted.epoch });
    if (!wish || wish === before?.spec.wish || !this.#isNever(policy?.name)) return;
    const earlier = new Map(before?.spec.wish?.gpus.map((one) => [one.uuid, one]));
    for (const one of wish.gpus) {
      if (one.entry !== 'demand' || JSON.stringify(one) === JSON.stringify(earlier.get(one.uuid))) continue;
      this.#takesNothingBusy(object, one, by);
    }
  }

  /** Under Never no wish takes what has been in use for a while. */
  #takesNothingBusy({ metadata, status }: ApiChange<'partitions'>['object'], wish: GpuWish, by: string): void {
    const since = this.#busySince.get(metadata.name);
    const gpu = status?.device?.gpus?.find(({ uuid }) => uuid === wish.uuid);
    const left = new Map(Object.entries(wish.profiles ?? {}));
    for (const instance of gpu?.instances ?? []) {
      const busyAt = since?.get(computeInstancesOf(instance)[0]?.uuid ?? '') ?? Infinity;
      if (instance.busy !== true || this.#now - busyAt < this.#world.checks.lagMs) continue;
      const count = left.get(instance.profile) ?? 0;
      const words = `${by} wishes ${metadata.name} without a ${instance.profile} that is in use`;
      insist(count > 0, 'D3', `${words}, under evict Never: ${JSON.stringify(wish.profiles)}`);
      left.set(instance.profile, count - 1);
    }
  }

  /** Under Never no pod is evicted or deleted. */
  podGoes(pod: Pod, by: string): void {
    const name = this.#world.api.find('partitions', nodeOf(pod))?.spec.policy?.name;
    insist(!this.#isNever(name), 'D3', `${by} evicts ${pod.metadata.name} for ${name}, whose demand never evicts`);
  }

  /** Whether a policy has forbidden evictions for long enough for everybody to know. */
  #isNever(name: string | undefined): boolean {
    const policy = this.#world.api.find('policies', name ?? '');
    const isKnown = this.#now - (this.#editedAt.get(name ?? '') ?? 0) > this.#world.checks.lagMs;
    // One that only plans tells what it would do, until it has planned again.
    const isActing = policy !== undefined && policy.spec.mode !== 'Plan';
    return isActing && isKnown && specsOf(policy).every(({ demand }) => demand && evictsNever(demand));
  }
}

function sumOf(counts: ReadonlyMap<string, number>, names: Iterable<string> = counts.keys()): number {
  return [...names].reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
}

function evictsNever({ evict }: Pick<Demand, 'evict'>): boolean {
  return evict !== 'IfNeeded';
}

/** The newest, and the one in force if that is another, with all that their schedules make of them. */
function specsOf({ spec, status }: Policy): readonly PolicySpec[] {
  const specs = status?.inForce ? [spec, status.inForce.spec as PolicySpec] : [spec];
  return specs.flatMap(variantsOf).map((one) => one.spec);
}

function insist(holds: boolean, invariant: string, message: string): asserts holds {
  if (!holds) throw new Violation(invariant, message);
}
