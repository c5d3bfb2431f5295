// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for a plan for a pool, which asks its caller for each answer of the solver, and for what is asked of one.
import { answerAll } from '../text/asking.ts';
import type { GpuPartitionPolicy, GpuWish, PolicyDemand } from '../../api/types.ts';
import {
  addCosts,
  coverDemand,
  readDemand,
  type DemandSlice,
  type EvictionRule,
  compareCosts,
  type PoolGpu,
  type RankLevels,
} from './solver/pool.ts';
import { evictsNever, demandEntry, type DemandWishes, restEntry } from '../policy/spec.ts';
import type { DemandGpu } from './members.ts';
import type { WantedPart, WantedSlice } from './wanted.ts';
import { type ClassLayout, type ClassPlan, DemandPlanner } from './solver/choose.ts';
import { type DemandQuestion, levelsOf, PoolClasses } from './solver/problem.ts';
import { ranOutOfTime } from './report.ts';
import { deepEqual, compareText } from '../text/json.ts';
import { WHOLE } from '../gpu/profiles.ts';
import { countPresent, findModel } from '../gpu/geometry.ts';
import { planGpu } from '../gpu/plan.ts';
import { expandPreset } from '../gpu/layouts.ts';

/** A slice that is asked for. */
interface AskedSlice extends DemandSlice {
  /** The part of the count for pods that wait and that nothing idle serves: only nodes that take such pods make these slices. */
  readonly missing?: number;
}

/** The question for the planner. */
export interface DemandAsked {
  readonly slices: readonly AskedSlice[];
  readonly evict: EvictionRule;
}

/** A number of slices beyond what one GPU holds. */
const mostOfGpu = 16;
/** The most that a policy may write, and a solver tells from rounding errors. */
const mostWeight = 1_000_000;

/** @param members of the pool: what is lacking only because slices are out of reach takes no eviction */
export function askFor(
  policy: GpuPartitionPolicy,
  wanted: readonly WantedSlice[],
  members: readonly DemandGpu[] = [],
): DemandAsked {
  const slices = rankParts(wanted.flatMap((one) => one.slices));
  return { slices, evict: evictsNever(policy) || lacksLost(slices, members) ? 'Never' : 'IfNeeded' };
}

/** Whether slices that are out of reach, and count no more, would serve what is lacking. */
function lacksLost(slices: readonly DemandSlice[], members: readonly DemandGpu[]): boolean {
  const lost = members.flatMap((one) => (one.lost?.counts === false ? one.lost.instances : []));
  if (lost.length === 0) return false;
  const there = members.flatMap(({ gpu }) => gpu.instances);
  return weighUnserved({ slices }, [...there, ...lost]) < weighUnserved({ slices }, there);
}

/**
 * Gives each slice that is asked for more weight than all spare ones that a GPU could lose for it, and what pods ask for a bit more than the
 * rest of the same slice: one that serves a pod serves the min as well.
 */
function rankParts(parts: readonly WantedPart[]): readonly AskedSlice[] {
  const weights = (ofSpare: boolean): readonly number[] =>
    parts.flatMap(({ isSpare = false, count, weight }) => (count > 0 && isSpare === ofSpare ? [weight] : []));
  const firm = weights(false);
  const mostSpare = mostOfGpu * Math.max(0, ...weights(true));
  const hasRest = parts.some(({ isRest, count }) => isRest === true && count > 0);
  const most = Math.floor(mostWeight / Math.max(1, ...firm));
  const times = Math.min(most, 1 + mostSpare + (hasRest ? mostOfGpu : 0));
  // Less than the difference between any two weights of the policy, for all slices of a GPU together.
  const step = hasRest && times > mostOfGpu ? 1 : 0;
  // Where the weights that are asked for leave no room for that, spare ones weigh less instead.
  const share = Math.min(1, (times * Math.min(...firm) - 1 - step) / mostSpare);
  return parts.map(({ isSpare, isRest, weight, ...one }) => ({
    ...one,
    // Of a slice that nothing asks for now the weight was not looked at.
    weight:
      isSpare === true
        ? Math.max(1, Math.floor(weight * share))
        : Math.min(mostWeight, weight * times) - (isRest === true ? step : 0),
  }));
}

/**
 * Whether nothing needs to change: what the members offer, once what was chosen before is done, serves the whole demand.
 *
 * @param offerOf what of a member counts, if not that
 */
export function isServed(
  asked: DemandAsked,
  members: readonly DemandGpu[],
  offerOf: (member: DemandGpu) => DemandGpu['present'] = ({ gpu }) => gpu.instances,
): boolean {
  return weighUnserved(asked, members.flatMap(offerOf)) === 0;
}

/** How much of a demand is lacking with these instances, by weight. */
function weighUnserved(
  { slices }: Pick<DemandAsked, 'slices'>,
  instances: readonly { readonly profile: string }[],
): number {
  const table = readDemand(slices, () => true);
  const offered = countPresent(instances);
  return coverDemand(
    table,
    table.profiles.map((name) => offered.get(name) ?? 0),
  ).cost;
}

/** A pool to be planned. */
export interface PlanQuestion {
  readonly gpus: readonly PoolGpu[];
  readonly asked: DemandAsked;
}

/** A layout for every GPU of a pool. */
export interface PlannedPool extends Pick<ClassPlan, 'cost' | 'unserved' | 'gap'> {
  /** The layouts in the order of the pool's GPUs. */
  readonly layouts: readonly ClassLayout[];
}

/** Slices that a plan could not provide, by name. */
type Lacking = Readonly<Record<string, number>>;

/** What the last plan left unserved. */
interface Shortfall {
  readonly lacking: Lacking;
  /** What would be lacking if all pods could be evicted, where the policy forbids it or some never are. */
  readonly lackingAtLeast?: Lacking | undefined;
  /** Whether the policy forbids all evictions. */
  readonly isSpared?: boolean;
  /** The planner's time ended first: there may be room. */
  readonly isUnproven?: boolean;
}

/** A plan, and the pool that it was made for. */
export interface Planned {
  readonly members: readonly DemandGpu[];
  readonly asked: DemandAsked;
  readonly layouts: readonly ClassLayout[];
  readonly shortfall: Shortfall;
}

/** The plan of a demand that is served already: nothing changes. @returns undefined if one must be made */
export function planServed(members: readonly DemandGpu[], asked: DemandAsked): Planned | undefined {
  return isServed(asked, members) ? { members, asked, layouts: [], shortfall: { lacking: {} } } : undefined;
}

/**
 * The best plan that leaves resting GPUs alone, and those of nodes on which no pod that waits could run; if that leaves something unserved,
 * one that changes resting ones, where it takes what is idle and evicts nobody, then one that changes the others too, for what is not meant for
 * those pods, each where it serves more. What stays unserved because nothing may be evicted, or is never evicted, is planned once more
 * without that, for the proof of the shortage.
 *
 * @param gpus of the members in their order, with what evictions cost; equal ones if absent
 */
export function* planMembers(
  members: readonly DemandGpu[],
  asked: DemandAsked,
  gpus: readonly PoolGpu[] = members.map(({ gpu }) => gpu),
): Generator<PlanQuestion, Planned, PlannedPool> {
  const helping = leave(members, gpus, isAside);
  const plan = yield* planAside(members, gpus, asked, yield* planGently(members, helping, asked));
  const isHeld =
    asked.evict === 'Never' ||
    asked.slices.some(({ outranks }) => outranks !== undefined) ||
    gpus.some(({ instances }) => instances.some(({ stays }) => stays === true));
  const free = plan.cost.unserved > 0 && isHeld ? yield* planFree(members, asked) : undefined;
  return {
    members,
    asked,
    layouts: plan.layouts,
    shortfall: {
      lacking: plan.unserved,
      lackingAtLeast: free?.unserved,
      ...(ranOutOfTime(plan) && { isUnproven: true }),
      ...(free && asked.evict === 'IfNeeded' && { isSpared: false }),
    },
  };
}

function isAside(member: DemandGpu): boolean {
  return member.isAside === true;
}

function leave(
  members: readonly DemandGpu[],
  gpus: readonly PoolGpu[],
  isLeft: (member: DemandGpu) => boolean,
): readonly PoolGpu[] {
  return gpus.map((gpu, index) => {
    const member = members[index];
    return member && isLeft(member) ? { ...gpu, isResting: true } : gpu;
  });
}

/**
 * A plan that leaves GPUs alone which were re-laid a short while ago, unless one that takes what is idle there serves more: of as few of
 * them as it can.
 */
function* planGently(
  members: readonly DemandGpu[],
  gpus: readonly PoolGpu[],
  asked: DemandAsked,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  const gentle = yield { gpus: leave(members, gpus, ({ rests }) => rests), asked };
  const hasRests = members.some(({ rests }, index) => rests && gpus[index]?.isResting !== true);
  const spared = gpus.map((gpu, index) => (members[index]?.rests === true ? { ...spare(gpu), rests: true } : gpu));
  const urgent = gentle.cost.unserved > 0 && hasRests ? yield { gpus: spared, asked } : gentle;
  return servesMoreByLevel(urgent, gentle, asked, gpus) ? urgent : gentle;
}

/** Plans the pool as if every running pod could be evicted. */
function* planFree(
  members: readonly DemandGpu[],
  { slices }: DemandAsked,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  const gpus = members.map(({ gpu }) => gpu);
  const asked: DemandAsked = { slices: slices.map(withoutRank), evict: 'IfNeeded' };
  const rested = members.map((one) => ({ ...one, rests: false }));
  return yield* planAside(rested, gpus, asked, yield { gpus: leave(members, gpus, isAside), asked });
}

/** A pool of which some GPUs are as a plan makes them, and stay so. */
export function settle(
  gpus: readonly PoolGpu[],
  layouts: PlannedPool['layouts'],
  isSettled: (index: number) => boolean,
): readonly PoolGpu[] {
  return gpus.map((gpu, index): PoolGpu => {
    if (!isSettled(index)) return gpu;
    const { keep = gpu.instances, create = [] } = layouts[index] ?? {};
    return { ...gpu, instances: [...keep, ...create.map((one) => ({ ...one, busy: false }))], isResting: true };
  });
}

/**
 * Plans the GPUs that were set aside as well, if there are some, beside what a plan makes of the others: for what is not meant for the
 * pods that only those serve. What lacks of that stays unserved.
 */
function* planAside(
  members: readonly DemandGpu[],
  gpus: readonly PoolGpu[],
  asked: DemandAsked,
  made: PlannedPool,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  if (made.cost.unserved === 0 || !members.some(isAside)) return made;
  const given = asked.slices.map((slice) => Math.min(made.unserved[slice.name] ?? 0, slice.missing ?? 0));
  const slices = asked.slices.map((slice, index) => ({ ...slice, count: slice.count - (given[index] ?? 0) }));
  const others = settle(gpus, made.layouts, (index) => members[index]?.isAside !== true);
  const plan = yield* planGently(members, others, { ...asked, slices });
  const unserved: Record<string, number> = { ...plan.unserved };
  asked.slices.forEach(({ name }, index) => {
    const count = (unserved[name] ?? 0) + (given[index] ?? 0);
    if (count > 0) unserved[name] = count;
  });
  if (!servesMoreByLevel({ unserved }, made, asked, gpus)) return made;
  const weight = asked.slices.reduce((sum, one, index) => sum + one.weight * (given[index] ?? 0), 0);
  const { cost, layouts } = made;
  return {
    ...plan,
    unserved,
    cost: { ...addCosts(cost, plan.cost), unserved: plan.cost.unserved + weight },
    layouts: plan.layouts.map((one, index) => (members[index]?.isAside === true ? one : (layouts[index] ?? one))),
  };
}

/** Spares all slices of a GPU in use: no pod goes twice within the cooldown. */
function spare(gpu: PoolGpu): PoolGpu {
  return { ...gpu, instances: gpu.instances.map((one) => (one.busy ? { ...one, stays: true } : one)) };
}

/** A slice for which everybody would go. */
export function withoutRank({ outranks: _outranks, isWaitedFor: _isWaitedFor, ...slice }: AskedSlice): AskedSlice {
  return slice;
}

/** Whether a plan leaves less unserved than another, level by level of those for whom others go. */
function servesMoreByLevel(
  { unserved }: Pick<PlannedPool, 'unserved'>,
  other: Pick<PlannedPool, 'unserved'>,
  asked: DemandAsked,
  gpus: readonly PoolGpu[],
): boolean {
  const { slices } = asked;
  const levels = levelsAmong(asked, gpus);
  const lacks = (lacking: PlannedPool['unserved']): readonly number[] => {
    const terms = slices.map(
      (slice) => [levels?.levelOf(slice) ?? 0, (lacking[slice.name] ?? 0) * slice.weight] as const,
    );
    return levels?.sum(terms) ?? [terms.reduce((sum, [, weight]) => sum + weight, 0)];
  };
  return compareCosts(lacks(unserved), lacks(other.unserved)) < 0;
}

/** The planned layout of a member. */
interface MemberLayout extends Pick<ClassLayout, 'keep' | 'destroy' | 'create'> {
  /** The demand does not need it. */
  readonly entry?: typeof restEntry;
}

/** The layout of each member, in the order of the members; undefined: the member stays as it is. */
type Layouts = readonly (MemberLayout | undefined)[];

/** The wishes of nodes that a plan results in. GPUs that it does not change keep theirs. */
export function wishesOf(members: readonly DemandGpu[], layouts: Layouts): ReadonlyMap<string, DemandWishes> {
  const byNode = new Map<string, Map<string, GpuWish>>();
  members.forEach(({ node, wish }, index) => {
    const layout = layouts[index];
    const next = layout && changes(layout) ? toWish(wish.uuid, layout) : wish;
    byNode.set(node, (byNode.get(node) ?? new Map<string, GpuWish>()).set(wish.uuid, next));
  });
  return byNode;
}

/** The members that a plan changes. */
export function listChanged(members: readonly DemandGpu[], layouts: Layouts): readonly DemandGpu[] {
  return members.filter((_, index) => {
    const layout = layouts[index];
    return layout !== undefined && changes(layout);
  });
}

/** The layouts that a plan has chosen, by node. */
export interface ChosenLayouts {
  readonly wishes: ReadonlyMap<string, DemandWishes>;
  /** The GPUs that it re-lays. */
  readonly touched: readonly DemandGpu[];
  /** Whether that is all of the plan: the rest was made for GPUs that have changed meanwhile, and is to be planned again. */
  readonly isWhole: boolean;
}

/**
 * What of a plan still stands for a pool that may have changed meanwhile: the layouts of GPUs that are what they were, if these alone serve
 * more.
 *
 * @returns undefined if nothing of the plan is to be taken
 */
export function takeStanding(
  { members, asked, layouts }: Pick<Planned, 'members' | 'asked'> & { readonly layouts: Layouts },
  current: readonly DemandGpu[],
): ChosenLayouts | undefined {
  const standing = keepStanding(members, layouts, current);
  const touched = listChanged(current, standing);
  const isWhole = touched.length === listChanged(members, layouts).length;
  if (!isWhole && (touched.length === 0 || !servesMore(asked, current, standing))) return undefined;
  // What a node that does not change was to make is needed no more once others have made it; until then it may yet.
  const isMade = isServed(asked, current, ({ present }) => present);
  const settled = current.map((one) => (isMade && one.instead ? { ...one, wish: one.instead } : one));
  return { wishes: wishesOf(settled, standing), touched, isWhole };
}

/** @returns a layout for each GPU that a plan changes and that is what it was, in the order of the pool */
function keepStanding(members: readonly DemandGpu[], layouts: Layouts, current: readonly DemandGpu[]): Layouts {
  const planned = new Map(members.map((member, index) => [member.gpu.id, { member, layout: layouts[index] }]));
  return current.map((member) => {
    const { member: before, layout } = planned.get(member.gpu.id) ?? {};
    return before && layout && changes(layout) && areUnchanged([before], [member]) ? layout : undefined;
  });
}

/** Whether a pool serves more of a demand with such layouts, or as much if they are only those of GPUs that the demand does not need. */
function servesMore(asked: DemandAsked, members: readonly DemandGpu[], layouts: Layouts): boolean {
  if (layouts.every((layout) => layout === undefined || layout.entry !== undefined)) return true;
  // A plan knows how those that are in use rank.
  const before = members.map(({ gpu }, index): PoolGpu => {
    const { keep, destroy } = layouts[index] ?? { keep: gpu.instances, destroy: [] };
    return { ...gpu, instances: [...keep, ...destroy] };
  });
  const after = before.map((gpu, index): PoolGpu => {
    const { keep, create } = layouts[index] ?? { keep: gpu.instances, create: [] };
    return { ...gpu, instances: [...keep, ...create.map((one) => ({ ...one, busy: false }))] };
  });
  const levels = levelsAmong(asked, before);
  const lacking = (gpus: readonly PoolGpu[]): Pick<PlannedPool, 'unserved'> => ({
    unserved: listUnserved(asked, gpus, levels),
  });
  return servesMoreByLevel(lacking(after), lacking(before), asked, before);
}

/** How many of each slice GPUs leave unserved as they are, by its name: what is in use serves none that wait. */
function listUnserved(
  { slices }: DemandAsked,
  gpus: readonly PoolGpu[],
  levels: RankLevels | undefined,
): Readonly<Record<string, number>> {
  const table = readDemand(slices, () => true, undefined, levels);
  const instances = gpus.flatMap((gpu) => gpu.instances);
  const here = { Any: countPresent(instances), ...countByUse(instances) };
  const offered = table.profiles.map((profile, index) => here[table.uses[index] ?? 'Any'].get(profile) ?? 0);
  const { unserved } = coverDemand(table, offered);
  return Object.fromEntries(table.slices.map(({ name }, index) => [name, unserved[index] ?? 0]));
}

function countByUse(instances: PoolGpu['instances']): Readonly<Record<'Used' | 'Idle', ReadonlyMap<string, number>>> {
  return {
    Used: countPresent(instances.filter(({ busy }) => busy)),
    Idle: countPresent(instances.filter(({ busy }) => !busy)),
  };
}

function levelsAmong({ slices, evict }: DemandAsked, gpus: readonly PoolGpu[]): RankLevels | undefined {
  return levelsOf(
    slices,
    gpus.flatMap(({ instances }) => instances),
    evict,
  );
}

/** Whether a pool is as it was when it was planned: all of its GPUs, and no other. */
export function isSamePool({ members }: Pick<Planned, 'members'>, current: readonly DemandGpu[]): boolean {
  const areSeen = current.every(({ isAside }, index) => isAside === members[index]?.isAside);
  return members.length === current.length && areSeen && areUnchanged(members, current);
}

/** Whether GPUs are still as they were when they were planned. */
function areUnchanged(planned: readonly DemandGpu[], now: readonly DemandGpu[]): boolean {
  const byId = new Map(now.map((member) => [member.gpu.id, member]));
  return planned.every(({ gpu, rests, wish }) => {
    const current = byId.get(gpu.id);
    return (
      current !== undefined &&
      current.rests === rests &&
      current.gpu.isResting === gpu.isResting &&
      deepEqual(current.gpu.instances, gpu.instances) &&
      deepEqual(current.wish, wish)
    );
  });
}

function changes({ destroy, create }: MemberLayout): boolean {
  return destroy.length + create.length > 0;
}

function toWish(uuid: string, { keep, create, entry: chosenFor }: MemberLayout): GpuWish {
  const entry = chosenFor ?? demandEntry;
  if (create.some(({ profile }) => profile === WHOLE)) return { uuid, mig: 'Disabled', entry };
  return { uuid, profiles: Object.fromEntries(countPresent([...keep, ...create])), entry };
}

/**
 * What becomes of GPUs that a demand does not need, by its `rest`: only of those that are idle, have rested, and without which the
 * demand is served as it is by GPUs that are not part of the rest. What the rest offers counts for nothing: it would free one GPU after
 * the other of its part in the demand. Those that lose the fewest instances come first.
 *
 * @param members a pool that serves the demand, or will
 * @returns a layout for each member that changes, in their order
 */
export function layRest(
  rest: PolicyDemand['rest'],
  asked: DemandAsked,
  members: readonly DemandGpu[],
): readonly (MemberLayout | undefined)[] {
  if (rest === undefined || rest === 'Keep') return [];
  // What is still being made may fail, or a pod may come in its way: then the rest is needed after all.
  if (!isServed(asked, members, ({ present }) => present)) return [];
  const table = readDemand(asked.slices, () => true);
  const here = countPresent(members.flatMap((member) => (isRest(member) ? [] : member.gpu.instances)));
  const offered = table.profiles.map((profile) => here.get(profile));
  const layouts = members.map((): MemberLayout | undefined => undefined);
  for (const { member, index } of listFree(members)) {
    const layout = layOne(rest, member);
    if (layout === undefined || layout.destroy.length + layout.create.length === 0) continue;
    const own = countPresent(isRest(member) ? [] : member.gpu.instances);
    const without = table.profiles.map((profile, at) => (offered[at] ?? 0) - (own.get(profile) ?? 0));
    if (coverDemand(table, without).cost > 0) continue;
    without.forEach((count, at) => (offered[at] = count));
    layouts[index] = layout;
  }
  return layouts;
}

function isRest({ wish }: DemandGpu): boolean {
  return wish.entry === restEntry;
}

function listFree(members: readonly DemandGpu[]): readonly { readonly member: DemandGpu; readonly index: number }[] {
  return members
    .map((member, index) => ({ member, index }))
    .filter(({ member: { gpu, rests } }) => !rests && gpu.isResting !== true && !gpu.instances.some(({ busy }) => busy))
    .toSorted(
      (a, b) =>
        a.member.gpu.instances.length - b.member.gpu.instances.length || compareText(a.member.gpu.id, b.member.gpu.id),
    );
}

/** A layout of one GPU, whole or balanced. Undefined if it cannot have it: no balanced layout exists, or its MIG mode may not change. */
function layOne(rest: 'Whole' | 'Balanced', { gpu, product }: DemandGpu): MemberLayout | undefined {
  const { geometry, instances, keepsMode } = gpu;
  const isWhole = instances.some(({ profile }) => profile === WHOLE);
  if (keepsMode === true && isWhole !== (rest === 'Whole')) return undefined;
  if (rest === 'Whole')
    return isWhole
      ? undefined
      : { entry: 'rest', keep: [], destroy: instances, create: [{ profile: WHOLE, start: 0 }] };
  const preset = expandPreset(geometry, 'all-balanced', findModel(product));
  if (!('layout' in preset)) return undefined;
  const plan = planGpu(geometry, isWhole ? [] : instances, preset.layout);
  if (!plan.fits) return undefined;
  return { entry: 'rest', keep: plan.keep, destroy: isWhole ? instances : plan.destroy, create: plan.create };
}

/** What GPUs of more classes can become takes too long to list in one turn. */
const mostClasses = 16;

/**
 * Plans a pool by its classes of equal GPUs. Yields after each of its GPUs and layouts, since a large pool takes several turns, and the
 * question for the solver where that is needed. Where the solver fails, a pool of medium size is planned here, which may take seconds.
 *
 * @param mostClasses the most classes that are planned without the solver: what more GPUs can become takes too long for one turn
 * @throws Error if the solver fails, and the pool is too large to do without
 */
export function* planClasses(
  { gpus, asked }: PlanQuestion,
  mostClasses: number,
): Generator<DemandQuestion | undefined, PlannedPool, ClassPlan> {
  const pool = new PoolClasses();
  for (const gpu of gpus) {
    pool.add(gpu);
    yield;
  }
  const classes = pool.list();
  const question = { classes, ...asked };
  const small = classes.length <= mostClasses ? new DemandPlanner(question).planSmall() : undefined;
  const { layouts, ...plan } = small ?? (yield* askSolver(question));
  const byId = new Map<string, ClassLayout>();
  for (const [ids, layout] of pool.handOut(classes, layouts)) {
    for (const id of ids) byId.set(id, layout);
    yield;
  }
  return { ...plan, layouts: gpus.flatMap(({ id }) => byId.get(id) ?? []) };
}

function* askSolver(question: DemandQuestion): Generator<DemandQuestion, ClassPlan, ClassPlan> {
  try {
    return yield question;
  } catch (cause) {
    const plan = new DemandPlanner(question).planSmall(true);
    if (plan !== undefined) return plan;
    throw new Error('the solver failed, and the pool is too large to be planned without it', { cause });
  }
}

/** Plans a small pool, without a solver. @returns undefined if it would take long */
export function planHere(question: PlanQuestion): PlannedPool | undefined {
  const planning = planClasses(question, mostClasses);
  let step = planning.next();
  while (step.done !== true) {
    if (step.value !== undefined) return undefined;
    step = planning.next();
  }
  return step.value;
}

/** Answers what is asked of a planner on the way to a result, as far as that is possible here. */
export function answerHere<T>(asking: Generator<PlanQuestion, T, PlannedPool | undefined>): T {
  return answerAll(asking, planHere);
}
